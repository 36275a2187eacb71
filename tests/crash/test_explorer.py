"""Every state that two workers, their deaths and the follower can bring about is safe, and leads back to rest."""

import pytest

from planner.models import Reminder
from tests.crash.model import batch, erasure, notice, outbound, passive, reminder, voice
from tests.crash.model.explorer import Table, after_death, explore
from webhook.models import Batch, Erasure, OutboundMessage, VoiceClip

pytestmark = pytest.mark.timeout(600)  # a minute of one processor, which may have to be shared
CUSTOMER, TEMPLATE = OutboundMessage.CUSTOMER, OutboundMessage.TEMPLATE
# Each stands behind another rule, which alone keeps the state safe.
SECOND_WALLS = {
    "first writer wins",
    "mark with the row",
    "one key per moment",
    "the version is looked at",
    "one key per batch",
}
MACHINES = {
    "batch": lambda **options: batch.Batches(**options),
    "customer message": lambda **options: outbound.Outbounds(route=CUSTOMER, **options),
    "template message": lambda **options: outbound.Outbounds(route=TEMPLATE, **options),
    "reminder": lambda **options: reminder.Reminders(**options),
    "voice message": lambda **options: voice.Voices(**options),
    "voice message with WeChat's words": lambda **options: voice.Voices(recognised=True, **options),
    "erasure": lambda **options: erasure.Erasures(**options),
    "passive answer": lambda **options: passive.Handovers(**options),
    "notice of an outage": lambda **options: notice.Notices(**options),
}


@pytest.fixture(scope="module")
def explored():
    table = Table()
    return {name: explore(build(table=table)) for name, build in MACHINES.items()}, table


def test_every_state_is_safe_and_leads_to_rest(explored):
    found, _ = explored

    assert {name: (each.violation, each.trace) for name, each in found.items() if each.violation} == {}
    assert all(each.complete for each in found.values())


def test_a_hundred_thousand_states_take_less_than_a_minute(explored):
    found, _ = explored

    assert sum(each.states for each in found.values()) >= 100_000
    assert sum(each.cpu_seconds for each in found.values()) < 60


def test_the_models_use_every_move_of_the_products_tables_and_no_other(explored):
    """A move that no model makes would be one that nobody has thought through."""
    _, table = explored
    ours = {
        (model._meta.model_name, *move)
        for model in (Batch, OutboundMessage, Reminder, VoiceClip, Erasure)
        for move in model.TRANSITIONS
    }

    assert table.used == ours


@pytest.mark.parametrize("rule", sorted(batch.RULES - SECOND_WALLS))
def test_without_a_rule_of_the_batch_it_goes_wrong(rule):
    assert explore(batch.Batches(without={rule})).violation


@pytest.mark.parametrize("rule", sorted(outbound.RULES))
def test_without_a_rule_of_sending_it_goes_wrong(rule):
    found = [explore(outbound.Outbounds(route=route, without={rule})).violation for route in (CUSTOMER, TEMPLATE)]

    assert any(found)


@pytest.mark.parametrize("rule", sorted(reminder.RULES - SECOND_WALLS))
def test_without_a_rule_of_reminding_it_goes_wrong(rule):
    assert explore(reminder.Reminders(without={rule})).violation


@pytest.mark.parametrize("rule", sorted(voice.RULES))
def test_without_a_rule_of_hearing_it_goes_wrong(rule):
    assert any(explore(voice.Voices(recognised=known, without={rule})).violation for known in (True, False))


@pytest.mark.parametrize("rule", sorted(erasure.RULES))
def test_without_a_rule_of_erasing_it_goes_wrong(rule):
    assert explore(erasure.Erasures(without={rule})).violation


@pytest.mark.parametrize("rule", sorted(passive.RULES))
def test_without_a_rule_of_the_passive_answer_it_goes_wrong(rule):
    assert explore(passive.Handovers(without={rule})).violation


@pytest.mark.parametrize("rule", sorted(notice.RULES - SECOND_WALLS))
def test_without_a_rule_of_the_notice_it_goes_wrong(rule):
    assert explore(notice.Notices(without={rule})).violation


def test_the_models_ask_the_product_what_a_death_leaves():
    row = {"route": TEMPLATE, "first_tried_at": -10, "max_claims": 4}

    assert after_death(Batch, claims=3, max_claims=3) == Batch.FAILED
    assert after_death(OutboundMessage, claims=1, **row) == OutboundMessage.PENDING
    assert after_death(OutboundMessage, claims=1, **{**row, "first_tried_at": -500}) == OutboundMessage.UNKNOWN
    assert after_death(OutboundMessage, claims=1, **{**row, "first_tried_at": None}) == OutboundMessage.PENDING

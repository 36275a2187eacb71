"""A model that is down: what waits, what goes on, who probes, who is told, and when it is over."""

import pytest

from agent.tasks import expire
from agent.waiting import tell_next
from agent.worker import run_next
from planner import crashpoints, upstreams
from planner.models import Alarm, Review
from planner.upstreams import Phase, Upstream
from tests.agent.model import UNSURE, create, plan, reply, run
from tests.builders import follower, submitted
from tests.doubles.llm import error
from webhook.models import Attempt, Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def batches(count: int) -> list[Batch]:
    """Of as many followers, none of which the rules understand."""
    return [submitted(follower(f"o-crowd-{n:020d}"), UNSURE) for n in range(count)]


def work(times: int = 50) -> int:
    """Until nothing is left to be claimed; returns how many were."""
    return next((n for n in range(times) if not run_next()), times)


def phase() -> Phase:
    return upstreams.states()[Upstream.LLM].phase


def statuses() -> dict[str, int]:
    found = list(Batch.objects.values_list("status", flat=True))
    return {status: found.count(status) for status in set(found)}


@pytest.fixture
def down(llm):
    """Five refusals in a row have opened the breaker."""
    llm.script(*[error(503)] * 5)
    batches(5)
    work()
    assert phase() is Phase.OPEN
    return llm


def test_while_it_is_down_nothing_is_asked_and_no_claim_is_spent(mei, down):
    batch = run(mei, UNSURE)

    assert (batch.status, batch.claims, batch.held_for) == (Batch.SUBMITTED, 0, "llm")
    assert "等待上游恢复" in batch.last_error
    assert len(down.requests) == 5


def test_what_has_met_the_shut_model_is_left_alone_and_what_is_new_is_looked_at_once(mei, down, clock):
    submitted(mei, UNSURE)
    work()
    clock.forward(seconds=5)

    assert work() == 0


def test_what_the_rules_are_certain_of_is_done_meanwhile(mei, down):
    batch = run(mei, "买牛奶")

    assert (batch.status, batch.analysed_by) == (Batch.DONE, "rules, model unavailable")
    assert len(down.requests) == 5


def test_one_probe_goes_after_ten_seconds_and_with_its_success_all_others(mei, down, clock):
    down.script(*[plan(create("归置"))] * 5)
    clock.forward(seconds=16)

    assert run_next()
    assert (len(down.requests), phase()) == (6, Phase.CLOSED)

    work()
    assert statuses() == {Batch.DONE: 5}


def test_a_failing_probe_spends_no_claim_and_the_next_one_is_another_batch(down, clock):
    down.script(error(500), error(500))
    for _ in range(2):
        clock.forward(seconds=16)
        assert work() == 1

    assert set(Batch.objects.values_list("claims", flat=True)) == {0}
    assert set(Batch.objects.values_list("claim_no", flat=True)) == {1, 2}


def test_an_outage_of_ten_minutes_leaves_nothing_for_people(down, clock):
    down.script(*[error(503)] * 60, *[plan(create("归置"))] * 5)
    for _ in range(60):
        clock.forward(seconds=13)
        work()

    for _ in range(5):
        clock.forward(seconds=13)
        work()

    assert (statuses(), Review.objects.count()) == ({Batch.DONE: 5}, 0)
    assert len(down.requests) <= 5 + 60 + 5


def test_one_answer_with_retry_after_rests_all_and_is_kept_to(mei, bo, llm, clock):
    llm.script(error(429, retry_after="40"), error(429, retry_after="40"), *[plan(create("归置"))] * 2)
    for who in (mei, bo):
        submitted(who, UNSURE)
    work()
    assert len(llm.requests) == 1

    clock.forward(seconds=39)
    work()
    assert len(llm.requests) == 1

    for _ in range(3):
        clock.forward(seconds=50)
        work()
    assert (statuses(), len(llm.requests)) == ({Batch.DONE: 2}, 4)


def test_a_burst_that_is_refused_costs_few_calls_and_loses_nothing(llm, clock):
    llm.script(*[plan(create("归置"))] * 20, error(429, retry_after="1"), *[plan(create("归置"))] * 30)
    batches(40)

    for _ in range(20):
        work()
        clock.forward(seconds=2)

    assert statuses() == {Batch.DONE: 40}
    assert len(llm.requests) <= 41


def test_for_ever_refused_ends_with_a_person_and_one_word_to_the_follower(mei, llm, clock):
    llm.script(*[error(429, retry_after="600")] * 200)
    batch = submitted(mei, UNSURE)

    for _ in range(60):
        work(3)
        clock.forward(minutes=10)

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.FAILED, 3)
    assert OutboundMessage.objects.filter(purpose="failed").count() == 1
    assert len(llm.requests) <= 40


def test_a_wrong_key_stops_it_until_an_operator_says_that_it_is_mended(mei, bo, llm, clock):
    llm.script(error(401), error(401), *[plan(create("归置"))] * 2)
    for who in (mei, bo):
        submitted(who, UNSURE)
    work()
    alarm = Alarm.objects.get()
    assert (phase(), alarm.key, alarm.upstream, len(llm.requests)) == (Phase.STOPPED, "llm:401", "llm", 1)

    clock.forward(seconds=55)
    work()
    assert len(llm.requests) == 1

    clock.forward(seconds=10)
    work()
    assert (len(llm.requests), Alarm.objects.get().count) == (2, 2)

    upstreams.resume(Upstream.LLM)
    clock.forward(seconds=6)
    work()
    assert statuses() == {Batch.DONE: 2}
    assert Alarm.objects.get().closed_at is not None


def test_who_waits_long_is_told_once_and_kindly(mei, down, clock):
    batch = run(mei, UNSURE)
    submitted(mei, UNSURE)
    expire()
    assert reply(batch) == ""

    clock.forward(minutes=3)
    expire()
    expire()
    clock.forward(minutes=30)
    expire()

    assert "不用重发" in reply(batch)
    assert OutboundMessage.objects.filter(follower=mei, purpose="held").count() == 1


def test_two_clocks_that_look_at_different_moments_tell_one_follower_once(mei, down, clock):
    """Between the look of the one and its notice the first batch goes on, and the other tells of the second."""
    first = run(mei, UNSURE)
    second = submitted(mei, UNSURE)
    Batch.objects.filter(pk=second.pk).update(held_for="llm")
    clock.forward(minutes=3)
    for _ in range(5):  # the crowd's turn
        tell_next()

    def meanwhile(moment: str) -> None:
        if moment == "held notice:before":
            crashpoints.arm(None)
            Batch.move(first.pk, Batch.SUBMITTED, Batch.CANCELLED)
            assert tell_next()

    crashpoints.arm(meanwhile)
    tell_next()

    assert OutboundMessage.objects.filter(follower=mei, purpose="held").count() == 1


def test_what_the_outage_cost_stands_on_no_attempt(mei, down):
    batch = run(mei, UNSURE)

    attempt = Attempt.objects.get(object_id=batch.pk)
    assert (attempt.outcome, attempt.usage.get("calls")) == ("released", None)

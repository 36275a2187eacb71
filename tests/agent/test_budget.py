"""The model's daily budget: shared, per follower and for all, and what a follower gets when it is used up."""

import pytest

from agent import budget
from planner.errors import Failure
from planner.models import Alarm, ModelUse
from tests.agent.model import UNSURE, create, plan, reply, run
from tests.doubles.llm import completion
from tests.doubles.server import Answer
from tests.races.threads import at_once
from webhook.models import Batch

pytestmark = pytest.mark.django_db(transaction=True)


def used(who: int) -> tuple[int, int]:
    return ModelUse.objects.values_list("calls", "tokens").get(follower_id=who)


def test_every_call_is_counted_for_its_follower_and_for_all(mei, bo, llm):
    llm.script(plan(create("归置")), "prose", plan(create("归置")))

    run(mei, UNSURE)
    run(bo, UNSURE)

    assert (used(mei.pk), used(bo.pk), used(0)) == ((1, 120), (2, 240), (3, 360))


def test_calls_of_many_processes_are_all_counted(mei):
    at_once(*[lambda: budget.spend(mei.pk, 10)] * 6)

    assert (used(mei.pk), used(0)) == ((6, 60), (6, 60))


def test_an_endpoint_that_does_not_tell_is_counted_by_length(mei, llm):
    llm.script(Answer(body=completion({"content": '{"actions": [], "chat": "在呢"}'}) | {"usage": None}))

    run(mei, UNSURE)

    assert used(mei.pk)[1] > 1000


def test_who_has_used_up_his_day_gets_a_kind_line_and_others_go_on(mei, bo, llm, settings):
    settings.LLM_DAILY_TOKENS_PER_FOLLOWER = 100
    llm.script(plan(create("归置")), plan(create("归置")))
    run(mei, UNSURE)

    batch = run(mei, UNSURE)

    assert (batch.status, batch.analysed_by, len(llm.requests)) == (Batch.DONE, "nobody, budget used up", 1)
    assert "没有任何改动" in reply(batch)
    assert run(bo, UNSURE).analysed_by == "model"
    assert Alarm.objects.get().key == "llm:budget-follower"


def test_the_rules_go_on_when_all_is_used_up_and_operators_are_told_once(mei, bo, llm, settings):
    settings.LLM_DAILY_TOKENS = 100
    budget.spend(mei.pk, 100)

    batch = run(bo, "买牛奶")
    run(mei, UNSURE)

    assert (batch.status, batch.analysed_by) == (Batch.DONE, "rules, model unavailable")
    assert llm.requests == []
    assert (Alarm.objects.get().key, Alarm.objects.get().count) == ("llm:budget", 2)


def test_the_next_day_begins_anew_and_ends_the_alarm(mei, llm, settings, clock):
    settings.LLM_DAILY_TOKENS = 100
    budget.spend(mei.pk, 100)
    with pytest.raises(Failure):
        budget.check(mei.pk)

    clock.forward(hours=24)
    llm.script(plan(create("归置")))

    assert run(mei, UNSURE).analysed_by == "model"
    assert Alarm.objects.get().closed_at is not None


def test_no_limit_is_no_limit(mei, settings):
    settings.LLM_DAILY_TOKENS = settings.LLM_DAILY_TOKENS_PER_FOLLOWER = 0
    budget.spend(mei.pk, 10**9)

    budget.check(mei.pk)

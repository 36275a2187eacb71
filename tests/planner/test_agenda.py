"""What «那个», «第二个» and «最后一个» point at: what was rung, listed or changed last."""

from datetime import UTC, datetime, timedelta

import pytest

from planner import agenda
from planner.actions import Complete, Query, Target, Update
from planner.clock import AppNow
from planner.models import Reminder, Task
from planner.operations import apply
from tests.builders import planned, scope, soon

pytestmark = pytest.mark.django_db(transaction=True)
THAT = Target(text="那个")


def old(who, *titles: str) -> None:
    """Tasks of long ago, of which nothing is remembered."""
    Task.objects.bulk_create([Task(follower=who, title=title) for title in titles])


def pointed_at(who) -> list[str]:
    return sorted(task.title for task in agenda.match(who, THAT))


def test_that_one_is_what_was_added_last(mei):
    old(mei, "写周报")
    planned(mei, "开会", soon(days=1))

    assert pointed_at(mei) == ["开会"]


def test_that_one_is_what_was_changed_last_though_it_is_older(mei):
    planned(mei, "开会", soon(days=1))
    planned(mei, "写周报")
    change = Update.model_validate({"target": {"text": "开会"}, "changes": {"start": soon(days=2)}})

    apply("update", change, scope(mei), key="test:update:1")

    assert pointed_at(mei) == ["开会"]


def test_that_one_is_what_a_list_showed_alone(mei):
    planned(mei, "看牙医", soon(days=1))
    planned(mei, "写周报")

    apply("query", Query(text="牙医"), scope(mei), key="test:query:1")

    assert pointed_at(mei) == ["看牙医"]


def test_that_one_is_what_rang_since(mei, clock):
    planned(mei, "喝水", soon(minutes=1))
    planned(mei, "写周报")
    clock.forward(minutes=2)
    Reminder.objects.filter(task__title="喝水").update(status=Reminder.SENT, rung_at=AppNow())

    assert pointed_at(mei) == ["喝水"]


def test_that_one_may_be_any_when_nothing_happened_lately(mei):
    old(mei, "写周报", "买菜")

    assert pointed_at(mei) == ["买菜", "写周报"]


def test_that_one_needs_no_memory_when_there_is_but_one(mei):
    old(mei, "写周报")

    assert pointed_at(mei) == ["写周报"]


@pytest.mark.parametrize(("position", "title"), [(1, "一"), (3, "三"), (-1, "三"), (4, None), (0, None), (-4, None)])
def test_a_position_is_of_the_list_that_was_shown_last(mei, position, title):
    for day, name in enumerate("一二三", 1):
        planned(mei, name, soon(days=day))
    apply("query", Query(), scope(mei), key="test:query:1")

    found = agenda.match(mei, Target(position=position))

    assert [task.title for task in found] == ([title] if title else [])


def test_what_is_done_is_the_one_of_two_that_has_begun(mei):
    Task.objects.create(follower=mei, title="开会", start=datetime.now(UTC) - timedelta(hours=1))
    planned(mei, "开会", soon(days=7))

    made = apply("complete", Complete(target=Target(text="开会")), scope(mei), key="test:complete:1")

    assert made.result["tasks"][0]["status"] == Task.DONE
    assert Task.objects.get(status=Task.OPEN).start > datetime.now(UTC)


def test_what_was_done_last_week_counts_by_when_it_was_done(mei, clock):
    planned(mei, "写周报", soon(days=-20))
    apply("complete", Complete(target=Target(text="写周报")), scope(mei), key="test:complete:1")

    lately = agenda.listing(mei, Query(status="done", start=soon(days=-1), end=soon(days=1)))
    before = agenda.listing(mei, Query(status="done", start=soon(days=-30), end=soon(days=-10)))

    assert (lately.total, before.total) == (1, 0)

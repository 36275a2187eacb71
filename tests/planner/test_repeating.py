"""Operations on tasks that repeat: one turn done, skipped, moved or put off leaves the rest alone; undo takes each back."""

from datetime import datetime, timedelta

import pytest

from planner import nearby, series
from planner.actions import Complete, Create, Delete, Query, Reopen, Snooze, Target, Undo, Update
from planner.models import Reminder, Task
from planner.operations import Outcome, Unclear, apply
from tests.builders import scope, soon

pytestmark = pytest.mark.django_db(transaction=True)
SUMMARY = "吃药"


def do(who, op, params, key: str = "") -> Outcome | Unclear:
    do.n = getattr(do, "n", 0) + 1
    return apply(op, params, scope(who), key=key or f"test:repeating:{do.n}")


def daily(who, hours: float = 1, rrule: str = "FREQ=DAILY", **more) -> Task:
    made = do(who, "create", Create(title=SUMMARY, start=soon(hours=hours), repeat="每天", rrule=rrule, **more))
    return Task.objects.get(pk=made.result["task"]["id"])


def turns(task: Task, n: int = 3) -> list[datetime]:
    task.refresh_from_db()
    found = series.turns(task, task.follower.zone, since=task.start)
    return [next(found) for _ in range(n)]


def pending(task: Task) -> list[datetime]:
    return list(task.reminders.filter(status=Reminder.PENDING).order_by("due_at").values_list("due_at", flat=True))


ONE = Target(text=SUMMARY, series=False)
ALL = Target(text=SUMMARY, series=True)


def test_a_series_is_stored_in_normal_form_and_its_first_turns_are_armed(mei):
    task = daily(mei, remind=["提前10分钟", "提前一小时"])

    assert task.rrule.startswith("FREQ=DAILY;BYHOUR=")
    assert task.leads == [60, 10]
    assert task.start - timedelta(minutes=10) in pending(task)


def test_completing_a_turn_plans_the_next_and_keeps_the_one_that_is_done(mei):
    task = daily(mei)
    first, second, third = turns(task)

    made = do(mei, "complete", Complete(target=ONE))

    done = Task.objects.get(status=Task.DONE)
    assert (done.title, done.turn_at, done.series_id) == (SUMMARY, first, task.pk)
    assert turns(task, 2) == [second, third]
    assert pending(task) == [second]
    assert "下一次" in made.summary


def test_undo_of_a_completed_turn_brings_it_back_to_ring(mei):
    task = daily(mei)
    first, *_ = turns(task)
    do(mei, "complete", Complete(target=ONE))

    do(mei, "undo", Undo())

    assert turns(task, 1) == [first]
    assert pending(task) == [first]
    assert not Task.objects.filter(status=Task.DONE).exists()


def test_a_skipped_turn_of_next_week_leaves_those_before_it(mei):
    task = daily(mei)
    first, second, third = turns(task)

    made = do(mei, "delete", Delete(target=Target(text=SUMMARY, start=second, end=second + timedelta(hours=1))))

    assert turns(task, 2) == [first, third]
    assert "取消了这一次" in made.summary
    do(mei, "undo", Undo())
    assert turns(task) == [first, second, third]


def test_a_moved_turn_is_a_task_of_its_own_and_undo_puts_it_back(mei):
    task = daily(mei, remind=["提前10分钟"])
    first, second, third = turns(task)
    target = Target(text=SUMMARY, start=second, end=second + timedelta(hours=1))

    made = do(mei, "update", Update.model_validate({"target": target, "changes": {"start": second + timedelta(hours=3)}}))

    moved = Task.objects.get(series=task)
    assert (moved.start, moved.leads, moved.rrule) == (second + timedelta(hours=3), [10], "")
    assert pending(moved) == [second + timedelta(hours=3) - timedelta(minutes=10)]
    assert turns(task, 2) == [first, third]
    assert "以后的不变" in made.summary
    do(mei, "undo", Undo())
    assert turns(task) == [first, second, third]
    assert pending(Task.objects.get(pk=moved.pk)) == []


def test_deleting_without_saying_which_asks_for_this_turn_or_all(mei):
    task = daily(mei)

    asked = do(mei, "delete", Delete(target=Target(text=SUMMARY)))

    assert isinstance(asked, Unclear)
    assert ["只这一次" in asked.options[0], "以后每次" in asked.options[1]] == [True, True]
    assert [value["series"] for value in asked.data["tasks"]] == [False, True]
    assert Task.objects.get(pk=task.pk).status == Task.OPEN


def test_deleting_the_series_takes_its_moved_turns_along_and_undo_brings_all_back(mei):
    task = daily(mei)
    _, second, _ = turns(task)
    target = Target(text=SUMMARY, start=second, end=second + timedelta(hours=1))
    do(mei, "update", Update.model_validate({"target": target, "changes": {"start": second + timedelta(hours=3)}}))

    do(mei, "delete", Delete(target=Target(chosen=task.pk, series=True)))

    assert not Task.objects.filter(status=Task.OPEN).exists()
    assert not Reminder.objects.filter(status=Reminder.PENDING).exists()
    do(mei, "undo", Undo())
    assert Task.objects.filter(status=Task.OPEN).count() == 2


def test_a_new_clock_for_all_keeps_the_days_and_what_was_skipped(mei):
    noon = (datetime.now(mei.zone) + timedelta(days=1)).replace(hour=12, minute=0, second=0, microsecond=0)
    made = do(mei, "create", Create(title=SUMMARY, start=noon, repeat="每天", rrule="FREQ=DAILY"))
    task = Task.objects.get(pk=made.result["task"]["id"])
    first, second, third = turns(task)
    do(mei, "delete", Delete(target=Target(text=SUMMARY, start=second, end=second + timedelta(hours=1))))

    changes = {"start": first + timedelta(hours=2), "keep_day": True}
    made = do(mei, "update", Update.model_validate({"target": ALL, "changes": changes}))

    two = timedelta(hours=2)
    assert turns(task, 2) == [first + two, third + two]
    assert pending(task) == [first + two]
    assert "每天" in made.summary


def test_a_new_clock_without_a_day_may_be_for_one_turn_or_all_and_is_asked_about(mei):
    daily(mei)

    changes = {"start": soon(hours=3), "keep_day": True}
    asked = do(mei, "update", Update.model_validate({"target": Target(text=SUMMARY), "changes": changes}))

    assert isinstance(asked, Unclear)


def test_a_new_name_is_the_whole_series_and_rings_go_on(mei):
    task = daily(mei)
    before = pending(task)

    do(mei, "update", Update.model_validate({"target": Target(text=SUMMARY), "changes": {"title": "吃维生素"}}))

    task.refresh_from_db()
    assert (task.title, pending(task)) == ("吃维生素", before)


def test_a_weekly_series_is_moved_on_by_days_of_the_week(mei):
    task = daily(mei, hours=24, rrule="FREQ=WEEKLY")
    first, *_ = turns(task)

    do(mei, "update", Update.model_validate({"target": ALL, "changes": {"shift_seconds": 86400}}))

    assert turns(task, 1) == [first + timedelta(days=1)]


@pytest.mark.parametrize("rule", ["", "FREQ=WEEKLY"])
def test_a_shift_beyond_the_calendar_is_refused_and_changes_nothing(mei, rule):
    task = daily(mei, hours=24, rrule=rule)
    before = task.start

    told = do(mei, "update", Update.model_validate({"target": ALL, "changes": {"shift_seconds": 9000 * 365 * 86400}}))

    task.refresh_from_db()
    assert (told.status, task.start) == ("REFUSED", before)
    assert "日历上没有" in told.summary


def test_another_rhythm_replaces_the_rule(mei):
    task = daily(mei)

    changes = {"start": soon(days=1), "rrule": "FREQ=WEEKLY", "repeat": "每周"}
    do(mei, "update", Update.model_validate({"target": Target(text=SUMMARY), "changes": changes}))

    task.refresh_from_db()
    assert task.rrule.startswith("FREQ=WEEKLY;BYDAY=")


def test_putting_off_one_turn_changes_nothing_else_and_can_be_undone(mei):
    task = daily(mei)
    before, rings = turns(task), pending(task)

    do(mei, "snooze", Snooze(target=Target(text=SUMMARY), at=soon(minutes=10)))

    assert (len(pending(task)), turns(task)) == (len(rings) + 1, before)
    do(mei, "undo", Undo())
    assert pending(task) == rings


def test_the_last_turn_ends_the_series(mei):
    task = daily(mei, rrule="FREQ=DAILY;COUNT=2")

    do(mei, "complete", Complete(target=ONE))
    made = do(mei, "complete", Complete(target=ONE))

    task.refresh_from_db()
    assert task.status == Task.DONE
    assert "下一次" not in made.summary
    do(mei, "undo", Undo())
    assert Task.objects.get(pk=task.pk).status == Task.OPEN


def test_a_turn_that_is_done_can_be_opened_again(mei):
    daily(mei)
    do(mei, "complete", Complete(target=ONE))

    do(mei, "reopen", Reopen(target=Target(text=SUMMARY)))

    assert Task.objects.filter(status=Task.OPEN, series__isnull=False).count() == 1


def test_work_days_in_words_become_the_published_calendar(mei):
    made = do(
        mei,
        "create",
        Create(title="打卡", start=soon(days=1), repeat="每个工作日", rrule="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    )

    assert Task.objects.get().rrule.endswith("X-WORKDAYS=CN")
    assert "按调休" in made.summary


def test_a_moment_named_for_the_first_turn_moves_with_each(mei):
    start = soon(hours=5)

    task = daily(mei, hours=5, remind_at=[start - timedelta(hours=2)])

    assert task.leads == [120]


@pytest.mark.parametrize("rrule", ["FREQ=SECONDLY;INTERVAL=10", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=DAILY;UNTIL=20200101"])
def test_a_rule_that_cannot_be_is_refused_and_nothing_is_kept(mei, rrule):
    made = do(mei, "create", Create(title="报时", start=soon(hours=1), repeat="每10秒", rrule=rrule))

    assert (made.status, Task.objects.count(), Reminder.objects.count()) == ("REFUSED", 0, 0)
    assert "记下" not in made.summary
    assert "每10分钟" in made.summary


def test_the_same_operation_again_changes_nothing(mei):
    task = daily(mei)
    _, second, third = turns(task)

    for _ in range(2):
        do(mei, "complete", Complete(target=ONE), key="test:twice")

    assert turns(task, 2) == [second, third]
    assert Task.objects.filter(status=Task.DONE).count() == 1


def test_lists_show_each_turn_of_the_range_and_a_number_means_that_turn(mei):
    task = daily(mei)
    first, second, third = turns(task)
    listed = do(mei, "query", Query(range="三天", start=first, end=third + timedelta(hours=1)))

    assert [entry["turn"] for entry in listed.result["tasks"]] == [turn.isoformat() for turn in (first, second, third)]
    do(mei, "delete", Delete(target=Target(position=2)))
    assert turns(task, 2) == [first, third]


def test_a_list_of_everything_shows_a_series_once_as_it_reads(mei):
    daily(mei)

    listed = do(mei, "query", Query())

    assert listed.result["total"] == 1
    assert "每天" in listed.summary


def test_what_comes_too_often_for_the_range_stands_there_once(mei):
    daily(mei)

    listed = do(mei, "query", Query(range="这个月", start=soon(), end=soon(days=30)))

    assert listed.result["total"] == 1


def test_overdue_is_the_last_turn_that_has_begun_and_not_all_before_it(mei, clock):
    daily(mei)
    clock.forward(days=3, hours=2)

    listed = do(mei, "query", Query(status="overdue"))

    assert listed.result["total"] == 1


def test_what_lies_between_two_moments_counts_turns_and_single_tasks_alike(mei):
    task = daily(mei)
    first, second, _ = turns(task)
    do(mei, "create", Create(title="开会", start=first + timedelta(hours=1), end=first + timedelta(hours=3)))

    found = nearby.occupied(mei, first, second + timedelta(hours=1))

    assert [(shown.title, shown.start) for shown in found] == [
        (SUMMARY, first), ("开会", first + timedelta(hours=1)), (SUMMARY, second)
    ]  # fmt: skip


def test_pages_hold_single_tasks_and_turns_together(mei):
    daily(mei)
    for n in range(22):
        do(mei, "create", Create(title=f"第{n}件", start=soon(days=2, minutes=n)))

    first, second = (do(mei, "query", Query(page=page)).result for page in (1, 2))

    assert [(len(page["tasks"]), page["total"]) for page in (first, second)] == [(20, 23), (3, 23)]

"""Series ring turn by turn: every occurrence once, the next one armed with the last, whatever was missed or killed."""

from datetime import timedelta

import pytest

from planner.actions import Complete, Delete, Set, Snooze, Target, Undo, Update
from planner.models import Reminder, Task
from planner.operations import apply
from reminders.scan import scan_next
from tests.builders import planned, scope, soon
from tests.races.test_leases import together
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def scan_all() -> int:
    return sum(iter(scan_next, 0))


def daily(who, title="吃药", **more) -> Task:
    return planned(who, title, soon(hours=1), repeat="每天", rrule="FREQ=DAILY", **more)


def texts() -> list[str]:
    return list(OutboundMessage.objects.filter(purpose="reminder").order_by("id").values_list("text", flat=True))


def pending() -> list[Reminder]:
    return list(Reminder.objects.filter(status=Reminder.PENDING).order_by("due_at"))


def test_each_day_rings_once_and_arms_the_next(mei, clock):
    task = daily(mei)

    for _ in range(3):
        clock.forward(days=1)
        assert scan_all() == 1
        assert scan_all() == 0

    assert len(texts()) == 3
    assert [ring.turn - task.start for ring in pending()] == [timedelta(days=3)]


def test_several_leads_of_each_turn_all_ring(mei, clock):
    task = planned(mei, "吃药", soon(hours=30), repeat="每天", rrule="FREQ=DAILY", remind=["提前一天", "提前一小时", "提前10分钟"])

    for _ in range(4 * 24):
        clock.forward(hours=1, seconds=1)
        scan_all()

    rung = Reminder.objects.filter(status=Reminder.SENT)
    told = {(ring.turn - task.start).days: 0 for ring in rung}
    for ring in rung:
        told[(ring.turn - task.start).days] += 1
    assert told == {0: 3, 1: 3, 2: 3, 3: 1}


def test_where_two_turns_would_ring_at_one_moment_the_earlier_one_does(mei, clock):
    task = planned(mei, "吃药", soon(hours=30), repeat="每天", rrule="FREQ=DAILY", remind=["提前一天", "准时"])
    clock.forward(hours=31)

    scan_all()

    assert Reminder.objects.filter(status=Reminder.SENT).latest("due_at").turn == task.start
    assert len(texts()) == 1


def test_turns_missed_in_a_downtime_become_one_late_reminder_that_counts_them(mei, clock):
    daily(mei)
    clock.forward(days=3, hours=2)

    scan_all()

    (text,) = texts()
    assert "迟到的提醒" in text
    assert "错过了 3 次" in text
    assert len(pending()) == 1


def test_two_scanners_hand_over_each_turn_once_and_arm_the_next_once(mei, bo, clock):
    for who in (mei, bo):
        for n in range(4):
            daily(who, f"第{n}件")
    clock.forward(hours=2)

    handed = together(scan_all, threads=3)

    assert sum(handed) == 8
    assert (len(texts()), len(pending())) == (8, 8)


def test_a_clock_that_jumps_back_rings_nothing_again(mei, clock):
    daily(mei)
    clock.forward(hours=2)
    scan_all()

    clock.forward(hours=-3)
    scan_all()
    clock.forward(hours=3)

    assert scan_all() == 0
    assert len(texts()) == 1


def test_a_turn_done_between_scan_and_send_is_not_sent_and_the_series_goes_on(mei, clock, wechat):
    daily(mei)
    clock.forward(hours=2)
    scan_all()
    apply("complete", Complete(target=Target(text="吃药")), scope(mei), key="test:done")

    deliver_next(wechat.client())

    row = OutboundMessage.objects.get(purpose="reminder")
    assert row.status == OutboundMessage.CANCELLED
    assert "已完成" in row.last_error
    clock.forward(days=1)
    assert scan_all() == 1


@pytest.mark.parametrize(
    ("op", "params"),
    [
        ("delete", Delete(target=Target(text="开会"))),
        ("update", Update.model_validate({"target": {"text": "开会"}, "changes": {"start": soon(days=2).isoformat()}})),
        ("complete", Complete(target=Target(text="开会"))),
    ],
    ids=["deleted", "moved", "done"],
)
def test_what_is_no_longer_wanted_after_the_scan_is_cancelled_with_a_reason(mei, clock, wechat, op, params):
    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    apply(op, params, scope(mei), key=f"test:{op}")

    deliver_next(wechat.client())

    row = OutboundMessage.objects.get(purpose="reminder")
    assert (row.status, bool(row.last_error)) == (OutboundMessage.CANCELLED, True)
    assert wechat.received(mei.openid) == []


def test_a_new_name_between_scan_and_send_loses_no_reminder(mei, clock, wechat):
    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    changes = {"target": {"text": "开会"}, "changes": {"title": "和客户开会"}}
    apply("update", Update.model_validate(changes), scope(mei), key="test:renamed")

    deliver_next(wechat.client())

    assert len(wechat.received(mei.openid)) == 1


def test_done_right_after_a_reminder_means_the_turn_that_rang(mei, clock):
    other = planned(mei, "写周报", soon(hours=30))
    task = daily(mei)
    clock.forward(hours=2)
    scan_all()

    apply("complete", Complete(target=Target()), scope(mei), key="test:done")

    other.refresh_from_db()
    assert other.status == Task.OPEN
    assert Task.objects.get(status=Task.DONE).turn_at == task.start


def test_a_late_reminder_is_what_done_means_however_old_its_hour(mei, clock):
    daily(mei)
    planned(mei, "写周报", soon(hours=100))
    clock.forward(hours=9)
    scan_all()

    made = apply("complete", Complete(target=Target()), scope(mei), key="test:done")

    assert "吃药" in made.summary


def test_a_turn_that_was_put_off_rings_again_for_itself_alone(mei, clock):
    daily(mei)
    clock.forward(hours=2)
    scan_all()
    apply("snooze", Snooze(target=Target(), at=soon(hours=2, minutes=10)), scope(mei), key="test:later")

    clock.forward(minutes=11)

    assert scan_all() == 1
    assert len(texts()) == 2
    apply("complete", Complete(target=Target()), scope(mei), key="test:done")
    assert Task.objects.filter(status=Task.DONE).count() == 1


def test_a_skipped_turn_does_not_ring(mei, clock):
    task = daily(mei)
    second = task.start + timedelta(days=1)
    day = Target(text="吃药", start=second, end=second + timedelta(hours=1))
    apply("delete", Delete(target=day), scope(mei), key="test:skip")

    clock.forward(hours=2)
    scan_all()
    clock.forward(days=1)

    assert scan_all() == 0
    clock.forward(days=1)
    assert scan_all() == 1


def test_undo_of_a_deleted_series_rings_again(mei, clock):
    daily(mei)
    apply("delete", Delete(target=Target(text="吃药", series=True)), scope(mei), key="test:gone")
    apply("undo", Undo(), scope(mei), key="test:undo")
    clock.forward(hours=2)

    assert scan_all() == 1


def test_who_left_and_comes_back_still_has_the_series(mei, clock):
    daily(mei)
    mei.unfollowed_at = soon()
    mei.save()
    clock.forward(hours=2)
    scan_all()

    mei.unfollowed_at = None
    mei.save()
    clock.forward(days=1)

    assert texts() == []
    assert scan_all() == 1


def test_another_zone_keeps_the_wall_clock_of_what_is_planned_and_of_what_rings(mei, clock):
    task = daily(mei, remind=["提前10分钟"])
    single = planned(mei, "开会", soon(days=2))
    clocks = [moment.astimezone(mei.zone).time() for moment in (task.start, single.start)]

    apply("set", Set.model_validate({"changes": {"timezone": "America/New_York"}}), scope(mei), key="test:zone")

    mei.refresh_from_db()
    task.refresh_from_db()
    single.refresh_from_db()
    assert [moment.astimezone(mei.zone).time() for moment in (task.start, single.start)] == clocks
    assert {ring.due_at for ring in pending()} >= {task.start - timedelta(minutes=10), single.start}
    assert len(pending()) == 2


def test_undo_of_another_zone_puts_everything_back(mei):
    task = daily(mei)
    before = [(ring.due_at, ring.turn) for ring in pending()]

    apply("set", Set.model_validate({"changes": {"timezone": "America/New_York"}}), scope(mei), key="test:zone")
    apply("undo", Undo(), scope(mei), key="test:undo")

    assert [(ring.due_at, ring.turn) for ring in pending()] == before
    assert Task.objects.get(pk=task.pk).start == task.start


def test_a_moment_that_a_new_zone_puts_into_the_past_rings_at_once_and_says_it_is_late(bo, clock):
    planned(bo, "开会", soon(hours=2))

    apply("set", Set.model_validate({"changes": {"timezone": "Asia/Shanghai"}}), scope(bo), key="test:zone")

    assert scan_all() == 1
    assert "迟到" in texts()[0]

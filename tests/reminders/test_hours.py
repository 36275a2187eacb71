"""Quiet hours, nagging, and the digest: the follower's settings as they act."""

from datetime import UTC, datetime, timedelta

import pytest

from planner.actions import Complete, Set, Target
from planner.clock import app_now
from planner.models import Follower, Reminder, Task
from planner.operations import apply
from planner.quiet import end_of_quiet
from planner.reminding import moments, next_digest
from reminders.digest import digest_next
from reminders.scan import scan_next
from tests.builders import planned, scope, soon
from webhook.models import OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def prefer(who, **changes) -> None:
    made = apply("set", Set.model_validate({"changes": changes}), scope(who), key=f"test:set:{sorted(changes.items())}")
    assert made.status == "SUCCEEDED"


def scan_all() -> int:
    return sum(iter(scan_next, 0))


def local(text: str, who: Follower) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=who.zone)


QUIET = {
    "22:00-07:00": {"21:59": None, "22:00": "2T07:00", "23:30": "2T07:00", "06:59": "1T07:00", "07:00": None},
    "12:00-14:00": {"11:59": None, "12:30": "1T14:00", "14:00": None},
    "07:00-07:00": {"07:00": None},
    "off": {"03:00": None},
}


@pytest.mark.parametrize(("span", "clock", "end"), [(s, c, e) for s, told in QUIET.items() for c, e in told.items()])
def test_the_end_of_quiet_hours(span, clock, end):
    who = Follower(timezone="Asia/Shanghai", preferences={"quiet_hours": span})

    found = end_of_quiet(local(f"2026-12-01T{clock}", who), who)

    assert found == (local(f"2026-12-0{end}", who) if end else None)


DEFERRED = {
    "a lead at night waits for the morning": ("2026-12-02T08:30", 120, "2026-12-02T07:00"),
    "the evening before, after ten": ("2026-12-02T22:30", 1440, "2026-12-02T07:00"),
    "what starts at night rings at night": ("2026-12-02T04:00", 0, "2026-12-02T04:00"),
    "and its lead as well": ("2026-12-02T04:00", 60, "2026-12-02T03:00"),
    "outside nothing moves": ("2026-12-02T15:00", 10, "2026-12-02T14:50"),
}


@pytest.mark.parametrize(("start", "lead", "rings"), DEFERRED.values(), ids=list(DEFERRED))
def test_a_reminder_in_quiet_hours_is_put_off_unless_the_task_itself_is_there(start, lead, rings):
    who = Follower(timezone="Asia/Shanghai", preferences={"quiet_hours": "22:00-07:00"})

    assert moments(Task(leads=[lead]), local(start, who), who) == [local(rings, who)]


def test_new_quiet_hours_move_what_is_waiting_and_taking_them_away_moves_it_back(mei):
    planned(mei, "开会", soon(hours=30), remind=["提前10分钟"])
    (before,) = Reminder.objects.filter(status=Reminder.PENDING).values_list("due_at", flat=True)
    hour = (before - timedelta(minutes=30)).astimezone(mei.zone)
    until = (before + timedelta(minutes=8)).astimezone(mei.zone)

    prefer(mei, quiet_hours=f"{hour:%H:%M}-{until:%H:%M}")
    quiet = Reminder.objects.get(status=Reminder.PENDING).due_at
    prefer(mei, quiet_hours="off")

    assert quiet == until.replace(second=0)
    assert Reminder.objects.get(status=Reminder.PENDING).due_at == before


def test_nobody_is_nagged_who_did_not_ask_for_it(mei, clock):
    planned(mei, "交报告", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    clock.forward(days=2)

    assert scan_all() == 0


def test_nagging_goes_on_at_growing_distances_until_done(mei, clock):
    prefer(mei, nag=True)
    planned(mei, "交报告", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()

    for minutes in (31, 61):
        clock.forward(minutes=minutes)
        assert scan_all() == 1
    apply("complete", Complete(target=Target()), scope(mei), key="test:done")
    clock.forward(days=3)

    assert scan_all() == 0
    assert "还没完成吧" in OutboundMessage.objects.order_by("-id").first().text


def test_nagging_has_an_end(mei, clock):
    prefer(mei, nag=True)
    planned(mei, "交报告", soon(minutes=5))

    for _ in range(30):
        clock.forward(days=1)
        scan_all()

    assert OutboundMessage.objects.filter(purpose="reminder").count() == 1 + 4 + 7


def test_nagging_waits_for_the_last_lead_and_for_the_start(mei, clock):
    prefer(mei, nag=True)
    planned(mei, "开会", soon(hours=2), remind=["提前一小时", "提前10分钟"])
    clock.forward(minutes=61)
    scan_all()

    assert not Reminder.objects.filter(kind=Reminder.NAG).exists()
    clock.forward(minutes=50)
    scan_all()
    nag = Reminder.objects.get(kind=Reminder.NAG)
    assert nag.due_at >= Task.objects.get().start + timedelta(minutes=29)


def test_a_nag_that_is_switched_off_stays_silent(mei, clock):
    prefer(mei, nag=True)
    planned(mei, "交报告", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    prefer(mei, nag=False)
    clock.forward(hours=1)

    scan_all()

    assert OutboundMessage.objects.count() == 1
    assert Reminder.objects.get(kind=Reminder.NAG).reason == "nag off"


def wanting_digest(who) -> Follower:
    """Due in a minute."""
    prefer(who, digest_time="08:00")
    Follower.objects.filter(pk=who.pk).update(digest_at=app_now() + timedelta(minutes=1))
    return who


def digests() -> list[OutboundMessage]:
    return list(OutboundMessage.objects.filter(purpose="digest"))


def test_the_next_digest_is_at_the_followers_hour_in_his_zone(bo):
    bo.preferences = {"digest_time": "08:00"}

    found = next_digest(bo, datetime(2026, 12, 1, 14, 0, tzinfo=UTC))

    assert found == datetime(2026, 12, 2, 13, 0, tzinfo=UTC)


def test_a_digest_names_today_and_what_is_overdue_once(mei, clock):
    today = app_now().astimezone(mei.zone).replace(hour=23, minute=50, second=0, microsecond=0)
    Task.objects.create(follower=mei, title="开会", start=today)
    Task.objects.create(follower=mei, title="交房租", start=today - timedelta(days=2))
    wanting_digest(mei)
    clock.forward(minutes=2)

    assert digest_next()
    assert not digest_next()

    (row,) = digests()
    assert row.key.startswith(f"digest:{mei.pk}:")
    assert "23:50 开会" in row.text
    assert "还没完成的 1 件" in row.text
    assert "交房租" in row.text


def test_an_empty_day_sends_no_digest_and_the_next_is_planned(mei, clock):
    wanting_digest(mei)
    clock.forward(minutes=2)

    assert digest_next()

    mei.refresh_from_db()
    assert digests() == []
    assert mei.digest_at > app_now()


def test_a_day_has_one_digest_even_when_its_hour_is_moved_meanwhile(mei, clock):
    Task.objects.create(follower=mei, title="交房租", start=soon(days=-1))
    for _ in range(2):
        wanting_digest(mei)
        clock.forward(minutes=2)
        digest_next()

    assert len(digests()) == 1


def test_days_missed_in_a_downtime_are_not_made_up_for(mei, clock):
    Task.objects.create(follower=mei, title="交房租", start=soon(days=-1))
    wanting_digest(mei)
    clock.forward(days=4)

    while digest_next():
        continue

    assert len(digests()) == 1


def test_a_late_digest_waits_for_the_end_of_quiet_hours(mei, clock):
    Task.objects.create(follower=mei, title="交房租", start=soon(days=-1))
    wanting_digest(mei)
    clock.forward(hours=2)
    now = app_now().astimezone(mei.zone)
    prefer(mei, quiet_hours=f"{now - timedelta(hours=1):%H:%M}-{now + timedelta(hours=1):%H:%M}")
    Follower.objects.filter(pk=mei.pk).update(digest_at=now - timedelta(hours=1))

    digest_next()

    mei.refresh_from_db()
    assert digests() == []
    assert now < mei.digest_at < now + timedelta(hours=2)


def test_no_digest_for_who_did_not_ask_or_has_left(mei, chen, clock):
    Task.objects.create(follower=mei, title="交房租", start=soon(days=-1))
    Task.objects.create(follower=chen, title="交房租", start=soon(days=-1))
    wanting_digest(chen)
    clock.forward(days=1)

    while digest_next():
        continue

    assert digests() == []


def test_switching_the_digest_off_ends_it(mei):
    wanting_digest(mei)

    prefer(mei, digest_time="off")

    mei.refresh_from_db()
    assert mei.digest_at is None

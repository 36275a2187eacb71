"""Turns as instants in the follower's zone: clock changes, what was left out, and which turn «it» is."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from planner import series
from planner.models import Task

SHANGHAI, BERLIN, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")


def task(rule: str, start: datetime, **more) -> Task:
    return Task(rrule=rule, start=start, **more)


def local(task: Task, zone: ZoneInfo, n: int, since: datetime | None = None) -> list[str]:
    found = islice(series.turns(task, zone, since=since or task.start), n)
    return [f"{turn.astimezone(zone):%m-%d %H:%M}" for turn in found]


DAILY = "FREQ=DAILY;BYHOUR={};BYMINUTE={}"
CLOCK_CHANGES = {
    "autumn in Berlin": (BERLIN, (21, 0), datetime(2026, 10, 23), ["10-23", "10-24", "10-25", "10-26"], "21:00"),
    "spring in Berlin": (BERLIN, (21, 0), datetime(2026, 3, 27), ["03-27", "03-28", "03-29", "03-30"], "21:00"),
    "spring in New York": (NEW_YORK, (9, 30), datetime(2026, 3, 6), ["03-06", "03-07", "03-08", "03-09"], "09:30"),
}


@pytest.mark.parametrize(("zone", "clock", "day", "days", "shown"), CLOCK_CHANGES.values(), ids=list(CLOCK_CHANGES))
def test_the_wall_clock_is_kept_over_a_clock_change(zone, clock, day, days, shown):
    found = task(DAILY.format(*clock), day.replace(hour=clock[0], minute=clock[1], tzinfo=zone))

    assert local(found, zone, 4) == [f"{day} {shown}" for day in days]


def test_an_hour_that_does_not_exist_is_moved_by_the_change_and_comes_back_after_it():
    nightly = task(DAILY.format(2, 30), datetime(2026, 3, 7, 2, 30, tzinfo=NEW_YORK))

    assert local(nightly, NEW_YORK, 3) == ["03-07 02:30", "03-08 03:30", "03-09 02:30"]
    second = next(series.turns(nightly, NEW_YORK, since=datetime(2026, 3, 8, tzinfo=NEW_YORK)))
    nightly.start = second
    assert local(nightly, NEW_YORK, 2) == ["03-08 03:30", "03-09 02:30"]


def test_an_hour_that_comes_twice_counts_once():
    nightly = task(DAILY.format(2, 30), datetime(2026, 10, 24, 2, 30, tzinfo=BERLIN))

    found = list(islice(series.turns(nightly, BERLIN, since=nightly.start), 3))

    assert [turn - before for before, turn in zip(found, found[1:], strict=False)] == [
        timedelta(hours=24), timedelta(hours=25)
    ]  # fmt: skip


def test_hourly_turns_never_fall_together_when_the_clock_springs():
    found = task("FREQ=HOURLY", datetime(2026, 3, 8, 0, 0, tzinfo=NEW_YORK))

    turns = list(islice(series.turns(found, NEW_YORK, since=found.start), 8))

    assert len(set(turns)) == 8
    assert turns == sorted(turns)


def test_what_was_left_out_does_not_come():
    start = datetime(2026, 12, 1, 9, tzinfo=SHANGHAI)
    left_out = (start + timedelta(days=1)).astimezone(UTC).isoformat()

    assert local(task(DAILY.format(9, 0), start, exdates=[left_out]), SHANGHAI, 2) == ["12-01 09:00", "12-03 09:00"]


NOW = datetime(2026, 12, 3, 10, tzinfo=SHANGHAI)
CURRENT = {
    "begun today": (datetime(2026, 12, 1, 9, tzinfo=SHANGHAI), DAILY.format(9, 0), "12-03 09:00"),
    "still to come": (datetime(2026, 12, 3, 21, tzinfo=SHANGHAI), DAILY.format(21, 0), "12-03 21:00"),
    "last night's is not done": (datetime(2026, 12, 1, 21, tzinfo=SHANGHAI), DAILY.format(21, 0), "12-02 21:00"),
    "years behind": (datetime(2020, 1, 1, 9, tzinfo=SHANGHAI), DAILY.format(9, 0), "12-03 09:00"),
    "yearly": (
        datetime(2020, 12, 1, 9, tzinfo=SHANGHAI), "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=1;BYHOUR=9", "12-01 09:00"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("start", "rule", "shown"), CURRENT.values(), ids=list(CURRENT))
def test_the_current_turn_is_the_last_that_has_begun_else_the_next(start, rule, shown):
    turn = series.current(task(rule, start), SHANGHAI, NOW)

    assert turn
    assert f"{turn.astimezone(SHANGHAI):%m-%d %H:%M}" == shown


def test_a_series_that_is_over_has_no_next_turn():
    over = task("FREQ=DAILY;BYHOUR=9;UNTIL=20261202T090000", datetime(2026, 12, 2, 9, tzinfo=SHANGHAI))

    assert series.following(over, SHANGHAI, over.start) is None


def test_a_look_at_a_turn_keeps_the_length_and_leaves_the_row_alone():
    start = datetime(2026, 12, 1, 9, tzinfo=SHANGHAI)
    row = task(DAILY.format(9, 0), start, end=start + timedelta(hours=2))

    shown = series.at(row, start + timedelta(days=2), SHANGHAI)

    assert shown.end - shown.start == timedelta(hours=2)
    assert (row.start, row.turn, shown.row) == (start, None, row)

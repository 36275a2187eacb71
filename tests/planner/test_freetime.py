"""The hours without anything planned, by day."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.freetime import days, window

ZONE = ZoneInfo("Asia/Shanghai")


@dataclass(frozen=True)
class Planned:
    title: str
    start: datetime | None
    end: datetime | None = None
    all_day: bool = False


def at(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, tzinfo=ZONE)


def gaps(first: datetime, last: datetime, *tasks: Planned) -> list[list[str]]:
    found = days(first, last, tasks, ZONE)
    return [[f"{start:%H:%M}-{end:%H:%M}" for start, end in day.gaps] for day in found]


MEETING = Planned("开会", at(12, 15), at(12, 17))
CALL = Planned("电话", at(12, 10))


def test_a_day_is_free_around_what_is_planned():
    assert gaps(at(12), at(13), MEETING, CALL) == [["08:00-10:00", "11:00-15:00", "17:00-22:00"]]


def test_a_part_of_a_day_counts_as_it_was_asked():
    assert gaps(at(12, 18), at(13, 0), MEETING) == [["18:00-00:00"]]


def test_overlapping_tasks_take_their_time_once():
    assert gaps(at(12, 14), at(12, 18), MEETING, Planned("面试", at(12, 16), at(12, 17, 40))) == [["14:00-15:00"]]


def test_a_task_of_the_whole_day_leaves_its_hours_free_and_is_named():
    (day,) = days(at(12), at(13), [Planned("交报告", at(12), all_day=True)], ZONE)

    assert (day.whole, [task.title for task in day.taken]) == (True, ["交报告"])


def test_several_days_one_by_one():
    assert gaps(at(12), at(14), MEETING) == [["08:00-15:00", "17:00-22:00"], ["08:00-22:00"]]


WINDOWS = {
    "no time is the coming week": ((None, None), (at(11, 10), at(18, 10))),
    "what is over is left out": ((at(11), at(12)), (at(11, 10), at(12))),
    "two weeks at most": ((at(12), at(31)), (at(12), at(26))),
}


@pytest.mark.parametrize(("asked", "looked_at"), WINDOWS.values(), ids=WINDOWS)
def test_what_is_looked_at(asked, looked_at):
    assert window(*asked, at(11, 10)) == looked_at

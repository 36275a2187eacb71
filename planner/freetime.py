"""The hours without anything planned. Pure: the tasks come in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

MORNING, EVENING = time(8), time(22)
DAYS = 14
A_WEEK = timedelta(days=7)
AN_HOUR = timedelta(hours=1)
WORTH_SAYING = timedelta(minutes=30)


class Taken(Protocol):
    @property
    def title(self) -> str: ...
    @property
    def start(self) -> datetime | None: ...
    @property
    def end(self) -> datetime | None: ...
    @property
    def all_day(self) -> bool: ...


@dataclass(frozen=True)
class Day:
    """`gaps` are the free stretches between `first` and `last`; `whole` when nothing has a clock time in between."""

    day: date
    first: datetime
    last: datetime
    gaps: list[tuple[datetime, datetime]]
    taken: list[Taken]

    @property
    def whole(self) -> bool:
        return self.gaps == [(self.first, self.last)]


def window(start: datetime | None, end: datetime | None, now: datetime) -> tuple[datetime, datetime]:
    """What was asked about, from now on; a week where no time was named. At most two weeks."""
    first = max(start or now, now)
    last = end or (start + timedelta(days=1) if start else now + A_WEEK)
    return first, min(max(last, first), first + timedelta(days=DAYS))


def days(first: datetime, last: datetime, tasks: Sequence[Taken], zone: ZoneInfo) -> list[Day]:
    """By day, from eight to ten; an evening or a night that was asked about counts as it was asked."""
    return [_day(day, begin, end, tasks) for day, begin, end in _spans(first, last, zone)]


def _spans(first: datetime, last: datetime, zone: ZoneInfo) -> Iterator[tuple[date, datetime, datetime]]:
    local, until = first.astimezone(zone), last.astimezone(zone)
    narrow = until - local < timedelta(hours=12)
    for offset in range((until.date() - local.date()).days + 1):
        day = local.date() + timedelta(days=offset)
        dawn, dusk = (time.min, time.max) if narrow else (MORNING, EVENING)
        begin = max(local, datetime.combine(day, dawn, zone))
        end = min(until, datetime.combine(day, dusk, zone) + (timedelta(microseconds=1) if narrow else timedelta()))
        if begin < end:
            yield day, begin, end


def _day(day: date, begin: datetime, end: datetime, tasks: Iterable[Taken]) -> Day:
    taken = [task for task in tasks if task.start is not None and task.start < end and _until(task) > begin]
    gaps, place = [], begin
    for task in sorted((task for task in taken if not task.all_day), key=lambda task: task.start or begin):
        if task.start and task.start - place >= WORTH_SAYING:
            gaps.append((place, task.start))
        place = max(place, _until(task))
    if end - place >= WORTH_SAYING:
        gaps.append((place, end))
    return Day(day, begin, end, gaps, taken)


def _until(task: Taken) -> datetime:
    """Without an end it is taken to last an hour."""
    assert task.start is not None
    return task.end or task.start + (timedelta(days=1) if task.all_day else AN_HOUR)

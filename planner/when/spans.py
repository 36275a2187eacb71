"""Where a range begins and ends."""

from dataclasses import replace
from datetime import datetime, timedelta

from planner.when import clocks
from planner.when.atoms import WAKING, Clock, Day, Now, Part
from planner.when.draft import Draft
from planner.when.model import When
from planner.when.moments import Carry, begin, midnight, moment, rolled

_DAY = timedelta(days=1)
# Of these a range has the whole; from noon or from the morning, and up to them, it goes by their point.
_HALVES = ("上午", "下午", "晚上", "夜间", "白天", "午后")


def tightened(draft: Draft, other: Draft, *, early: bool = False) -> Draft:
    """«9点到18点», «3点到下午5点»: an end with one reading settles which half of the day the start is in. `early`: where
    something repeats in between, the earlier one of the waking day."""
    told, end = draft.clock, other.clock
    if not isinstance(told, Clock) or not isinstance(end, Clock) or draft.part or told.fixed or other.day:
        return draft
    ends = clocks.offsets(end, other.part)
    fitting = [start for start in clocks.offsets(told, None) if start < ends[0]] if len(ends) == 1 else []
    if early:
        fitting = [start for start in fitting if start // 3600 in WAKING][:1] or fitting
    return replace(draft, clock=replace(told, hour=fitting[-1] // 3600, fixed=True)) if fitting else draft


def span(draft: Draft, other: Draft, first: When, now: Now) -> When:
    first = replace(first, loose=None)
    if not draft.timed and not other.timed:
        return _days(draft, other, first, now)
    by_point = first.at and draft.part and not draft.clock and draft.part.name not in _HALVES
    start = first.at if first.at and by_point else begin(first)
    day = other.day or Day(start.date(), named=True)
    if isinstance(other.clock, Clock):
        end = end_clock(other, other.clock, day, start, now, draft.part)
    elif not other.timed and other.day:
        end = midnight(day.last or day.first + _DAY, now)
    else:
        end = _end_part(other, first.words, now, day)
    if isinstance(draft.clock, Clock) and not draft.clock.fixed and not draft.part:
        start = _nearer(start, end)
    return replace(first, kind="span", start=start, end=end, point=None, all_day=False, has_clock=True)


def _end_part(other: Draft, words: str, now: Now, day: Day) -> datetime:
    """A half of the day belongs to the range to its end."""
    told = moment(other, words, now, Carry(day.first))
    whole = other.part is None or other.part.name in _HALVES
    return (told.end if whole else told.at) or begin(told)


def _nearer(start: datetime, end: datetime) -> datetime:
    """«3到下午5点», «11点15分到15点20分»: the half of the day that ends up before the end."""
    earlier = start - timedelta(hours=12)
    if start > end and earlier < end and earlier.date() == start.date():
        return earlier
    return start


def end_clock(other: Draft, told: Clock, day: Day, start: datetime, now: Now, part: Part | None) -> datetime:
    base = midnight(day.first, now)
    times = [base + timedelta(seconds=value) for value in clocks.offsets(told, other.part)]
    times += [time + timedelta(hours=12) for time in times if not other.part and part and part.half == "evening"]
    later = [time for time in times if time > start]
    return later[0] if later else times[0] + _DAY if not other.day else times[-1]


def _days(draft: Draft, other: Draft, first: When, now: Now) -> When:
    last = other.day
    if last is None:
        end = now.ref if other.instant else first.start
        moment = draft.day.moment if draft.day and other.instant else None
        all_day = not moment and not other.instant
        return replace(first, kind="span", start=moment or first.start, end=end, all_day=all_day, has_clock=False)
    end = midnight(last.last or last.first + _DAY, now)
    if end <= begin(first):
        end = midnight(rolled(midnight(last.first, now), last.roll or "week").date() + _DAY, now)
    return replace(first, kind="span", end=end, all_day=True)

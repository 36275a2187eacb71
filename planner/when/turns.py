"""Repeats: the rule, and the first turn."""

from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, timedelta

from planner.when import clocks, lengths, parts, repeats
from planner.when.atoms import Clock, Day, Impossible, Now, Part, Repeat
from planner.when.draft import Draft
from planner.when.model import When
from planner.when.moments import NOTHING, begin, midnight, moment
from planner.when.spans import end_clock, tightened

_DAY = timedelta(days=1)
_SHORT = {"HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}
_WHOLE_DAY = 86400


def recurrence(draft: Draft, repeat: Repeat, words: str, now: Now) -> When:
    since = moment(draft.since, words, now, NOTHING) if draft.since and not draft.since.instant else None
    if since and draft.since:
        now = replace(now, floor=max(now.floor, begin(since).date()))
        draft = draft if draft.timed else replace(draft, clock=draft.since.clock, part=draft.since.part)
    times = _within_day(draft, draft.every, now) if draft.every else _times(draft)
    start = _first(repeat, draft.part, times, now)
    if since and repeat.freq in _SHORT and begin(since) > now.ref:
        start = begin(since)
    last = draft.until.day if draft.until else None
    over = repeats.turn_end(repeat, last, start.date()) if last and not times and not draft.part else None
    end = midnight(over, now) if over else None
    until = _last(repeat, start) or (last.first if last and not over else None)
    rrule = repeats.rule(repeat, times, until)
    if draft.until and isinstance(draft.until.clock, Clock) and times and not draft.every:
        end = end_clock(draft.until, draft.until.clock, Day(start.date()), start, now, draft.part)
    return When(words, "recurrence", start, end, all_day=not times and not draft.part and repeat.freq not in _SHORT,
                rrule=rrule, certain=repeat.certain, has_clock=bool(times), has_day=True)


def window(draft: Draft, until: Draft, every: Repeat, words: str, now: Now) -> When:
    """«9点到18点每小时» is daily, said back; of a day that was named, or from now on, it is that one window."""
    if not (draft.day or draft.instant or until.day):
        daily = Repeat("DAILY", certain=False)
        with suppress(Impossible):
            return recurrence(replace(draft, repeat=daily), daily, words, now)
    draft = tightened(draft, until, early=True)
    first = now.ref if draft.instant else begin(moment(draft, words, now, NOTHING))
    end = _over(until, first, now, draft.part)
    if not (draft.day or draft.instant or until.day) and _over(until, first - _DAY, now, draft.part) > now.ref:
        first, end = first - _DAY, _over(until, first - _DAY, now, draft.part)
    step = timedelta(seconds=_SHORT[every.freq] * every.interval)
    start = first if first > now.ref else first + ((now.ref - first) // step + 1) * step
    return When(words, "recurrence", start, rrule=repeats.rule(every, [], end), has_clock=True, has_day=True)


def _over(until: Draft, first: datetime, now: Now, part: Part | None) -> datetime:
    day = until.day or Day(first.date())
    return end_clock(until, until.clock, day, first, now, part) if isinstance(until.clock, Clock) else first


def _last(repeat: Repeat, start: datetime) -> date | datetime | None:
    if not (told := repeat.lasting):
        return repeat.until
    end = lengths.shift(start, told)
    return end if told.by_clock else end.date() - _DAY


def _within_day(draft: Draft, every: Repeat, now: Now) -> list[tuple[int, int]]:
    """«每天九点到六点每小时»: each clock in the window, if hours and minutes of one rule name just these."""
    first = _waking_offset(draft.clock, draft.part) if isinstance(draft.clock, Clock) else 0
    begins = midnight(now.today, now) + timedelta(seconds=first)
    ends = begins
    if draft.until and isinstance(draft.until.clock, Clock):
        ends = end_clock(draft.until, draft.until.clock, Day(now.today), begins, now, draft.part)
    length = int((ends - begins).total_seconds())
    shift = (every.minute * 60 - first) % 3600 if every.minute is not None else 0
    values = [first + step for step in range(shift, length + 1, _SHORT[every.freq] * every.interval)]
    times = [(value // 3600 % 24, value // 60 % 60) for value in values]
    past_midnight = bool(values) and values[-1] >= _WHOLE_DAY and draft.repeat and draft.repeat.freq != "DAILY"
    if past_midnight or len({hour for hour, _ in times}) * len({minute for _, minute in times}) != len(times):
        raise Impossible("一天里的这些时间记不成一条规律")
    return sorted(times)


def _times(draft: Draft) -> list[tuple[int, int]]:
    """Hours and minutes of each turn; «早晚八点» are two."""
    if draft.repeat and draft.repeat.freq in _SHORT:
        return []
    if draft.repeat and draft.repeat.at and not draft.clock:
        return list(draft.repeat.at)
    if not isinstance(draft.clock, Clock):
        return parts.points([draft.part, *(part for _, part in draft.more)])
    said = [(draft.clock, draft.part), *((clock or draft.clock, part) for clock, part in draft.more)]
    seconds = [_waking_offset(clock, part) for clock, part in said]
    return sorted({(value // 3600 % 24, value // 60 % 60) for value in seconds})


def _waking_offset(told: Clock, part: Part | None) -> int:
    offsets = clocks.offsets(told, part)
    return next((value for value in offsets if 7 <= value // 3600 < 23), offsets[0])


def _first(repeat: Repeat, part: Part | None, times: list[tuple[int, int]], now: Now) -> datetime:
    if repeat.freq in _SHORT:
        return _next_step(repeat, now)
    day = repeats.first_day(repeat, now.floor)
    minutes = [hour * 60 + minute for hour, minute in times] or ([part.point] if part else [])
    if not minutes:
        return midnight(day, now)
    while True:
        ahead = [start for value in minutes if (start := midnight(day, now) + timedelta(minutes=value)) > now.ref]
        if ahead:
            return ahead[0]
        day = repeats.first_day(replace(repeat, since=None), day + _DAY)


def _next_step(repeat: Repeat, now: Now) -> datetime:
    if repeat.minute is None:
        return now.ref + timedelta(seconds=_SHORT[repeat.freq] * repeat.interval)
    start = now.ref.replace(minute=repeat.minute, second=0, microsecond=0)
    return start if start > now.ref else start + timedelta(hours=1)

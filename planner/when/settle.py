"""Turns what was read into instants: which of several readings is meant, looking ahead."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from planner.when import clocks, dates, repeats
from planner.when.atoms import Clock, Day, Impossible, Instant, Now, Part, Repeat, Roll, SameClock
from planner.when.grammar import Draft
from planner.when.model import When

_DAY = timedelta(days=1)
_SHORT = {"HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}


@dataclass(frozen=True, slots=True)
class Carry:
    """What earlier expressions of the sentence leave to later ones: their day, and the moment they name."""

    day: date | None = None
    after: datetime | None = None
    part: Part | None = None
    week: bool = False


NOTHING = Carry()


def settle(draft: Draft, words: str, now: Now, carry: Carry = NOTHING) -> When:
    if draft.length:
        return When(words, "duration", seconds=draft.length.total)
    if draft.instant:
        return _from_now(draft, draft.instant, words, now)
    if draft.repeat:
        return _recurrence(draft, draft.repeat, words, now)
    told = _moment(draft, words, now, carry)
    if draft.until:
        told = _span(draft, draft.until, told, now)
    told = _bounded(draft, told) if draft.bound else told
    return told if told.certain else replace(told, others=_others(draft, told, now))


def _others(draft: Draft, told: When, now: Now) -> tuple[datetime, ...]:
    """What else may be meant: the second hour of «七八点», the other half of the day, the same weekday a week later."""
    start = begin(told)
    if draft.day and draft.day.weekday is not None and not (isinstance(draft.clock, Clock) and draft.clock.upto):
        steps = [start + timedelta(days=7)]
    elif isinstance(draft.clock, Clock):
        half = [] if draft.clock.fixed or draft.part else [start + timedelta(hours=12)]
        steps = [start + timedelta(hours=1)] if draft.clock.upto else half or [start + _DAY]
    else:
        steps = []
    return tuple(step for step in steps if step > now.ref)


def midnight(day: date, now: Now) -> datetime:
    return datetime.combine(day, time(), now.ref.tzinfo)


def _from_now(draft: Draft, told: Instant, words: str, now: Now) -> When:
    if told.deadline:
        day = midnight(told.start.date(), now)
        start, end = (day, day + _DAY) if told.all_day else (told.start, told.start)
        return When(words, "deadline", start, end, all_day=told.all_day, has_clock=not told.all_day, has_day=True)
    if told.end:
        return When(words, "span", told.start, told.end, has_day=True)
    if draft.until and draft.until.day:
        return When(words, "span", told.start, midnight(draft.until.day.first, now), has_day=True)
    return When(words, "instant", told.start, has_clock=True, has_day=True)


def _moment(draft: Draft, words: str, now: Now, carry: Carry) -> When:
    if draft.clock:
        return _clock(draft, draft.clock, words, now, carry)
    day = draft.day or (Day(carry.day, named=True) if carry.day else None)
    if draft.part:
        return _part(day, draft.part, words, now, said=draft.day is not None)
    day = day or Day(now.today)
    start, end = midnight(day.first, now), midnight(day.last or day.first + _DAY, now)
    kind = "span" if day.last else "day"
    return When(words, kind, start, end, all_day=True, certain=day.certain, has_day=True)  # type: ignore[arg-type]


def _clock(draft: Draft, told: Clock | SameClock, words: str, now: Now, carry: Carry) -> When:
    day = draft.day
    if isinstance(told, SameClock):
        base = day.first if day else carry.day or now.today
        return When(words, "instant", now.ref.replace(year=base.year, month=base.month, day=base.day),
                    has_clock=True, has_day=day is not None)
    start, certain = _pick(day, told, draft.part, now, carry)
    certain = certain and (day is None or day.certain or start.date() != now.today or day.weekday is None)
    end = start + timedelta(hours=1) if told.upto else None
    return When(words, "span" if end else "instant", start, end, certain=certain and not told.upto,
                has_clock=True, has_day=day is not None)


def _pick(day: Day | None, told: Clock, part: Part | None, now: Now, carry: Carry) -> tuple[datetime, bool]:
    seconds = clocks.offsets(told, part or (carry.part if day is None else None))
    if day is None and carry.day is None and carry.after and part is None:
        told_times = [midnight(carry.after.date(), now) + timedelta(seconds=value) for value in seconds]
        if later := [time for time in told_times if time > carry.after]:
            return later[0], True
    if day is None and carry.day is None:
        return _coming(seconds, now)
    base = midnight(day.first if day else carry.day or now.today, now)
    times = [base + timedelta(seconds=value) for value in seconds]
    if day is None and carry.after:
        return _following(times, carry.after)
    if base.date() == now.today:
        return _today(times, day, now)
    return clocks.waking(times)[0], True


def _coming(seconds: list[int], now: Now) -> tuple[datetime, bool]:
    """The first reading ahead inside the waking day. In doubt when the morning's has just passed."""
    today = midnight(now.today, now)
    times = clocks.waking([today + timedelta(seconds=value) for value in seconds])
    ahead = [time for time in times if time > now.ref]
    if ahead:
        return ahead[0], ahead[0] == times[0]
    yesterday = [today - _DAY + timedelta(seconds=value) for value in seconds if value >= 86400]
    late = [time for time in yesterday if time > now.ref]
    if late:
        return late[0], False
    return times[0] + _DAY, len(times) == 1


def _following(times: list[datetime], after: datetime) -> tuple[datetime, bool]:
    """«四点…，五点…»: the next reading after the one before it in the sentence."""
    later = [time for time in times if time > after]
    return (later[0], True) if later else (clocks.waking(times)[0], False)


def _today(times: list[datetime], day: Day | None, now: Now) -> tuple[datetime, bool]:
    best = clocks.waking(times)
    ahead = [time for time in best if time > now.ref] or [time for time in times if time > now.ref]
    if ahead:
        return ahead[0], True
    if day and day.roll:
        return _rolled(best[0], day.roll), True
    midnight_said = best[0].hour == best[0].minute == 0 and best[0].date() == now.today
    return (best[0] + _DAY, True) if midnight_said else (best[-1], False)


def _rolled(start: datetime, roll: Roll) -> datetime:
    day = start.date()
    if roll == "week":
        later = day + timedelta(days=7)
    elif roll == "month":
        later = dates.coming_monthday(day.day, day + _DAY)
    else:
        later = dates.coming_yearday(day.month, day.day, day + _DAY)
    return start.replace(year=later.year, month=later.month, day=later.day)


def _part(day: Day | None, part: Part, words: str, now: Now, *, said: bool) -> When:
    base = midnight(day.first if day else now.today, now)
    told = _window(base, part, words, said)
    if day is None and (told.end or now.ref) <= now.ref and told.at and told.at <= now.ref:
        told = _window(base + _DAY, part, words, said)
    elif day and day.roll and told.at and max(told.at, told.end or told.at) <= now.ref:
        told = _window(_rolled(base, day.roll), part, words, said)
    return told if day is None or day.certain else replace(told, certain=False)


def _window(base: datetime, part: Part, words: str, said: bool) -> When:
    point, begins, ends = (base + timedelta(minutes=value) for value in (part.point, part.begins, part.ends))
    if part.exact:
        return When(words, "instant", point, has_clock=True, has_day=said)
    if part.name.endswith("前") and part.name != "睡前":
        return When(words, "deadline", point, point, has_day=said, point=point)
    return When(words, "span", begins, ends, has_day=said, point=point)


def begin(told: When) -> datetime:
    if told.start is None:
        raise ValueError(f"no start: {told.words}")
    return told.start


def _span(draft: Draft, other: Draft, first: When, now: Now) -> When:
    start = begin(first)
    if not draft.clock and not draft.part and not other.clock and not other.part:
        return _days(draft, other, first, now)
    day = other.day or Day(start.date(), named=True)
    if isinstance(other.clock, Clock):
        end = _end_clock(other, other.clock, day, start, now, draft.part)
    else:
        end = _moment(other, first.words, now, Carry(day.first)).at or start
    if isinstance(draft.clock, Clock) and not draft.clock.fixed and not draft.part:
        start = _nearer(start, end, first)
    return replace(first, kind="span", start=start, end=end, point=None, all_day=False, has_clock=True)


def _nearer(start: datetime, end: datetime, first: When) -> datetime:
    """«3到下午5点», «11点15分到15点20分»: the half of the day that ends up before the end."""
    earlier = start - timedelta(hours=12)
    if start > end and earlier < end and earlier.date() == start.date():
        return earlier
    return start


def _end_clock(other: Draft, told: Clock, day: Day, start: datetime, now: Now, part: Part | None) -> datetime:
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
        return replace(first, kind="span", start=moment or first.start, end=end, all_day=not moment, has_clock=False)
    end = midnight(last.last or last.first + _DAY, now)
    if end <= begin(first):
        end = midnight(_rolled(midnight(last.first, now), last.roll or "week").date() + _DAY, now)
    return replace(first, kind="span", end=end, all_day=True)


def _bounded(draft: Draft, told: When) -> When:
    if draft.bound == "after":
        if told.kind in ("instant", "day") or told.point:
            return replace(told, certain=told.certain and told.kind == "instant")
        return told
    if draft.bound == "inside" or told.kind != "span" or told.point:
        return _deadline(told)
    return replace(told, kind="deadline", start=begin(told) - _DAY, end=told.start, certain=False)


def _deadline(told: When) -> When:
    """With the day that was named: its last day, or the point of its part."""
    if told.all_day and told.end:
        last = (told.end - timedelta(hours=12)).date()
        return replace(told, kind="deadline", start=datetime.combine(last, time(), told.end.tzinfo))
    return replace(told, kind="deadline", start=told.at, end=told.at)


def _recurrence(draft: Draft, repeat: Repeat, words: str, now: Now) -> When:
    times = _within_day(draft, draft.every, now) if draft.every else _times(draft)
    start = _first(repeat, draft.part, times, now)
    last = draft.until.day if draft.until else None
    over = repeats.turn_end(repeat, last, start.date()) if last and not times and not draft.part else None
    end = midnight(over, now) if over else None
    until = repeat.until or (last.first if last and not over else None)
    rrule = repeats.rule(repeat, times, until)
    if draft.until and isinstance(draft.until.clock, Clock) and times and not draft.every:
        end = _end_clock(draft.until, draft.until.clock, Day(start.date()), start, now, draft.part)
    return When(words, "recurrence", start, end, all_day=not times and not draft.part and repeat.freq not in _SHORT,
                rrule=rrule, certain=repeat.certain, has_clock=bool(times), has_day=True)


def _within_day(draft: Draft, every: Repeat, now: Now) -> list[tuple[int, int]]:
    """«每天九点到六点每小时»: each clock in the window, if hours and minutes of one rule name just these."""
    first = _waking_offset(draft.clock, draft.part) if isinstance(draft.clock, Clock) else 0
    begins = midnight(now.today, now) + timedelta(seconds=first)
    ends = begins
    if draft.until and isinstance(draft.until.clock, Clock):
        ends = _end_clock(draft.until, draft.until.clock, Day(now.today), begins, now, draft.part)
    window = int((ends - begins).total_seconds())
    values = [first + step for step in range(0, window + 1, _SHORT[every.freq] * every.interval)]
    times = [(value // 3600 % 24, value // 60 % 60) for value in values]
    past_midnight = values[-1] >= 86400 and draft.repeat and draft.repeat.freq != "DAILY"
    if past_midnight or len({hour for hour, _ in times}) * len({minute for _, minute in times}) != len(times):
        raise Impossible("一天里的这些时间记不成一条规律")
    return sorted(times)


def _times(draft: Draft) -> list[tuple[int, int]]:
    """Hours and minutes of each turn; «早晚八点» are two."""
    if not isinstance(draft.clock, Clock) or (draft.repeat and draft.repeat.freq in _SHORT):
        return []
    said = [(draft.clock, draft.part), *((clock or draft.clock, part) for clock, part in draft.more)]
    seconds = [_waking_offset(clock, part) for clock, part in said]
    return sorted({(value // 3600 % 24, value // 60 % 60) for value in seconds})


def _waking_offset(told: Clock, part: Part | None) -> int:
    offsets = clocks.offsets(told, part)
    return next((value for value in offsets if 7 <= value // 3600 < 23), offsets[0])


def _first(repeat: Repeat, part: Part | None, times: list[tuple[int, int]], now: Now) -> datetime:
    if repeat.freq in _SHORT:
        return now.ref + timedelta(seconds=_SHORT[repeat.freq] * repeat.interval)
    day = repeats.first_day(repeat, now.floor)
    minutes = [hour * 60 + minute for hour, minute in times] or ([part.point] if part else [])
    if not minutes:
        return midnight(day, now)
    while True:
        ahead = [start for value in minutes if (start := midnight(day, now) + timedelta(minutes=value)) > now.ref]
        if ahead:
            return ahead[0]
        day = repeats.first_day(replace(repeat, since=None), day + _DAY)

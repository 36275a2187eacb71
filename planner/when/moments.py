"""One day, one part of it, one clock time: which of several readings is meant, looking ahead."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from planner.when import clocks, dates
from planner.when.atoms import Clock, Day, Now, Part, Roll, SameClock
from planner.when.draft import Draft
from planner.when.model import When

_DAY = timedelta(days=1)
# «九点» said at half past eight is of that evening; «十二点» said at ten in the evening may be midnight.
_SOON, _LATE, _NOON = timedelta(hours=3), 20, 12


@dataclass(frozen=True, slots=True)
class Carry:
    """What earlier expressions of the sentence leave to later ones: their day, and the moment they name."""

    day: date | None = None
    after: datetime | None = None
    part: Part | None = None
    week: bool = False
    bare: int = 0  # where a weekday without «下周» or «这周» ended
    since: date | None = None  # the Monday of a week that was named as a whole
    month: date | None = None  # from which day on a bare «9号» is of the month that was named


NOTHING = Carry()


def midnight(day: date, now: Now) -> datetime:
    return datetime.combine(day, time(), now.ref.tzinfo)


def moment(draft: Draft, words: str, now: Now, carry: Carry) -> When:
    if draft.clock:
        return _clock(draft, draft.clock, words, now, carry)
    day = draft.day or (Day(carry.day, named=True) if carry.day else None)
    if draft.part:
        return _part(day, draft.part, words, now, said=draft.day is not None)
    day = day or Day(now.today)
    start, end = midnight(day.first, now), midnight(day.last or day.first + _DAY, now)
    loose = day.loose or day.around
    return When(words, "span" if day.last else "day", start, end, all_day=True, certain=day.certain, has_day=True,
                loose=(midnight(loose[0], now), midnight(loose[1], now)) if loose else None)


def _clock(draft: Draft, told: Clock | SameClock, words: str, now: Now, carry: Carry) -> When:
    day = draft.day
    if isinstance(told, SameClock):
        base = dates.same_day(now.today, day.first, day.last) if day else carry.day or now.today
        return When(words, "instant", now.ref.replace(year=base.year, month=base.month, day=base.day),
                    has_clock=True, has_day=day is not None)
    start, certain = _pick(day, told, draft.part, now, carry)
    certain = certain and (day is None or day.certain or start.date() != now.today or day.weekday is None)
    end = start + timedelta(hours=1) if told.upto else None
    return When(words, "span" if end else "instant", start, end, certain=certain and not told.upto,
                has_clock=True, has_day=day is not None)


def _pick(day: Day | None, told: Clock, part: Part | None, now: Now, carry: Carry) -> tuple[datetime, bool]:
    seconds = clocks.offsets(told, part or (carry.part if day is None else None))
    now = replace(now, ref=now.ref - timedelta(microseconds=1)) if told.to_second else now
    if day is None and carry.day is None and carry.after and part is None:
        told_times = [midnight(carry.after.date(), now) + timedelta(seconds=value) for value in seconds]
        if later := [time for time in told_times if time > carry.after]:
            return later[0], True
    if day is None and carry.day is None:
        return _coming(seconds, now, doubtful=told.hour == _NOON and not told.fixed)
    base = midnight(day.first if day else carry.day or now.today, now)
    times = [base + timedelta(seconds=value) for value in seconds]
    if day is None and carry.after:
        return _following(times, carry.after, now)
    if base.date() == now.today:
        return _today(times, day, now)
    return clocks.waking(times, now.ref)[0], True


def _coming(seconds: list[int], now: Now, *, doubtful: bool) -> tuple[datetime, bool]:
    """The first reading ahead inside the waking day. In doubt when the morning's has just passed."""
    today = midnight(now.today, now)
    times = clocks.waking([today + timedelta(seconds=value) for value in seconds], now.ref)
    ahead = [time for time in times if time > now.ref]
    if ahead:
        return ahead[0], ahead[0] == times[0] or ahead[0] - now.ref <= _SOON
    yesterday = [today - _DAY + timedelta(seconds=value) for value in seconds if value >= 86400]
    late = [time for time in yesterday if time > now.ref]
    if late:
        return late[0], False
    return times[0] + _DAY, len(times) == 1 and not (doubtful and now.ref.hour >= _LATE)


def _following(times: list[datetime], after: datetime, now: Now) -> tuple[datetime, bool]:
    """«四点…，五点…»: the next reading after the one before it in the sentence; «今晚八点…，七点…»: else the last."""
    later = [time for time in times if time > after]
    return (later[0], True) if later else (clocks.waking(times, now.ref)[-1], False)


def _today(times: list[datetime], day: Day | None, now: Now) -> tuple[datetime, bool]:
    best = clocks.waking(times, now.ref)
    ahead = [time for time in best if time > now.ref] or [time for time in times if time > now.ref]
    if ahead:
        return ahead[0], True
    if day and day.roll:
        return rolled(best[0], day.roll), True
    midnight_said = best[0].hour == best[0].minute == 0 and best[0].date() == now.today
    return (best[0] + _DAY, True) if midnight_said else (best[-1], False)


def rolled(start: datetime, roll: Roll) -> datetime:
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
        told = _window(rolled(base, day.roll), part, words, said)
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



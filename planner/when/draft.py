"""What has been read of one expression so far, and which parts go together."""

from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from planner.when import dates, repeats
from planner.when.atoms import Atom, Clock, Day, Impossible, Instant, Length, Part, Repeat, SameClock

_JUST_PAST = 60
_WEEK = timedelta(days=7)


@dataclass(slots=True)
class Draft:
    """`bound`: before · after · inside · since. `every`: the step from turn to turn within a day or a window. `since`: what
    stood before «开始» or «起»."""

    start: int
    end: int
    day: Day | None = None
    part: Part | None = None
    clock: Clock | SameClock | None = None
    length: Length | None = None
    instant: Instant | None = None
    repeat: Repeat | None = None
    more: list[tuple[Clock | None, Part | None]] = field(default_factory=list)
    until: "Draft | None" = None
    every: Repeat | None = None
    since: "Draft | None" = None
    bound: str = ""

    def add(self, atom: Atom) -> bool:
        match atom:
            case Day():
                return self._add_day(atom)
            case Part():
                return self._add_part(atom)
            case Clock() | SameClock():
                return self._add_clock(atom)
            case Repeat():
                return self._add_repeat(atom)
            case Length():
                return self._alone() and self._set(length=atom)
            case Instant():
                return self._add_instant(atom)

    @property
    def timed(self) -> bool:
        return bool(self.clock or self.part)

    def _set(self, **values: object) -> bool:
        for name, value in values.items():
            setattr(self, name, value)
        return True

    def _alone(self) -> bool:
        return not (self.day or self.part or self.clock or self.length or self.instant or self.repeat)

    def _add_instant(self, instant: Instant) -> bool:
        if instant.present and self.day and not self.day.last:
            return self._add_clock(SameClock())
        return self._alone() and self._set(instant=instant)

    def _add_day(self, day: Day) -> bool:
        if self.repeat:
            told = repeats.joined(self.repeat, day)
            return told is not None and self._set(repeat=told)
        if self.day:
            told_day = _agreed(self.day, day)
            return told_day is not None and not self.clock and self._set(day=told_day)
        return not (self.clock or self.length or self.instant) and self._set(day=day)

    def _add_part(self, part: Part) -> bool:
        if self.repeat and self.part and not self.clock:
            self.more.append((None, part))
            return True
        if self.part and not self.clock and self.part.half == "evening" and part.half in ("dawn", "night"):
            return self._set(part=replace(part, half="night"))
        if self.part and not self.clock and self.part.half == part.half:
            return self._set(part=part)
        return not (self.part or self.clock or self.length or self.instant) and self._set(part=part)

    def _add_clock(self, clock: Clock | SameClock) -> bool:
        return not (self.clock or self.length or self.instant) and self._set(clock=clock)

    def _add_repeat(self, repeat: Repeat) -> bool:
        if self._alone():
            return self._set(repeat=repeat)
        if self.repeat and repeat.freq == "DAILY" and not self.clock:
            return self._set(repeat=replace(self.repeat, at=repeat.at)) if repeat.at else True
        if self.instant and self.instant.end and not self.repeat:
            last = self.instant.end.date() - timedelta(days=1)
            return self._set(repeat=replace(repeat, since=self.instant.start.date(), until=last), instant=None)
        told = self.day
        if not told or told.last is None or self.clock or self.part or self.repeat:
            return False
        weekdays = _spanned(told) if told.weekday is not None and repeat.freq == "DAILY" else repeat.weekdays
        if weekdays and not repeat.weekdays:
            return self._set(repeat=replace(repeat, freq="WEEKLY", weekdays=weekdays), day=None)
        return self._set(repeat=replace(repeat, since=told.first, until=told.last - timedelta(days=1)), day=None)


def _spanned(days: Day) -> tuple[int, ...]:
    length = ((days.last or days.first) - days.first).days
    return tuple(sorted((days.first.weekday() + step) % 7 for step in range(min(length, 7))))


def _agreed(day: Day, other: Day) -> Day | None:
    """«3月20日 周五» names one day twice; «下周的周三» a day of a week, «明年三月» a month of a year, «三年后的五一» a day of
    that year."""
    stretch = day.around or day.loose
    if stretch and stretch[0] <= other.first < stretch[1]:
        return replace(other, roll="", certain=True)
    if day.wide and (day.holds(other) or other.feast):
        return replace(other, roll="")
    if day.weekday is not None and day.last is None and other.monthday and other.month:
        return _dated(day, other)
    if day.last is not None and day.last - day.first == _WEEK and (other.weekday is not None or other.named):
        within = day.holds(other) if other.weekday is None else True
        weekday = other.first.weekday() if other.weekday is None else other.weekday
        return replace(other, first=day.first + timedelta(days=weekday), roll="", certain=True) if within else None
    if other.weekday is None or day.last is not None or day.weekday is not None:
        return None
    if day.first.weekday() != other.weekday:
        right, wrong = (f"星期{'一二三四五六日'[place]}" for place in (day.first.weekday(), other.weekday))
        raise Impossible(f"{day.first.month}月{day.first.day}日是{right}，不是{wrong}")
    return day


def _dated(weekday: Day, day: Day) -> Day | None:
    """«周日, 二月十号»: the coming one, or one just past, if it is that weekday."""
    last = dates.add_months(day.first, -12)
    near = [day.first] + ([last] if (weekday.first - last).days < _JUST_PAST else [])
    return next((replace(day, first=first, roll="") for first in near if first.weekday() == weekday.weekday), None)


def span_of(day: Day) -> tuple[date, date] | None:
    """The year, month or week within which the next word names a day."""
    if day.around:
        return day.around
    return (day.first, day.last) if day.last and (day.wide or day.last - day.first == _WEEK) else None

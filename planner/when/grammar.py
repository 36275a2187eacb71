"""Puts the parts of one expression together, from left to right."""

import re
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import cache

from planner.when import dates, days, lengths, repeats, scan
from planner.when.atoms import (
    Atom,
    Clock,
    Day,
    Impossible,
    Instant,
    Length,
    Now,
    Part,
    Repeat,
    SameClock,
)
from planner.when.numerals import CN
from planner.when.text import number

_GAP = re.compile(r"(?:[\s,()吧啊呀]|的(?!时候)|那天|当天|那个|(?i:at|on|the)\s+(?=[A-Za-z]|\d{1,2}(?:[:点]|\s?[aApP]\.?[mM]|st|nd|rd|th)))*")
_AND = re.compile(r"\s*(?:[、,和及跟]|还有|以及)\s*")
_TO = re.compile(r"\s*(?:一?直?到了?|至|-{1,2}|~|(?i:to|until|till)(?=\s))\s*(?=\S)")
_SHIFT = re.compile(rf"(?:节|假期)?的?(?P<way>前|后)(?:的?第?(?P<count>[{CN}\d]{{1,5}})天|(?P<eve>一?晚))")
_COUNTED = rf"的?(?P<length>{lengths.LENGTH})[之以]?(?P<way>[前后])(?![天面续台])"
_COUNTED_ON = rf"(?:开始|算?起)的?(?P<length>{lengths.LENGTH})(?![之以]?[前后内]|[,的]?[{CN}\d]+次)"
_NEIGHBOUR = re.compile(r"的(?P<name>大?[前后]|[次明])[天日](?![气记期])")
_BEFORE = re.compile(r"(?:(?:之前|以前|前(?![台面端往任男女辈期言景途列夫者程线门后]|提(?![交醒供出到升])))|截止|为止|到期前)")
_AFTER = re.compile(r"(?:[之以]后|后(?![台面续天]))")
_INSIDE = re.compile(r"[之以]?内(?![容部])")
_BLANK = re.compile(r"\s+(?:(?i:on)\s+)?(?=[A-Za-z])")
_JUST_PAST = 60
_SHORT_FREQ = ("HOURLY", "MINUTELY")
_BY = re.compile(r"(?:截止到?|截至|最晚|最迟|不晚于|赶在|务必在|(?<![A-Za-z])(?i:by|before|no later than)\s)\s*$")


@dataclass(slots=True)
class Draft:
    """What has been read so far. `bound`: before · after · inside. `every`: the step from turn to turn within a day."""

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
            return True
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


def _agreed(day: Day, weekday: Day) -> Day | None:
    """«3月20日 周五» names one day twice; «下周的周三» a day of a week, «明年三月» a month of a year."""
    if day.wide and (day.holds(weekday) or weekday.feast):
        return replace(weekday, roll="")
    if day.weekday is not None and day.last is None and weekday.monthday and weekday.month:
        return _dated(day, weekday)
    if weekday.weekday is None:
        return None
    if day.last is not None and day.last - day.first == timedelta(days=7):
        return replace(weekday, first=day.first + timedelta(days=weekday.weekday), roll="", certain=True)
    if day.last is not None or day.weekday is not None:
        return None
    if day.first.weekday() != weekday.weekday:
        right, wrong = (f"星期{'一二三四五六日'[place]}" for place in (day.first.weekday(), weekday.weekday))
        raise Impossible(f"{day.first.month}月{day.first.day}日是{right}，不是{wrong}")
    return day


def _dated(weekday: Day, day: Day) -> Day | None:
    """«周日, 二月十号»: the coming one, or one just past, if it is that weekday."""
    last = dates.add_months(day.first, -12)
    near = [day.first] + ([last] if (weekday.first - last).days < _JUST_PAST else [])
    return next((replace(day, first=first, roll="") for first in near if first.weekday() == weekday.weekday), None)


def warm() -> None:
    """Compiles every pattern, for a worker that is about to take messages."""
    scan.warm()
    _counted()


def read(text: str, place: int, now: Now) -> Draft | None:
    """The expression that begins here, to the end of its last part."""
    draft = _core(text, place, now)
    if draft is None:
        return None
    _more_clocks(text, draft, now)
    _range(text, draft, now)
    _day_behind(text, draft, now)
    _bound(text, draft)
    return draft


def _core(text: str, place: int, now: Now) -> Draft | None:
    draft = Draft(place, place)
    while (told := scan.at(text, place, now)) and draft.add(told[0]):
        draft.end = told[1]
        place = _GAP.match(text, draft.end).end()  # type: ignore[union-attr]
        if draft.day and draft.day.wide and draft.day.last:
            now = replace(now, floor=draft.day.first, span=(draft.day.first, draft.day.last))
        if _shift(text, draft, now):
            place = _GAP.match(text, draft.end).end()  # type: ignore[union-attr]
    return draft if draft.end > draft.start else None


@cache
def _counted() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Too large to compile in every process that reads no message."""
    return re.compile(_COUNTED), re.compile(_COUNTED_ON)


def _shift(text: str, draft: Draft, now: Now) -> bool:
    """«国庆前一天», «春节前一晚», «2月13号的三天后», «9月1号的14天11小时后»."""
    if not draft.day or draft.day.wide or draft.clock or draft.part:
        return False
    before_or_after, on = _counted()
    if match := on.match(text, draft.end):
        return _lasts(draft, match)
    if match := _NEIGHBOUR.match(text, draft.end):
        length = Length(days=days.NAMED[match["name"]])
        draft.end = match.end()
    elif match := _SHIFT.match(text, draft.end):
        length = Length(days=number(match["count"]) if match["count"] else 1)
        draft.end = match.end() - (len(match["eve"]) if match["eve"] else 0)
    elif match := before_or_after.match(text, draft.end):
        length = lengths.parse(match["length"])
        draft.end = match.end()
    else:
        return False
    begins = datetime.combine(draft.day.first, time(), now.ref.tzinfo)
    then = lengths.shift(begins, length, -1 if match.groupdict().get("way") == "前" else 1)
    if length.by_clock:
        draft.day, draft.instant = None, Instant(then)
    else:
        draft.day = Day(then.date(), named=True)
    return True


def _lasts(draft: Draft, match: re.Match[str]) -> bool:
    """«今天开始的两周»."""
    length = lengths.parse(match["length"])
    if not draft.day or draft.day.last or length.by_clock:
        return False
    last = dates.add_months(draft.day.first, length.months) + timedelta(days=length.days)
    draft.day, draft.end = Day(draft.day.first, last), match.end()
    return True


def _more_clocks(text: str, draft: Draft, now: Now) -> None:
    """«每周一9点和14点»: further times of the same repeat."""
    while draft.repeat and draft.clock and (gap := _AND.match(text, draft.end)):
        follower = _core(text, gap.end(), now)
        if not follower or not isinstance(follower.clock, Clock) or follower.day or follower.repeat:
            return
        draft.more.append((follower.clock, follower.part or draft.part))
        draft.end = follower.end


def _range(text: str, draft: Draft, now: Now) -> None:
    if isinstance(draft.clock, Clock) and text[draft.end - 1] in "到至~- ":
        draft.until = _core(text, draft.end, now)
        draft.end = draft.until.end if draft.until else draft.end
        return
    gap = _TO.match(text, _GAP.match(text, draft.end).end()) or _TO.match(text, draft.end)  # type: ignore[union-attr]
    if not gap or draft.length:
        return
    other = _core(text, gap.end(), replace(now, floor=_floor(draft, now)))
    if not other or other.length or other.repeat:
        return
    if draft.day and not draft.clock and not other.day and gap[0].strip() == "-":
        draft.part, draft.clock, draft.end = other.part, other.clock, other.end
        return
    draft.until, draft.end = other, other.end
    _repeat_within(text, draft, now)


def _day_behind(text: str, draft: Draft, now: Now) -> None:
    """«3pm tomorrow»: English names the day last."""
    gap = _BLANK.match(text, draft.end)
    if not gap or draft.day or not isinstance(draft.clock, Clock) or draft.repeat:
        return
    told = scan.at(text, gap.end(), now)
    if told and isinstance(told[0], Day) and told[0].behind:
        draft.day, draft.end = told[0], told[1]


def _floor(draft: Draft, now: Now) -> date:
    return draft.day.first if draft.day else now.floor


def _repeat_within(text: str, draft: Draft, now: Now) -> None:
    """«14号到17号，每天上午8点»."""
    last = draft.until and draft.until.day
    place = _GAP.match(text, draft.end).end()  # type: ignore[union-attr]
    told = scan.at(text, place, now) if text[place : place + 1] == "每" else None
    if told and isinstance(told[0], Repeat) and told[0].freq in _SHORT_FREQ and draft.until and draft.until.clock:
        if draft.repeat:
            draft.every, draft.end = told[0], told[1]
        else:
            draft.repeat, draft.day, draft.instant, draft.end = told[0], None, None, told[1]
        return
    if not (draft.day and last) or draft.clock or draft.until is None or draft.until.clock:
        return
    if not told or not isinstance(told[0], Repeat) or told[0].freq != "DAILY":
        return
    inner = _core(text, place, now)
    if inner:
        draft.repeat = replace(told[0], since=draft.day.first, until=last.first)
        draft.part, draft.clock, draft.end = inner.part, inner.clock, inner.end
        draft.day = draft.until = None


def _bound(text: str, draft: Draft) -> None:
    by = _BY.search(text, 0, draft.start)
    if by:
        draft.start, draft.bound = by.start(), "before"
    for name, pattern in (("before", _BEFORE), ("after", _AFTER), ("inside", _INSIDE)):
        match = pattern.match(text, draft.end)
        if match and not draft.length:
            draft.bound, draft.end = name, match.end()
            return

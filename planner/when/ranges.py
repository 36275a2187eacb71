"""From one time to another, and what repeats in between."""

import re
from dataclasses import replace
from datetime import timedelta

from planner.when import dates, lengths, scan
from planner.when.atoms import Clock, Day, Instant, Now, Repeat
from planner.when.core import core, gap
from planner.when.draft import Draft
from planner.when.lazy import Lazy
from planner.when.numerals import CN, DOM, WEEKDAYS
from planner.when.text import number

_TO = Lazy(
    r"\s*(?:起|开始)?\s*(?:,?\s*(?:一直|直)(?:持续)?到|到了?|至|-{1,2}|~|(?i:to|until|till|thru|through)(?=\s))\s*(?=\S)"
    r"|(?:开始)?[\s,;]*(?:结束|截止|截至)(?:时间|日期)\s*:\s*"
)
_STARTS, _OVER = Lazy(r"开始[\s,]*"), Lazy(r"(?:结束|为止)(?=$|[\s,。;)的])|止(?!损|痛|血|咳)")
_TODAY = Lazy("今(?![天日晚早年儿明后])")
_NEXT_DAY = Lazy("第二天|[次翌]日|隔天")
_WEEKDAY = Lazy(rf"[一二三四五六日天](?![{CN}\d点:个月号天周年分小次])")
_MONTHDAY = Lazy(rf"({DOM})日(?![游后内之前元本])")
_BETWEEN, _AND = Lazy(r"(?i:between)\s+$"), Lazy(r"\s+(?i:and)\s+")
_SERIES = Lazy(r"[每隔天日工]")
_SHORT_FREQ = ("HOURLY", "MINUTELY")


def read(text: str, draft: Draft, now: Now) -> None:
    if isinstance(draft.clock, Clock) and text[draft.end - 1] in "到至~- ":
        draft.until = core(text, draft.end, now)
        draft.end = draft.until.end if draft.until else draft.end
        return
    match = _TO.match(text, gap(text, draft.end)) or _TO.match(text, draft.end)
    if not match and _BETWEEN.search(text, max(0, draft.start - 10), draft.start):
        match = _AND.match(text, draft.end)
    if match and not draft.length:
        _upto(text, draft, match, now)
    elif (starts := _STARTS.match(text, draft.end)) and draft.timed:
        _closed(text, draft, starts.end(), now)


def _upto(text: str, draft: Draft, match: re.Match[str], now: Now) -> None:
    other = _other(text, match.end(), replace(now, floor=draft.day.first if draft.day else now.floor), draft.day)
    if not other or other.length or other.repeat:
        return
    if draft.day and not draft.clock and not other.day and match[0].strip() == "-" and not other.instant:
        draft.part, draft.clock, draft.end = other.part, other.clock, other.end
        return
    draft.until, draft.end = other, other.end
    if over := _OVER.match(text, draft.end):
        draft.end = over.end()
    _repeat_within(text, draft, now)


def _other(text: str, place: int, now: Now, day: Day | None) -> Draft | None:
    """«至今»; «周五晚上十点到次日六点»; «周一到三», where only the first says that it is a weekday."""
    if today := _TODAY.match(text, place):
        return Draft(place, today.end(), instant=Instant(now.ref, present=True))
    if following := _NEXT_DAY.match(text, place):
        return _next_day(text, place, following.end(), now, day)
    if day and not day.last and (told := _bare(text, place, day)):
        return told
    return core(text, place, now)


def _next_day(text: str, place: int, end: int, now: Now, day: Day | None) -> Draft:
    """The day behind the one on which the range begins; a clock time alone finds it by itself."""
    other = core(text, gap(text, end), now)
    if not other or not other.timed or other.day:
        other = Draft(place, end)
    if day or not other.clock:
        other.day = Day((day.first if day else now.today) + timedelta(days=1), named=True)
    return other


def _bare(text: str, place: int, day: Day) -> Draft | None:
    if day.weekday is not None and (match := _WEEKDAY.match(text, place)):
        weekday = WEEKDAYS[match[0]]
        last = day.first + timedelta(days=(weekday - day.weekday) % 7)
        return Draft(place, match.end(), day=Day(last, roll=day.roll, weekday=weekday))
    if day.monthday and (match := _MONTHDAY.match(text, place)):
        monthday = number(match[1])
        return Draft(place, match.end(), day=Day(dates.coming_monthday(monthday, day.first), monthday=monthday))
    return None


def _closed(text: str, draft: Draft, place: int, now: Now) -> None:
    """«两点开始，四点结束»."""
    other = core(text, place, now)
    over = _OVER.match(text, other.end) if other and other.clock and not other.repeat else None
    if other and over:
        draft.until, draft.end = other, over.end()


def _repeat_within(text: str, draft: Draft, now: Now) -> None:
    """«14号到17号，每天上午8点», «9点到18点每小时»."""
    last = draft.until and draft.until.day
    place = gap(text, draft.end)
    told = scan.at(text, place, now) if _SERIES.match(text, place) else None
    if not told or not isinstance(told[0], Repeat) or draft.until is None:
        return
    if told[0].freq in _SHORT_FREQ and draft.until.clock:
        draft.every, draft.end = told[0], told[1]
        return
    if not (draft.day and last) or draft.clock or draft.until.clock or told[0].freq not in ("DAILY", "WEEKLY"):
        return
    if inner := core(text, place, now):
        draft.repeat = replace(told[0], since=draft.day.first, until=last.last - timedelta(days=1) if last.last else last.first)
        draft.part, draft.clock, draft.more, draft.end = inner.part, inner.clock, inner.more, inner.end
        draft.day = draft.until = None


_LASTING_FIRSTS = " ,一总共持连坚为"
_LASTING = Lazy(
    rf"[\s,]*(?:一共|总共|共计?|持续|连续|连着|坚持|为期|连做)(?:做|吃|打|跑)?"
    rf"(?:(?P<length>{lengths.LENGTH})|(?P<count>\d{{1,3}}|[{CN}]{{1,3}})[次遍回])"
)


def lasting(text: str, draft: Draft) -> None:
    """«每天八点，持续两周», «每周一，共十次»."""
    if not draft.repeat or draft.until or text[draft.end : draft.end + 1] not in _LASTING_FIRSTS:
        return
    match = _LASTING.match(text, draft.end)
    if not match or not draft.repeat:
        return
    if match["count"]:
        draft.repeat = replace(draft.repeat, count=number(match["count"]))
    else:
        draft.repeat = replace(draft.repeat, lasting=lengths.parse(match["length"]))
    draft.end = match.end()

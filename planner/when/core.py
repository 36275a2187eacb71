"""Reads the parts that stand side by side, from left to right, and what is counted from a day."""

import re
from dataclasses import replace
from datetime import datetime, time, timedelta

from planner.when import dates, days, holidays, lengths, offdays, scan, zones
from planner.when.atoms import Day, Instant, Length, Now, Repeat
from planner.when.draft import Draft, span_of
from planner.when.lazy import Lazy
from planner.when.numerals import CN, NUMBER
from planner.when.text import number

GAP = Lazy(
    rf"(?:[\s,()吧啊呀嗯呃]|的(?!时候)|那天|当天|那个|大概|大约|差不多|{zones.PATTERN}"
    r"|(?i:at|on|the)\s+(?=[A-Za-z]|\d{1,2}(?:[:点]|\s?[aApP]\.?[mM]|st|nd|rd|th)))*"
)
_SHIFT = Lazy(rf"(?:节|假期)?的?(?P<way>前|后)(?:的?第?(?P<count>[{CN}\d]{{1,5}})天|(?P<eve>一?晚))")
_COUNTED = Lazy(rf"的?(?P<length>{lengths.LENGTH})[之以]?(?P<way>[前后])(?![天面续台])")
_COUNTED_ON = Lazy(rf"(?:开始|算?起)[的,]?(?:连续|持续|连着|一?共)?(?P<length>{lengths.LENGTH})(?![之以]?[前后内]|[,的]?[{CN}\d]+次)")
_FIRSTS, _ON = NUMBER + "半的", "开算起"
_NEIGHBOUR = Lazy(r"的(?P<name>大?[前后]|[次明])[天日](?![气记期])")
_SINCE = Lazy(r"[\s)]*(?:开始|算?起)[\s,的]*(?=每|隔|天天|日日|工作日)")
_WORKDAY = Lazy(
    rf"(?:节|假期?|长假)?(?:[之以过]?(?P<way>前|后)|(?:放假|假期|放完假|收假)?(?P<over>结束|回来)[之以]?后?)的?"
    rf"(?:(?:第(?P<nth>[{CN}\d])个?|最后(?P<last>一)个|首个|下?一个)(?:工作|上班|交易)日|(?:第一|(?P<last2>最后一))天上班|(?:第一|(?P<last3>最后一))个上班的?日子|上班的?第一天)"
)
_WHOLE_DAY = Lazy("的?(?:全天|一?整天)")
_MINUTE = Lazy(
    rf"的?(?:(?:第|在)?(?P<minute>\d{{1,2}}|[{CN}]{{1,3}})分钟?(?![钟后内前之以])|(?P<half>半点)|整点|准点)(?:时|的时候)?"
)


def core(text: str, place: int, now: Now) -> Draft | None:
    draft = Draft(place, place)
    while (told := scan.at(text, place, now)) and draft.add(told[0]):
        draft.end = told[1]
        if draft.end == len(text):
            return draft
        place = gap(text, draft.end)
        now = _within(draft, now)
        if _more(text, draft, now):
            place = gap(text, draft.end)
        if since := _SINCE.match(text, draft.end):
            return _series(text, draft, since.end(), now) or draft
    return draft if draft.end > draft.start else None


def gap(text: str, place: int) -> int:
    """Behind what may stand between two parts."""
    return GAP.match(text, place).end()  # type: ignore[union-attr]


def _within(draft: Draft, now: Now) -> Now:
    span = span_of(draft.day) if draft.day else None
    if draft.day and draft.day.loose:
        return replace(now, floor=draft.day.loose[0])
    if not draft.day or not span:
        return now
    anchor = draft.day.first if draft.day.around else now.anchor
    return replace(now, floor=span[0], span=span, anchor=anchor)


def _series(text: str, begin: Draft, place: int, now: Now) -> Draft | None:
    """«从明天开始每天九点», «从下周一起，每周一三五»."""
    draft = core(text, place, now)
    if draft is None or draft.repeat is None or draft.since or not (begin.day or begin.instant or begin.clock):
        return None
    draft.start, draft.since = begin.start, begin
    return draft


def _more(text: str, draft: Draft, now: Now) -> bool:
    if draft.repeat:
        return _minute(text, draft, draft.repeat)
    if not draft.day or draft.day.wide or draft.clock or draft.part:
        return False
    if whole := _WHOLE_DAY.match(text, draft.end):
        draft.end = whole.end()
        return True
    return _shift(text, draft, draft.day, now)


def _minute(text: str, draft: Draft, repeat: Repeat) -> bool:
    """«每小时05分», «每小时的整点»."""
    match = _MINUTE.match(text, draft.end) if repeat.freq == "HOURLY" and repeat.minute is None else None
    minute = (number(match["minute"]) if match["minute"] else 30 if match["half"] else 0) if match else 60
    if not match or minute >= 60:
        return False
    draft.repeat, draft.end = replace(repeat, minute=minute), match.end()
    return True


def _shift(text: str, draft: Draft, day: Day, now: Now) -> bool:
    """«国庆前一天», «春节前一晚», «2月13号的三天后», «9月1号的14天11小时后»."""
    ahead = text[draft.end : draft.end + 1]
    if match := _WORKDAY.match(text, draft.end):
        return _worked(draft, day, match, now)
    if ahead in _ON and (match := _COUNTED_ON.match(text, draft.end)):
        return _lasts(draft, day, match)
    if match := _NEIGHBOUR.match(text, draft.end):
        length = Length(days=days.NAMED[match["name"]])
        draft.end = match.end()
    elif match := _SHIFT.match(text, draft.end):
        length = Length(days=number(match["count"]) if match["count"] else 1)
        draft.end = match.end() - (len(match["eve"]) if match["eve"] else 0)
    elif ahead in _FIRSTS and (match := _COUNTED.match(text, draft.end)):
        length = lengths.parse(match["length"])
        draft.end = match.end()
    else:
        return False
    begins = datetime.combine(day.first, time(), now.ref.tzinfo)
    then = lengths.shift(begins, length, -1 if match.groupdict().get("way") == "前" else 1)
    if length.by_clock:
        draft.day, draft.instant = None, Instant(then)
    else:
        draft.day = Day(then.date(), named=True)
    return True


def _worked(draft: Draft, day: Day, match: re.Match[str], now: Now) -> bool:
    """«国庆后第一个工作日», «节前最后一个工作日»: around the days off, by the official calendar."""
    end = day.last or day.first + timedelta(days=1)
    first, end = holidays.days_off(day.name, day.first, now.today) if day.name else (day.first, end)
    count = number(match["nth"] or "1")
    found = offdays.preceding(first, count) if match["way"] == "前" else offdays.following(end - timedelta(days=1), count)
    draft.day, draft.end = Day(found, named=True, certain=offdays.known(found.year)), match.end()
    return True


def _lasts(draft: Draft, day: Day, match: re.Match[str]) -> bool:
    """«今天开始的两周»."""
    length = lengths.parse(match["length"])
    if day.last or length.by_clock:
        return False
    last = dates.add_months(day.first, length.months) + timedelta(days=length.days)
    draft.day, draft.end = Day(day.first, last), match.end()
    return True

"""What is counted from a day that was named, stands beside it, or is a part of it."""

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from planner.when import dates, days, holidays, lengths, offdays
from planner.when.atoms import Day, Instant, Length, Now
from planner.when.draft import Draft
from planner.when.lazy import Lazy
from planner.when.numerals import CN, NUMBER, WD, WEEK, WEEKDAYS
from planner.when.text import number

_DAY, _WEEK = timedelta(days=1), timedelta(days=7)
_SHIFT = Lazy(
    rf"(?:节|假期)?的?(?:[之以](?=前))?(?P<way>前|后)(?:的?第?(?P<count>[{CN}\d]{{1,5}})天|(?P<eve>一?晚)"
    rf"|的?(?P<length>(?:[两{CN}\d]{{1,3}}个?|半个?)(?:周(?![{CN}日末年])|星期|礼拜|(?<=个)月|年))(?![之以]?[内前后]))"
)
_COUNTED = Lazy(rf"的?(?P<length>{lengths.LENGTH})[之以]?(?P<way>[前后])(?![天面续台])")
_COUNTED_ON = Lazy(rf"(?:开始|算?起)[的,]?(?:连续|持续|连着|一?共)?(?P<length>{lengths.LENGTH})(?![之以]?[前后内]|[,的]?[{CN}\d]+次)")
_FIRSTS, _ON = NUMBER + "半的", "开算起"
_NEIGHBOUR = Lazy(r"的(?P<name>大?[前后]|[次明])[天日](?![气记期])")
_BESIDE = Lazy(
    rf"(?:节|假期?|长假)?(?:[之以过]?(?P<way>前|后)|(?:放假|假期|放完假|收假)?(?:结束|回来)[之以]?后?)的?"
    rf"(?:(?:第(?P<nth>[{CN}\d])个?|最后一?个|首个|[下头]一?个)(?:(?:工作|上班|交易)日|(?P<weekend>周末)|{WEEK}(?P<weekday>{WD}))"
    rf"|(?:第一|最后一)天上班|(?:第一|最后一)个上班的?日子|上班的?第一天)"
)
_PART = Lazy(
    rf"的?(?:(?P<whole>全天|一?整天|一天(?=$|[\s,.;。都]))|剩(?P<rest>下?余?)的?(?:这?几天|日子|时间|那?[{CN}两\d]天)?|(?P<last>最后一天)"
    rf"|(?P<count>[两{CN}\d])天(?![之以]?[内前后]|[{CN}\d])|第(?P<nth>[{CN}\d])天(?!起))"
)


# What any of these begins with: most days are followed by something else.
_BEGINS = frozenset(NUMBER + "半的全整剩最第节假长之以过前后放收结回开算起")


def more(text: str, draft: Draft, day: Day, now: Now) -> bool:
    ahead = text[draft.end : draft.end + 1]
    if ahead not in _BEGINS:
        return False
    if match := _PART.match(text, draft.end):
        return _narrowed(draft, day, match, now)
    if day.wide:
        return False
    if match := _BESIDE.match(text, draft.end):
        return _beside(draft, day, match, now)
    if ahead in _ON and (match := _COUNTED_ON.match(text, draft.end)):
        return _lasts(draft, day, match)
    return _shift(text, draft, day, now)


def _narrowed(draft: Draft, day: Day, match: re.Match[str], now: Now) -> bool:
    """«明天全天», «周末两天», «国庆七天», «国庆第三天», «这周剩下的几天», «月底最后一天»."""
    first, last = _span(day, now)
    told = None
    if match["count"] and last - first == timedelta(days=number(match["count"])) > _DAY:
        told = replace(day, first=first, last=last)
    elif match["nth"] and day.feast:
        told = Day(day.first + timedelta(days=number(match["nth"]) - 1), named=True)
    elif match["last"] and day.feast:
        told = Day(last - _DAY, named=True)
    elif match["rest"] is not None and day.last and day.first <= now.today < day.last:
        told = Day(now.today, day.last)
    elif match["whole"] or (match["last"] and day.loose and day.loose[1] - day.first == _DAY):
        told = replace(day, loose=None)
    if told:
        draft.day, draft.end = told, match.end()
    return told is not None


def _span(day: Day, now: Now) -> tuple[date, date]:
    """Of a feast with the days off around it."""
    return holidays.days_off(day.name, day.first, now.today) if day.name else (day.first, day.last or day.first + _DAY)


def _beside(draft: Draft, day: Day, match: re.Match[str], now: Now) -> bool:
    """«国庆后第一个工作日», «节前最后一个周末», «月底前最后一个周五»; days worked are those of the official calendar."""
    first, end = _span(day, now)
    count, back = number(match["nth"] or "1"), match["way"] == "前"
    if match["weekend"] or match["weekday"]:
        weekday = WEEKDAYS[match["weekday"]] if match["weekday"] else 5
        edge = first - (2 * _DAY if match["weekend"] else _DAY) if back else end
        away = (edge.weekday() - weekday) % 7 if back else (weekday - edge.weekday()) % 7
        away += 7 * (count - 1)
        found = edge + timedelta(days=-away if back else away)
        told = Day(found, found + 2 * _DAY if match["weekend"] else None, weekday=weekday, anchored=True)
    else:
        found = offdays.preceding(first, count) if back else offdays.following(end - _DAY, count)
        told = Day(found, named=True, certain=offdays.known(found.year))
    draft.day, draft.end = told, match.end()
    return True


def _lasts(draft: Draft, day: Day, match: re.Match[str]) -> bool:
    """«今天开始的两周»."""
    length = lengths.parse(match["length"])
    if day.last or length.by_clock:
        return False
    last = dates.add_months(day.first, length.months) + timedelta(days=length.days)
    draft.day, draft.end = Day(day.first, last), match.end()
    return True


def _shift(text: str, draft: Draft, day: Day, now: Now) -> bool:
    """«国庆前一天», «国庆前一周», «春节前一晚», «2月13号的三天后», «9月1号的14天11小时后»."""
    if match := _NEIGHBOUR.match(text, draft.end):
        length = Length(days=days.NAMED[match["name"]])
        draft.end = match.end()
    elif match := _SHIFT.match(text, draft.end):
        length = lengths.parse(match["length"]) if match["length"] else Length(days=number(match["count"] or "1"))
        draft.end = match.end() - len(match["eve"] or "")
    elif text[draft.end : draft.end + 1] in _FIRSTS and (match := _COUNTED.match(text, draft.end)):
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

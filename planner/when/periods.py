"""Weeks, months, years, and their ends."""

import re
from datetime import date, timedelta

from planner.when import dates, days
from planner.when.atoms import Day, Now, Rules
from planner.when.numerals import (
    CN,
    MONTH,
    NUMBER,
    REL,
    STEPS,
    TO,
    WD,
    WEEK,
    WEEKDAYS,
)
from planner.when.text import number

Match = re.Match[str]

_MONTHS_REL = "(?<!一)下{1,4}个?月|下一个?月|[这今]一?个?月|本月|当月|同月|上{1,3}个?月|上一个?月"
_A_MONTH = (
    rf"(?:(?P<rel>{_MONTHS_REL})"
    rf"|(?<![\d.])(?P<month>{MONTH})月份?)"
)
_WEEK = rf"(?P<rel>{REL})一?个?(?:周(?!年|围|期|边|转|末|岁|报|会|例|刊|(?!日程|一共){WD})|星期|礼拜)"
_WEEKEND = r"(?P<rel>(?:(?<!一)下{1,4}|上{1,3}|这|本)个?)?(?:周末|(?:星期|礼拜)末)(?!愉快)"
_MONTH_PART = (
    rf"(?:{_A_MONTH}的?月?|月)(?P<part>底|末|初|中旬?|上旬|下旬|最后一天|第一天)(?!级|间|学|国|文|年|(?<=初)[{CN}\d])"
)
_NTH = rf"{_A_MONTH}的?(?:第(?P<nth>[{CN}\d])|(?P<last>最后一))个?{WEEK}(?P<day>{WD})"
_FROM = rf"(?<![\d.\-/~])(?P<month>{MONTH})(?={TO}{MONTH}月(?![{CN}\d]))"
_WHOLE_DAY = r"(?:(?<=[\s,。;、])|^)(?:全天|一?整天)(?=$|[\s,。;、])"
_RUN = (
    r"(?P<first>大后|[昨今明后])天(?:[、,和跟及]?(?:大后|[今明后])天){1,3}这?(?P<count>[两三四])天"
    rf"|{WEEK}(?P<weekday>{WD})[、,和跟及]?{WEEK}{WD}这?(?P<two>两)天"
)
_THESE = "这(?P<count>[两几三])天"
_INSIDE = rf"(?<![\d{CN}个半今本这下上])(?P<unit>[年月周])(?=内(?![部容科分外人]))"
_TWO = r"(?P<names>[今明后]{2,3})(?:[两三]天|天)"

_MONTH_STARTS = NUMBER + STEPS + "同"
# «月底» is loosely from the 25th on, «月初» up to the 5th.
_LAST_DAYS, _FIRST_DAYS = 25, 5
_THIRDS = {"上旬": (1, 11), "中旬": (11, 21), "中": (11, 21)}


def _week(match: Match, now: Now) -> Day:
    first = dates.monday(now.today, _steps(match["rel"]))
    return Day(first, first + timedelta(days=7))


def _steps(rel: str) -> int:
    return rel.count("下") - rel.count("上")


def _weekend(match: Match, now: Now) -> Day:
    first = dates.monday(now.today, _steps(match["rel"] or "")) + timedelta(days=5)
    return Day(first, first + timedelta(days=2), weekday=5)


def _first_of(match: Match, now: Now) -> date:
    """The month meant: the coming one, the one named, or that of «下个月»."""
    if match.groupdict().get("rel"):
        return days.month_of(match["rel"], now)
    month = number(match["month"])
    first = date(now.floor.year, month, 1)
    return first if dates.month_end(first) >= now.floor else first.replace(year=first.year + 1)


def _month(match: Match, now: Now) -> Day:
    first = _first_of(match, now)
    return Day(first, dates.add_months(first, 1), month=first.month)


def _month_part(match: Match, now: Now) -> Day:
    part = match["part"]
    told = bool(match["rel"] or match["month"])
    first = _first_of(match, now) if told else now.floor.replace(day=1)
    if part in ("底", "末", "最后一天"):
        loose = None if part == "最后一天" else (first.replace(day=_LAST_DAYS), dates.add_months(first, 1))
        return Day(dates.month_end(first), monthday=-1, month=first.month if match["month"] else None, loose=loose)
    if part == "下旬":
        return Day(first.replace(day=21), dates.add_months(first, 1), certain=False)
    if part in _THIRDS:
        begin, end = _THIRDS[part]
        if not told and first.replace(day=end) <= now.floor:
            first = dates.add_months(first, 1)
        return Day(first.replace(day=begin), first.replace(day=end), certain=False)
    passed = first < now.floor and not match["rel"]
    step = 12 if match["month"] and not now.span else 0 if told else 1
    first = dates.add_months(first, step) if passed else first
    loose = None if part == "第一天" else (first, first.replace(day=_FIRST_DAYS + 1))
    return Day(first, monthday=1, certain=part == "第一天", loose=loose)


def _nth_weekday(match: Match, now: Now) -> Day:
    nth = -1 if match["last"] else number(match["nth"])
    return Day(dates.nth_weekday(_first_of(match, now), WEEKDAYS[match["day"]], nth))


def _from(match: Match, now: Now) -> Day:
    first = _first_of(match, now)
    return Day(first, dates.add_months(first, 1), month=first.month)


def _whole_day(match: Match, now: Now) -> Day:
    return Day(now.today, named=True)


def _run(match: Match, now: Now) -> Day:
    """«今天明天后天三天» is one stretch, «周六周日两天» as well."""
    if match["two"]:
        weekday = WEEKDAYS[match["weekday"]]
        first = now.floor + timedelta(days=(weekday - now.floor.weekday()) % 7)
        return Day(first, first + timedelta(days=2), weekday=weekday)
    first = now.today + timedelta(days=days.NAMED[match["first"]])
    return Day(first, first + timedelta(days=number(match["count"])))


def _these(match: Match, now: Now) -> Day:
    """«这几天» is a few from today on."""
    return Day(now.today, now.today + timedelta(days=2 if match["count"] == "两" else 3), certain=False)


def _inside(match: Match, now: Now) -> Day:
    """«年内», «月内», «周内»: of the one we are in."""
    if match["unit"] == "周":
        return Day(dates.monday(now.today), dates.monday(now.today, 1))
    if match["unit"] == "月":
        return Day(dates.month_start(now.today), dates.month_start(now.today, 1))
    return Day(date(now.today.year, 1, 1), date(now.today.year + 1, 1, 1))


def _two(match: Match, now: Now) -> Day:
    places = sorted("今明后".index(char) for char in match["names"])
    return Day(now.today + timedelta(days=places[0]), now.today + timedelta(days=places[-1] + 1))


RULES: Rules = [
    ("month_from", NUMBER, _FROM, _from),
    ("whole_day", "全整一", _WHOLE_DAY, _whole_day),
    ("day_run", "大昨今明后周星礼", _RUN, _run),
    ("nth_weekday", _MONTH_STARTS, _NTH, _nth_weekday),
    ("month_part", _MONTH_STARTS + "月", _MONTH_PART, _month_part),
    ("month", _MONTH_STARTS, rf"{_A_MONTH}(?![{CN}\d饼嫂经亮球台光子票租费薪销卡考])", _month),
    ("weekend", STEPS + "周星礼", _WEEKEND, _weekend),
    ("week", STEPS, _WEEK, _week),
    ("two_days", "今明后", _TWO, _two),
    ("these_days", "这", _THESE, _these),
    ("bare_inside", "年月周", _INSIDE, _inside),
]

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
    WD,
    WEEK,
    WEEKDAYS,
    YEAR_STARTS,
)
from planner.when.text import number

Match = re.Match[str]

_MONTHS_REL = "(?<!一)下+个?月|这个?月|本月|当月|上个?月"
_YEARS = "前年|去年|今年|本年|明年|来年|后年|[下这]一年|下年"
_A_MONTH = (
    rf"(?:(?P<rel>{_MONTHS_REL})"
    rf"|(?:(?P<year>\d{{4}}(?=年)|{_YEARS})年?的?)?(?<![\d.])(?P<month>{MONTH})月份?)"
)
_WEEK = rf"(?P<rel>{REL})一?个?(?:周(?!年|围|期|边|转|末|岁|报|会|例|刊|{WD})|星期|礼拜)"
_WEEKEND = r"(?P<rel>(?:(?<!一)下{1,4}|上{1,3}|这|本)个?)?(?:周末|(?:星期|礼拜)末)(?!愉快)"
_MONTH_PART = (
    rf"(?:{_A_MONTH}的?月?|月)(?P<part>底|末|初|中旬?|上旬|下旬|最后一天|第一天)(?!级|间|学|国|文|年)"
)
_NTH = rf"{_A_MONTH}的?(?:第(?P<nth>[{CN}\d])|(?P<last>最后一))个?{WEEK}(?P<day>{WD})"
_YEAR_PART = rf"(?P<year>\d{{4}}(?=年)|今年?(?=年)|{_YEARS}|)年?(?P<part>年底|年末|年初|底|末|初)"
_YEAR = (
    rf"(?P<year>20\d\d(?=年)|二[零一二三四五六七八九]{{3}}(?=年)|{_YEARS})年?(?P<half>[上下]半年)?"
    "(?!级|度|轻|纪|终|会)|(?P<half2>[上下]半年)"
)
_QUARTER = r"(?P<rel>这个?|本|下个?|上个?)季度?|第?(?P<nth>[一二三四1-4])季度"
_TWO = r"(?P<names>[今明后]{2})(?:两天|天)"

_MONTH_STARTS = NUMBER + STEPS + YEAR_STARTS
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
    if match["rel"]:
        return days.month_of(match["rel"], now)
    month = number(match["month"])
    if match["year"]:
        return date(days.year_of(match["year"], now), month, 1)
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
        return Day(dates.month_end(first), monthday=-1, month=first.month if match["month"] else None)
    if part == "下旬":
        return Day(first.replace(day=21), dates.add_months(first, 1), certain=False)
    if part in _THIRDS:
        begin, end = _THIRDS[part]
        return Day(first.replace(day=begin), first.replace(day=end), certain=False)
    passed = first < now.floor and not match["rel"]
    step = 12 if match["month"] and not match["year"] else 0 if told else 1
    return Day(dates.add_months(first, step) if passed else first, monthday=1, certain=part == "第一天")


def _nth_weekday(match: Match, now: Now) -> Day:
    nth = -1 if match["last"] else number(match["nth"])
    return Day(dates.nth_weekday(_first_of(match, now), WEEKDAYS[match["day"]], nth))


def _year_part(match: Match, now: Now) -> Day:
    words = match["year"]
    year = days.year_of(words, now) if words and words != "今" else now.floor.year
    if match["part"][-1] in "底末":
        return Day(date(year, 12, 31))
    first = date(year, 1, 1)
    return Day(first if words or first >= now.floor else date(year + 1, 1, 1), certain=False)


def _year(match: Match, now: Now) -> Day:
    year = days.year_of(match["year"], now) if match["year"] else now.today.year
    half = match["half"] or match["half2"]
    if not half:
        return Day(date(year, 1, 1), date(year + 1, 1, 1))
    return Day(date(year, 1, 1), date(year, 7, 1)) if half[0] == "上" else Day(date(year, 7, 1), date(year + 1, 1, 1))


def _quarter(match: Match, now: Now) -> Day:
    if match["nth"]:
        first = date(now.today.year, number(match["nth"]) * 3 - 2, 1)
    else:
        first = dates.month_start(now.today, 3 * _steps(match["rel"]) - (now.today.month - 1) % 3)
    return Day(first, dates.add_months(first, 3))


def _two(match: Match, now: Now) -> Day:
    places = sorted("今明后".index(char) for char in match["names"])
    return Day(now.today + timedelta(days=places[0]), now.today + timedelta(days=places[-1] + 1))


RULES: Rules = [
    ("nth_weekday", _MONTH_STARTS, _NTH, _nth_weekday),
    ("month_part", _MONTH_STARTS + "月", _MONTH_PART, _month_part),
    ("month", _MONTH_STARTS, rf"{_A_MONTH}(?![{CN}\d饼嫂经亮球台光子票租费薪销卡考])", _month),
    ("year_part", YEAR_STARTS + "年", _YEAR_PART, _year_part),
    ("year", YEAR_STARTS + "上下这", _YEAR, _year),
    ("quarter", NUMBER + STEPS + "第", _QUARTER, _quarter),
    ("weekend", STEPS + "周星礼", _WEEKEND, _weekend),
    ("week", STEPS, _WEEK, _week),
    ("two_days", "今明后", _TWO, _two),
]

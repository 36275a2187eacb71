"""Feasts, solar terms and lunar days."""

import re
from datetime import date, timedelta

from planner.when import days, holidays, lunar
from planner.when.atoms import Day, Impossible, Now, Rules
from planner.when.numerals import DOM, NUMBER, YEAR_STARTS
from planner.when.text import number

Match = re.Match[str]

_NAMES = "|".join(sorted(holidays.NAMES, key=len, reverse=True))
_YEARS = "前年|去年|今年|本年|明年|来年|后年"
_MONTH = "正|冬|腊|十[一二]|[一二三四五六七八九十]"
_STARTS = "".join(sorted({name[0] for name in holidays.NAMES})) + YEAR_STARTS + "下"
_SPECIAL = {"正": 1, "冬": 11, "腊": 12}

_FEAST = (
    rf"(?:(?P<year>\d{{4}}(?=年)|{_YEARS})年?的?|下一?个)?(?P<name>{_NAMES})(?:当天|那天)?"
    r"(?P<days>(?:放假)?(?:期间|假期|长假|小长假|黄金周|放假))?(?!快乐|路|街|晚会)"
)
_LUNAR = (
    rf"(?:农历|阴历|旧历)的?(?P<leap>闰)?(?P<month>{_MONTH}|1[0-2]|[1-9])月"
    rf"(?:(?:初|(?=[十廿二三\d]))(?P<day>{DOM})日?)?"
)
_BY_NAME = (
    rf"(?:(?P<month>正|冬|腊)月|(?P<month2>{_MONTH}|1[0-2]|[1-9])月(?=初|(?<=[八8]月)十五))初?(?P<day>{DOM})日?"
)
_FIRST = "(?:大?年|正月)?初(?P<day>十|[一二三四五六七八九])(?!中|高|级|步|次|稿|[一二三]?班)"


def _feast(match: Match, now: Now) -> Day:
    year = days.year_of(match["year"], now) if match["year"] else None
    day = holidays.coming(match["name"], now.floor, year if year != now.today.year else None)
    if day is None:
        raise Impossible(f"不知道{match['name']}是哪一天")
    if not match["days"]:
        return Day(day, feast=True)
    first, length = holidays.holiday_break(match["name"], day)
    return Day(first, first + timedelta(days=length), feast=True)


def _lunar(match: Match, now: Now) -> Day:
    month = _month(match["month"])
    if not match["day"]:
        return _lunar_month(month, now)
    return _lunar_day(month, number(match["day"]), now, leap=bool(match["leap"]))


def _by_name(match: Match, now: Now) -> Day:
    return _lunar_day(_month(match["month"] or match["month2"]), number(match["day"]), now)


def _month(words: str) -> int:
    return _SPECIAL.get(words) or number(words)


def _lunar_day(month: int, day: int, now: Now, *, leap: bool = False) -> Day:
    found = lunar.coming(month, day, now.floor, leap=leap)
    if found is None:
        raise Impossible(f"农历{month}月没有{day}日")
    return Day(found, feast=True)


def _lunar_month(month: int, now: Now) -> Day:
    for year in range(now.floor.year - 1, now.floor.year + 2):
        span = lunar.month_days(year, month)
        if span and span[1] > now.floor:
            return Day(*span)
    raise Impossible("农历只算到2100年")


def _first(match: Match, now: Now) -> Day:
    """«初三» alone is the next such lunar day, which near the Spring Festival is of the first month."""
    day = number(match["day"])
    named = match[0][0] in "大年正"
    found: date | None = lunar.coming(1, day, now.floor) if named else lunar.coming_day(day, now.floor)
    if found is None:
        raise Impossible("农历只算到2100年")
    return Day(found, feast=True, certain=named)


RULES: Rules = [
    ("lunar", "农阴旧", _LUNAR, _lunar),
    ("lunar_named", NUMBER + "正冬腊", _BY_NAME, _by_name),
    ("feast", _STARTS, _FEAST, _feast),
    ("lunar_first", "大年正初", _FIRST, _first),
]

"""Feasts, solar terms and lunar days."""

import re
from datetime import date, timedelta

from planner.when import days, holidays, lunar, moons
from planner.when.atoms import Day, Impossible, Now, Rules
from planner.when.numerals import CN, DOM, NUMBER, YEAR, YEAR_STARTS
from planner.when.text import number

Match = re.Match[str]

_MONTH = "正|冬|腊|十[一二]|[一二三四五六七八九十]"
_STARTS = "".join(sorted({name[0] for name in holidays.NAMES})) + YEAR_STARTS + "下"
LONGEST_MONTH = 30
_SPECIAL = {"正": 1, "冬": 11, "腊": 12}

_FEAST = (
    rf"(?:(?P<year>{YEAR})年?的?|下一?个)?(?P<name>{holidays.PATTERN})(?!(?<=二月二)十)(?:当天|那天)?"
    r"(?P<days>(?:放假)?(?:期间|假期|长假|小长假|黄金周|放假))?(?!快乐|路|街|晚会)"
)
_LUNAR = (
    rf"(?:农历|阴历|旧历)的?(?:(?P<year>{YEAR})年?的?)?(?P<leap>闰)?(?P<month>{_MONTH}|1[0-2]|[1-9])月"
    rf"(?:(?:初|(?=[一二三四五六七八九十廿卅\d]))(?P<day>{DOM})[日号]?)?"
)
_BY_NAME = (
    rf"(?:(?P<leap>闰)(?P<month3>{_MONTH}|1[0-2]|[1-9])月|(?P<month>正|冬|腊)月(?!正时|朔日)"
    rf"|(?P<month2>{_MONTH}|1[0-2]|[1-9])月(?=初[{CN}\d]|[廿卅]|(?<=[八8]月)十五))(?:初?(?P<day>{DOM})日?(?!点|月))?"
)
_TWENTY = "(?P<day>廿[一二三四五六七八九]?|卅)(?![一二三四五六七八九点日个分天周年小秒刻人块元岁])"
_FIRST = "(?:大?年|正月)?初(?P<day>十|[一二三四五六七八九])(?!中|高|级|步|次|稿|[一二三]?班)"
# «节后上班», «年前把账结了»; not «三年前», «季节前», «青年后».
_BREAK = (
    r"(?:(?:(?<![一-龥])|(?<=[今明去]年)(?=过)|(?<=[我你他她们请要就等到想在把是务必打算计划]))(?:过?年|过完年)|小?长假|(?<![一-龥])节|(?<=[我你他她们请要就等到想在把是务必打算计划过])节)"
    rf"(?=(?:结束|过)?[之以]?[前后](?![面台几两半{CN}\d]|[^,。;]{{0,6}}(?:[买做说见过去]的|那次)))"
)


def _feast(match: Match, now: Now) -> Day:
    year = days.year_of(match["year"], now) if match["year"] else now.year if now.whole_year else None
    day = holidays.coming(match["name"], now.floor, year)
    if day is None:
        raise Impossible(f"不知道{match['name']}是哪一天")
    name = match["name"]
    if match["days"]:
        return Day(*holidays.holiday_break(name, day), feast=True)
    month, monthday = holidays.fixed_day(name) or (None, None)
    southern = day + timedelta(days=1) if name == "小年" else None
    return Day(day, feast=True, lunar=holidays.lunar_day(name), certain=name not in moons.SIGHTED and not southern,
               month=month, monthday=monthday, name=name, other=southern)


def _break(match: Match, now: Now) -> Day | None:
    """«节后» is of the coming break, «年前» of the Spring Festival."""
    span = holidays.coming_break("春节", now.today) if "年" in match[0] else holidays.next_break(now.today)
    if span is None:
        return None
    year = now.year if now.whole_year else None
    new_year = holidays.coming("春节", span[0], year) if "年" in match[0] else None
    return Day(new_year or span[0], feast=True, name="春节") if new_year else Day(*span, feast=True)


def _lunar(match: Match, now: Now) -> Day:
    year = days.year_of(match["year"], now) if match["year"] else _said_year(now)
    return _told(match, _month(match["month"]), now, year)


def _by_name(match: Match, now: Now) -> Day:
    return _told(match, _month(match["month"] or match["month2"] or match["month3"]), now, _said_year(now))


def _said_year(now: Now) -> int | None:
    """A year that was named counts as the lunar one."""
    return now.year if now.whole_year else None


def _told(match: Match, month: int, now: Now, year: int | None) -> Day:
    leap = bool(match["leap"])
    if not match["day"]:
        return _lunar_month(month, now, year, leap=leap)
    if year is None:
        return _lunar_day(month, number(match["day"]), now, leap=leap)
    found = lunar.civil(year, month, number(match["day"]), leap=leap)
    if found is None:
        raise Impossible(f"农历{year}年没有{match[0]}")
    return Day(found, feast=True, lunar=(month, number(match["day"])))


def _month(words: str) -> int:
    return _SPECIAL.get(words) or number(words)


def _lunar_day(month: int, day: int, now: Now, *, leap: bool = False) -> Day:
    found = lunar.coming(month, day, now.floor, leap=leap)
    if found is None:
        raise Impossible(f"近年农历没有闰{month}月" if leap and day <= LONGEST_MONTH else f"农历{month}月没有{day}日")
    return Day(found, feast=True, lunar=(month, day))


def _lunar_month(month: int, now: Now, year: int | None, *, leap: bool) -> Day:
    years = [year] if year else range(now.floor.year - 1, now.floor.year + (20 if leap else 2))
    for each in years:
        span = lunar.month_days(each, month, leap=leap)
        if span and (year or span[1] > now.floor):
            return Day(*span, feast=True)
    raise Impossible(f"近年农历没有闰{month}月" if leap else "农历只算到2100年")


def _twenty(match: Match, now: Now) -> Day:
    found = lunar.coming_day(number(match["day"]), now.floor)
    if found is None:
        raise Impossible("农历只算到2100年")
    return Day(found, feast=True, certain=False)


def _first(match: Match, now: Now) -> Day:
    """«初三» alone is the next such lunar day, which near the Spring Festival is of the first month."""
    day, year = number(match["day"]), _said_year(now)
    if year and (told := lunar.civil(year, 1, day)):
        return Day(told, feast=True)
    named = match[0][0] in "大年正"
    found: date | None = lunar.coming(1, day, now.floor) if named else lunar.coming_day(day, now.floor)
    if found is None:
        raise Impossible("农历只算到2100年")
    return Day(found, feast=True, certain=named)


RULES: Rules = [
    ("lunar", "农阴旧", _LUNAR, _lunar),
    ("lunar_named", NUMBER + "正冬腊闰", _BY_NAME, _by_name),
    ("lunar_twenty", "廿卅", _TWENTY, _twenty),
    ("feast", _STARTS, _FEAST, _feast),
    ("lunar_first", "大年正初", _FIRST, _first),
    ("break", "节长小年过", _BREAK, _break),
]

"""Years and what is longer or named within one: halves, quarters, seasons, decades, centuries."""

import re
from datetime import date

from planner.when import dates, days, terms, within
from planner.when.atoms import Day, Now, Rules
from planner.when.numerals import CN, MONTH, NUMBER, STEPS, TO, YEAR, YEAR_STARTS, YEARS
from planner.when.text import number

Match = re.Match[str]

_YEAR_PART = rf"(?:(?<!\d)(?P<digits>\d\d)年(?=年?[底末初])|(?P<year>{YEAR}|)年?)(?P<part>年底|年末|年初|年终|底|末|初)(?![一二三四五六七八九十]|中|高|级)"
_YEAR = (
    rf"(?P<year>{YEAR})年?(?:的?(?P<half>[上下]半年))?"
    r"(?!级|度|轻|纪|终|会|[版款]本)|(?P<half2>[上下]半年)"
)
# «15年» may be a length as well: a year where a part of a year follows, or where no round number is said alone.
_PART_OF_YEAR = rf"的?(?:(?:{MONTH})月|第[{CN}\d]|[{CN}\d]季度|[上下]半年|[春夏秋冬]|年?[底初末]|前[{CN}\d两]+个|腊月|正月|农历|阴历|[大小]?[一-龥]{{0,4}}[节旦庆夕秋午宵]|{'|'.join(terms.NAMES)})"
_SHORT_YEAR = (
    rf"(?<![\d第{CN}])(?P<digits>\d\d|[零一二三四五六七八九]{{2}})年"
    rf"(?:(?={_PART_OF_YEAR})|(?<![0十]年)(?=$|[到至~,。的-])(?!的?老))"
)
_QUARTER = rf"(?P<rel>这一?个?|本|下{{1,2}}一?个?|上{{1,2}}一?个?)季度?|前(?P<first>[两二三])个?季度?|第?(?P<nth>[一二三四1-4])季度?(?![{CN}])|[qQ](?P<q>[1-4])(?![\da-zA-Z])"
_QUARTER_EDGE = r"(?<![一二三四1-4个本上下每])季度?(?P<edge>[初末底])(?![级节])"
_SEASON = r"(?P<name>[春夏秋冬])(?:[天季](?!衣|服|装|新款)|(?<=年[春夏秋冬])(?!节|分|至|游|招|晚))"
_SCHOOL = "(?P<name>暑假|寒假)(?![作工班])"
_DECADE = rf"(?:(?P<full>(?:19|20)\d)0|(?:(?P<century>\d\d|[{CN}]+|[上本])个?世纪的?)?(?P<decade>[1-9]0|[一二三四五六七八九]十))年代"
_CENTURY = rf"(?P<century>\d\d|[{CN}]+|[上本下])个?世纪(?!公园|末)"
_TWO = "(?P<names>今明|明后|去今)两年"
_YEAR_MONTH = r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?P<mark>[./-])(?P<month>0?[1-9]|1[0-2])(?![\d./]|-(?!(?:19|20)\d\d))"

_FROM = rf"(?<![\d.\-/])(?P<year>(?:19|20)\d\d)(?={TO}(?:(?:19|20)?\d\d年|{YEARS}))"

_SEASONS = {"春": ("立春", "立夏"), "夏": ("立夏", "立秋"), "秋": ("立秋", "立冬"), "冬": ("立冬", "立春")}
_SCHOOLS = {"暑假": (7, 9), "寒假": (1, 3)}
# A year of two digits lies at most so far ahead; else it is of the century before.
_AHEAD = 11


def _whole(year: int) -> Day:
    return Day(date(year, 1, 1), date(year + 1, 1, 1))


def _year(match: Match, now: Now) -> Day:
    year = days.year_of(match["year"], now) if match["year"] else now.year
    half = match["half"] or match["half2"]
    if not half:
        return _whole(year)
    return Day(date(year, 1, 1), date(year, 7, 1)) if half[0] == "上" else Day(date(year, 7, 1), date(year + 1, 1, 1))


def _short_year(match: Match, now: Now) -> Day:
    return _whole(of_two_digits(match["digits"], now))


def of_two_digits(digits: str, now: Now) -> int:
    year = now.today.year // 100 * 100 + number(digits)
    return year - 100 if year > now.today.year + _AHEAD else year


def _year_part(match: Match, now: Now) -> Day:
    words = match["year"] or match["digits"]
    year = of_two_digits(match["digits"], now) if match["digits"] else now.floor.year
    year = days.year_of(match["year"], now) if match["year"] else year
    if match["part"][-1] in "底末终":
        return Day(date(year, 12, 31), loose=(date(year, 11, 1), date(year + 1, 1, 1)))
    first = date(year, 1, 1)
    first = first if words or first >= now.floor else date(year + 1, 1, 1)
    return Day(first, certain=False, loose=(first, first.replace(month=3)))


def _from(match: Match, now: Now) -> Day:
    return _whole(int(match["year"]))


def _quarter(match: Match, now: Now) -> Day:
    if match["first"]:
        return Day(date(now.year, 1, 1), date(now.year, number(match["first"]) * 3 + 1, 1))
    if nth := match["nth"] or match["q"]:
        first = date(now.year, number(nth) * 3 - 2, 1)
    else:
        steps = match["rel"].count("下") - match["rel"].count("上")
        first = dates.month_start(now.today, 3 * steps - (now.today.month - 1) % 3)
    return Day(first, dates.add_months(first, 3))


def _quarter_edge(match: Match, now: Now) -> Day:
    """«季末» of the quarter we are in, «季初» the coming one."""
    first = dates.month_start(now.today, -((now.today.month - 1) % 3))
    early = match["edge"] == "初"
    first = dates.add_months(first, 3) if early and first < now.today else first
    return within.quarter_edge(first, dates.add_months(first, 3), early=early)


def _season(match: Match, now: Now) -> Day | None:
    """The one we are in, or the next."""
    begins, ends = _SEASONS[match["name"]]
    for year in range(now.floor.year - 1, now.floor.year + 2):
        first = terms.of_year(begins, year)
        last = terms.coming(ends, first) if first else None
        if first and last and last > now.floor and (not now.span or first >= now.floor):
            return Day(first, last, certain=False)
    return None


def _school(match: Match, now: Now) -> Day:
    begins, ends = _SCHOOLS[match["name"]]
    year = now.floor.year if date(now.floor.year, ends, 1) > now.floor else now.floor.year + 1
    return Day(date(year, begins, 1), date(year, ends, 1), certain=False)


def _decade(match: Match, now: Now) -> Day:
    if match["full"]:
        return Day(date(int(match["full"]) * 10, 1, 1), date(int(match["full"]) * 10 + 10, 1, 1))
    told = match["century"]
    first = _century_start(told, now) if told else now.today.year // 100 * 100
    tens = number(match["decade"])
    if not told and first + tens > now.today.year + _AHEAD:
        first -= 100
    return Day(date(first + tens, 1, 1), date(first + tens + 10, 1, 1))


def _century_start(words: str, now: Now) -> int:
    steps = {"上": -100, "本": 0, "下": 100}
    return now.today.year // 100 * 100 + steps[words] if words in steps else number(words) * 100 - 100


def _century(match: Match, now: Now) -> Day | None:
    first = _century_start(match["century"], now)
    return Day(date(first, 1, 1), date(first + 100, 1, 1)) if first > 0 and first < 9900 else None


def _two(match: Match, now: Now) -> Day:
    first = now.today.year + {"今明": 0, "明后": 1, "去今": -1}[match["names"]]
    return Day(date(first, 1, 1), date(first + 2, 1, 1))


def _year_month(match: Match, now: Now) -> Day:
    first = date(int(match["year"]), int(match["month"]), 1)
    return Day(first, dates.add_months(first, 1), month=first.month)


RULES: Rules = [
    ("year_part", NUMBER + YEAR_STARTS + "年", _YEAR_PART, _year_part),
    ("two_years", "今明去", _TWO, _two),
    ("decade", NUMBER + "上本", _DECADE, _decade),
    ("century", NUMBER + "上本下", _CENTURY, _century),
    ("year_from", "12", _FROM, _from),
    ("short_year", NUMBER, _SHORT_YEAR, _short_year),
    ("year_month", "12", _YEAR_MONTH, _year_month),
    ("year", YEAR_STARTS + "上下这", _YEAR, _year),
    ("quarter", NUMBER + STEPS + "第前qQ", _QUARTER, _quarter),
    ("bare_quarter_edge", "季", _QUARTER_EDGE, _quarter_edge),
    ("season", "春夏秋冬", _SEASON, _season),
    ("school", "暑寒", _SCHOOL, _school),
]

"""Single days: by name, by weekday, by number."""

import re
from dataclasses import replace
from datetime import date, timedelta

from planner.when import dates
from planner.when.atoms import Day, Impossible, Now, Rules
from planner.when.numerals import (
    CN,
    DOM,
    MONTH,
    NUMBER,
    REL,
    SEP,
    STEPS,
    TO,
    WD,
    WEEK,
    WEEKDAYS,
    N,
)
from planner.when.text import number

Match = re.Match[str]

NAMED = {"听": 1, "寻": -1, "琴": -1, "本": 0, "同": 0, "次": 1, "翌": 1, "大前": -3, "前": -2, "昨": -1, "今": 0, "当": 0, "明": 1, "后": 2, "大后": 3, "大大后": 4}
_YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "本年": 0, "当年": 0, "明年": 1, "来年": 1, "次年": 1}
_YEARS |= {"后年": 2, "大后年": 3, "下年": 1, "下一年": 1, "这一年": 0, "这年": 0, "上年": -1, "上一年": -1, "翌年": 1}
_FAR_AHEAD = 20
_ROOMS = (
    "线(?![上下])|楼|院(?![庆里])|机(?![票场])|厅|码|门(?!诊)|桌(?!游)|店(?![庆里])|馆|库(?!存)|口(?![试语])|文件|字|球(?![赛局])|选手"
    "|车(?![检险票展贷])|铺|仓(?!库)|员(?!工)|房(?![租贷东产])|会议室|公寓|病(?!假)|柜|台|宿舍|信(?![用息])"
)
_LIST_END = r"(?=$|[\s,。;、的都各早上中下晚傍凌夜每分去]|[零一二两三四五六七八九十\d]+[点:])"

_RELATIVE = (
    rf"(?P<name>(?:本|同|[次翌])(?=日)|大大后|大后|大前|(?:听|寻|琴)(?=日|(?:晚|朝早?)[{CN}\d]+[点:])|(?<!目)前|(?<![以之然])后|[昨今当]|(?<![声证文照])(?<!说(?=明[日儿]))明)"
    r"(?:天(?!气(?!温))|日(?!志|元|本|报|程)|儿个?|个儿|(?=[早晚夜晨](?!点))|(?<=[听寻琴])(?=[晚朝]))"
)
_WEEKDAY = (
    rf"(?P<rel>{REL}个?)?{WEEK}(?P<day>{WD})(?![次遍趟程]|(?<=[一每两]周.)回|(?<=[一每两](?:星期|礼拜).)回|围|(?<=一)共(?!同|享|进))"
    rf"(?P<list>(?:(?![两三四五六七]天)[一二三四五六日天]){{1,6}}(?P<run>这?[两三四五六七]天)(?=[\s,都去在出要]|$)|(?:{SEP}?(?!一大?早|(?P=day))[一二三四五六日天]|[、和跟及与]{WEEK}[一二三四五六日天]){{1,7}}{_LIST_END}"
    rf"|[一二三四五六日天]{{2,6}}(?![十百千万个点月号块元年一二三四五六日天:]|{_ROOMS}))?"
)
_NO_WEEKDAY = rf"(?:{REL}个?)?{WEEK}[八九十](?![点:月个号\d十一二三四五六七八九])"
_PAREN_WEEKDAY = rf"\((?:{WEEK})(?P<day>[一二三四五六日天])\)"
_MONTHDAY = (
    rf"(?<![\d.])(?!二月二(?![十日号]))(?P<month>\d{{1,2}}|十[三-九]|{MONTH})月的?(?P<day>\d{{1,2}}|{DOM})"
    rf"(?:[日号](?!线)|(?={TO}(?:{DOM}|\d{{1,2}})[日号])|(?![\d个次人天块元%折点:月周年级]|花))"
    rf"(?P<also>(?:(?:{SEP}|(?<=[日号])){DOM}[日号])+)?"
)
_NUMERIC = (
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-/.](?P<month>\d{1,2})[-/.]|\s(?P<month2>\d{1,2})\s)"
    r"(?P<day>\d\d(?=\d\d:)|\d{1,2}(?!\d))[日号]?"
)
_YEAR_LAST = r"(?<![\d/])(?P<month>1[0-2]|0?[1-9])/(?P<day>[12]\d|3[01]|0?[1-9])/(?P<year>(?:19|20)\d\d|\d\d)(?![\d/])"
# «26.5.1»: two digits of a year; not a version of something.
_SHORT_YEAR = (
    r"(?<![\d./A-Za-z-])(?<![A-Za-z版本到]\s)(?<![版本])(?P<year>1[3-9]|[2-4]\d)(?P<mark>[./-])"
    r"(?P<month>1[0-2]|0?[1-9])(?P=mark)(?P<day>[12]\d|3[01]|0?[1-9])(?![\d./%A-Za-z-]|版)[日号]?"
)
_COMPACT = r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?!\d)"
_SHORT = (
    r"(?<![\d./·:])(?P<month>1[0-2]|0?[1-9])(?P<mark>[./·])(?P<day>[12]\d|3[01]|0?[1-9])"
    r"(?![\d./%a-zA-Z·]|[倍元块米斤升寸]|小时|公里|个|版|万|亿|号楼|点\d)[日号]?"
    r"|(?<![\d./-])(?P<month2>1[0-2]|0?[1-9])-(?P<day2>[12]\d|3[01]|0?[1-9])(?=\s\d\d?:)"
    r"|(?<![\d./-])(?P<month3>0\d|1[0-2])-(?P<day3>[0-2]\d|3[01])(?![\d-])"
)
_OF_MONTH = rf"(?P<rel>(?<!一)下{{1,4}}个?月|[这今]个?月|本月|当月|同月|上{{1,3}}个?月)的?(?P<day>{N})(?:[日号])(?![线楼])"
_BARE = (
    r"(?<![\d.第月年/])(?P<day>\d{1,2}|[一二三四五六七八九十廿]{1,3}(?=号)|(?<![\u4e00-\u9fa5])[一二三四五六七八九](?=日(?:$|[\s,。]|[早上下中晚凌傍]|\d{1,2}[点:]|[一二两三四五六七八九十]{1,3}点))|[二三]?十[一二三四五六七八九]?)"
    rf"(?:号(?!{_ROOMS})|日(?![游后内之元本三间均]))"
)
_FROM = rf"(?<![\d.第年/-])(?P<day>\d{{1,2}}|{DOM})(?={TO}(?:\d{{1,2}}|{DOM})[日号](?!{_ROOMS}|[日号]|前?后))"
_NTH_DAY = r"(?:(?<=[\s,。;、])|^)第(?P<nth>\d{1,2}|[二三四五六七八九十]{1,2})天(?=起|[上下中]午|早|晚|傍|凌|\d{1,2}[:点])"
_DOM = DOM
_LIST = rf"(?P<numbers>{_DOM}[日号]?(?:{SEP}{_DOM}[日号]?){{0,9}}{SEP}{_DOM}[日号])(?!{_ROOMS})"


def year_of(words: str, now: Now) -> int:
    return now.year + _YEARS[words] if words in _YEARS else number(words)


def month_of(words: str, now: Now) -> date:
    """The first day of «下个月», «下下个月», «上个月», «本月»."""
    return dates.month_start(now.today, words.count("下") - words.count("上"))


def _relative(match: Match, now: Now) -> Day:
    day = (now.anchor or now.today) + timedelta(days=NAMED[match["name"]])
    if now.span and not now.anchor:
        day = dates.same_day(day, *now.span)
    return Day(day, named=True)


def _weekday(match: Match, now: Now) -> Day:
    listed = (match["list"] or "").removesuffix(match["run"] or "\n")
    told = [_one_weekday(match["rel"], WEEKDAYS[char], now) for char in [match["day"], *_listed(listed)]]
    return replace(told[0], also=tuple(told[1:])) if told[1:] else told[0]


def _listed(words: str) -> list[str]:
    return [char for char in words if char in WEEKDAYS]


def _one_weekday(rel: str | None, weekday: int, now: Now) -> Day:
    if not rel:
        first = now.floor + timedelta(days=(weekday - now.floor.weekday()) % 7)
        return Day(first, roll="week", weekday=weekday, certain=first != now.today)
    weeks = rel.count("下") - rel.count("上")
    first = dates.monday(now.today, weeks) + timedelta(days=weekday)
    return Day(first, weekday=weekday, anchored=True, certain=weeks < 0 or first >= now.today)


def _no_weekday(match: Match, now: Now) -> Day:
    raise Impossible(f"没有“{match[0]}”")


def _paren_weekday(match: Match, now: Now) -> Day:
    return _one_weekday(None, WEEKDAYS[match["day"]], now)


def _monthday(match: Match, now: Now) -> Day:
    month, day = number(match["month"]), number(match["day"])
    told = _yearless(month, day, now)
    if not match["also"]:
        return told
    return replace(told, also=tuple(_yearless(month, number(words), now) for words in re.findall(DOM, match["also"])))


def _yearless(month: int, day: int, now: Now) -> Day:
    if now.whole_year:
        return Day(dates.of(now.year, month, day), month=month, monthday=day, named=True)
    return Day(dates.coming_yearday(month, day, now.floor), roll="year", month=month, monthday=day)


def _numeric(match: Match, now: Now) -> Day:
    month, day = int(match["month"] or match["month2"]), int(match["day"])
    return Day(dates.of(int(match["year"]), month, day), month=month, monthday=day, named=True)


def _compact(match: Match, now: Now) -> Day:
    month, day = int(match["month"]), int(match["day"])
    return Day(dates.of(int(match["year"]), month, day), month=month, monthday=day, named=True)


def _short_year(match: Match, now: Now) -> Day | None:
    """Of this year or a later one; else it is the number of something."""
    month, day, year = int(match["month"]), int(match["day"]), now.today.year // 100 * 100 + int(match["year"])
    return Day(dates.of(year, month, day), month=month, monthday=day, named=True) if year >= now.today.year else None


def _nth_day(match: Match, now: Now) -> Day:
    """«第三天上午»: today is the first."""
    return Day(now.today + timedelta(days=number(match["nth"]) - 1), named=True, certain=False)


def _year_last(match: Match, now: Now) -> Day:
    """«3/20/2027»; of two digits they are of this century, or of the last where they lie far ahead."""
    year = int(match["year"])
    if year < 100:
        year += now.today.year // 100 * 100
        year -= 100 if year > now.today.year + _FAR_AHEAD else 0
    month, day = int(match["month"]), int(match["day"])
    return Day(dates.of(year, month, day), month=month, monthday=day, named=True)


def _short(match: Match, now: Now) -> Day:
    month, day = (next(filter(None, match.group(name, name + "2", name + "3"))) for name in ("month", "day"))
    return _yearless(int(month), int(day), now)


def _of_month(match: Match, now: Now) -> Day:
    month, day = month_of(match["rel"], now), number(match["day"])
    return Day(dates.of(month.year, month.month, day), monthday=day, named=True)


def _bare(match: Match, now: Now) -> Day:
    return _one_bare(number(match["day"]), now)


def _one_bare(day: int, now: Now) -> Day:
    return Day(dates.coming_monthday(day, now.floor), roll="month", monthday=day)


def _list(match: Match, now: Now) -> Day:
    told = [_one_bare(number(words), now) for words in re.findall(rf"\d+|{DOM}", match["numbers"])]
    return replace(told[0], also=tuple(told[1:]))


RULES: Rules = [
    ("numeric", "12", _NUMERIC, _numeric),
    ("year_last", "0123456789", _YEAR_LAST, _year_last),
    ("compact", "12", _COMPACT, _compact),
    ("short_year_date", "1234", _SHORT_YEAR, _short_year),
    ("day_from", NUMBER, _FROM, _bare),
    ("nth_day", "第", _NTH_DAY, _nth_day),
    ("monthday", NUMBER, _MONTHDAY, _monthday),
    ("of_month", STEPS + "同", _OF_MONTH, _of_month),
    ("short_date", "0123456789", _SHORT, _short),
    ("day_list", NUMBER, _LIST, _list),
    ("bare_day", NUMBER, _BARE, _bare),
    ("weekday", STEPS + "周星礼", _WEEKDAY, _weekday),
    ("no_weekday", STEPS + "周星礼", _NO_WEEKDAY, _no_weekday),
    ("paren_weekday", "(", _PAREN_WEEKDAY, _paren_weekday),
    ("relative", "大前后昨今当明本同次翌听寻琴", _RELATIVE, _relative),
]

"""Times of day."""

import re
from datetime import datetime, timedelta

from planner.when.atoms import WAKING, Clock, Impossible, Instant, Now, Part, Rules, SameClock
from planner.when.numerals import CN, NUMBER
from planner.when.text import number

Match = re.Match[str]

_EARLY = range(4, WAKING.start)
_SHARP = "整(?![理改顿修合治齐容装编形])"  # 九点整，but 九点整理
_HOUR = r"(?:\d{1,2}|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])"
_COUNTED = "[个位人天件块元次号月份条本页台张家斤米楼层度岁]"
_NOT_A_CLOCK = "意见|建议|要求|想法|水|原因|体会|共识|内容|注意|理由|儿|之前的"
_MINUTE = (
    rf"(?P<half>半(?!价|成品|程马))|过?(?P<quarter>[一二三123])刻钟?|过?(?P<minute>[零0]?[{CN}]{{1,3}}|\d{{1,2}})分(?!钟[后内])"
    rf"|(?P<bare>零[{CN}]|[一二三四五]?十[{CN}]?|\d{{2}}|十)(?!\d|{_COUNTED}|[点:])"
)
_CLOCK = (
    rf"(?<![\d:.])(?P<hour>{_HOUR})(?:点|时(?![候间常刻代装差长段限期不光尚分事]))(?!{_NOT_A_CLOCK})(?:[钟多]|{_SHARP})*"
    rf"(?:{_MINUTE})?(?:(?P<second>[{CN}\d]{{1,3}})秒)?(?:左右|前后|的样子|的光景|光景|出头)?"
)
_COLON = (
    r"(?:(?<![\d:.])|(?<=\d-\d\d-\d\d))(?P<hour>\d{1,2})\s?:\s?(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?:\s?(?P<half>[aApP])\.?[mM]\.?|时(?![候间]))?(?!\d)"
)
_MERIDIEM = r"(?<![\d:.a-zA-Z])(?P<hour>\d{1,2})\s?(?P<half>[aApP])\.?[mM](?![a-zA-Z])"
_LESS = rf"(?:(?P<less>[{CN}]{{1,3}}|\d{{1,2}})分钟?|[一1]刻钟?)"
# Cantonese counts the twelfths of the hour: «三点踏三» and «三点三个字» are a quarter past, «晏昼三点一» is five past.
_TWELFTH = (
    rf"(?P<hour>{_HOUR})点(?:[踏搭](?:(?P<half>半)|(?P<past>[一二三四五六七八九十]|1[01]|[1-9]))|(?P<words>[一二两三四五六七八九十]|1[01]|[1-9])个字)"
    rf"|(?<=[昼])(?P<hour2>{_HOUR})点(?P<bare>[一二三四五六七八九])(?![{CN}\d点分刻个])"
)
_SHORT = rf"差{_LESS}(?:到|不到)?(?P<hour>{_HOUR})点(?:钟|{_SHARP})?"
_SHORT_AFTER = rf"(?P<hour>{_HOUR})点差{_LESS}"
_ABOUT = r"(?P<first>[一二两三四五六七八九])(?P<second>[二三四五六七八九])点(?:钟|多|左右)?|(?P<tens>十一二)点"
_UP_TO = rf"(?<![\d:.])(?P<hour>{_HOUR})\s?(?:[到至~]|-)\s?(?={_HOUR}点)"
_MINUTE_ALONE = (
    r"(?<![\d点时:.])(?P<minute>0\d|(?:(?<=[\s,。;到等在])|^)[1-5]\d(?=分(?:$|[\s,。;]|提醒|叫|喊|准时|出发|集合|开始)))分(?![钟之以内后前])"
)
_SAME = "(?<=[天日晚早儿周一二三四五六])这会儿?|(?:这|那)个(?:点|时候|时间)(?!就|去)|(?:同一|同样的?)(?:个?时间|时刻)|此刻|此时"


def _clock(match: Match, now: Now) -> Clock:
    hour, minute = number(match["hour"]), number(match["minute"] or match["bare"] or "0")
    if match["half"]:
        minute = 30
    if match["quarter"]:
        minute = 15 * number(match["quarter"])
    fixed = hour > 12 or match["hour"][0] in "0零"
    second = match["second"]
    return _checked(match, Clock(hour, minute, number(second or "0"), fixed=fixed, to_second=bool(second)))


def _colon(match: Match, now: Now) -> Clock:
    hour, fixed = _meridiem(match)
    second = match["second"]
    told = Clock(hour, int(match["minute"]), int(second or 0), fixed=fixed or bool(second), to_second=bool(second))
    return _checked(match, told)


def _hour_meridiem(match: Match, now: Now) -> Clock:
    hour, _ = _meridiem(match)
    return _checked(match, Clock(hour, fixed=True))


def _meridiem(match: Match) -> tuple[int, bool]:
    hour, half = int(match["hour"]), match["half"]
    if half and hour <= 12:
        return hour % 12 + (12 if half in "pP" else 0), True
    return hour, hour >= 12 or match["hour"][0] == "0"


def _short_of(match: Match, now: Now) -> Clock:
    hour, less = number(match["hour"]), number(match["less"]) if match["less"] else 15
    return _checked(match, Clock(12 if hour == 1 else hour - 1, 60 - less, fixed=hour > 13))


def _about(match: Match, now: Now) -> Clock:
    first, second = (11, 12) if match["tens"] else (number(match["first"]), number(match["second"]))
    if second != first + 1:
        raise Impossible(f"“{match[0]}”看不出是几点")
    return Clock(first, upto=second)


def _up_to(match: Match, now: Now) -> Clock:
    return _checked(match, Clock(number(match["hour"])))


def _twelfth(match: Match, now: Now) -> Clock:
    told = match["past"] or match["words"] or match["bare"]
    return _checked(match, Clock(number(match["hour"] or match["hour2"]), 30 if match["half"] else 5 * number(told)))


def _minute(match: Match, now: Now) -> Instant:
    """«05分» by itself is the coming one."""
    begun = now.ref.replace(minute=number(match["minute"]), second=0, microsecond=0)
    return Instant(begun if begun > now.ref else begun + timedelta(hours=1))


def _same(match: Match, now: Now) -> SameClock:
    return SameClock()


def _checked(match: Match, told: Clock) -> Clock:
    over = told.hour > 24 or (told.hour == 24 and (told.minute or told.second))
    if over or not 0 <= told.minute < 60 or not 0 <= told.second < 60:
        raise Impossible(f"没有“{match[0].strip()}”这个时间")
    return told


RULES: Rules = [
    ("short_of", "差", _SHORT, _short_of),
    ("short_after", NUMBER, _SHORT_AFTER, _short_of),
    ("about", NUMBER, _ABOUT, _about),
    ("clock_range", NUMBER, _UP_TO, _up_to),
    ("twelfth", NUMBER, _TWELFTH, _twelfth),
    ("clock", NUMBER, _CLOCK, _clock),
    ("colon", "0123456789", _COLON, _colon),
    ("meridiem", "0123456789", _MERIDIEM, _hour_meridiem),
    ("minute", "012345", _MINUTE_ALONE, _minute),
    ("same_clock", "这那同此", _SAME, _same),
]


def offsets(told: Clock, part: Part | None) -> list[int]:
    """Readings of a clock time in seconds from the day's midnight, earliest first; beyond a day it is the next."""
    return [hour * 3600 + told.minute * 60 + told.second for hour in _hours(told.hour, told.fixed, part)]


def _hours(hour: int, fixed: bool, part: Part | None) -> list[int]:
    if part is None or 12 < hour < 24:
        return [hour] if fixed or hour in (0, 12, 24) else [hour, hour + 12]
    match part.half:
        case "evening":
            return [hour + 24 if hour < 5 else 24 if hour in (12, 24) else hour + 12]
        case "dawn":
            return [hour % 12]
        case "night":
            return [hour + 12 if 6 <= hour <= 11 else hour % 12 + 24]
        case "noon":
            return [hour if hour >= 10 else hour + 12]
        case "pm":
            return [hour if hour == 12 else hour + 12]
    return [hour]


def waking(times: list[datetime], ref: datetime) -> list[datetime]:
    """The readings inside the waking day; all of them where none is. Who writes at five is awake."""
    early = ref.hour if ref.hour in _EARLY else WAKING.start
    return [time for time in times if time.hour in WAKING or (early <= time.hour and time.date() == ref.date() and time.hour < WAKING.stop)] or times


def at(midnight: datetime, seconds: int) -> datetime:
    """By the wall clock: the hour that was said is the hour it is, whatever the clocks do that night."""
    return midnight + timedelta(seconds=seconds)

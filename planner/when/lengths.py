"""How long, and how long from now."""

import re
from datetime import UTC, datetime, timedelta

from planner.when import dates
from planner.when.atoms import Atom, Day, Instant, Length, Now, Repeat, Rules
from planner.when.numerals import CN, NUMBER
from planner.when.text import number

Match = re.Match[str]

_COUNT = rf"(?:\d+(?:\.\d+)?|[{CN}两]+|半)"
_UNIT = "(?:小时|钟头|分钟|秒钟|刻钟|星期|礼拜|天|日|周|秒|分|月|年|点钟)"
_PIECE = rf"(?:{_COUNT}\s?个?半?\s?{_UNIT}半?)"
_SAFE = (
    rf"(?:(?:\d+(?:\.\d+)?|[{CN}两]+)?个?半个?(?:多)?(?:小时|钟头|月|天|年)"
    rf"|(?:\d+(?:\.\d+)?|[{CN}两]+)\s?(?:个半?(?:多)?(?:小时|钟头|月|星期|礼拜)|(?:多)?小时|分钟|秒钟?|刻钟|星期|礼拜"
    rf"|天(?!气)|周(?!次|[一二三四五六日天]|末|年)|年(?!级|次|[底末初])|日(?=[之以]?[后内])|分(?=[之以]?[后内]|半|[\d{CN}]+秒))半?)"
)
LENGTH = rf"(?:{_SAFE})(?:零?{_PIECE}(?!期))*"

_PREFIX = (
    r"(?P<next>接下来的?|接下去|往后|后面|之后的?)|(?P<past>最近|近|过去的?)|(?P<from>未来的?|今后|(?P<rest>(?<![推往向延以之然])后(?=[\d两一三四五六七八九十])))"
    r"|(?P<pass>再?过)|(?P<lead>提前(?:个|大概|至少)?|提早)|(?P<every>每隔?|间?隔)"
)
_SUFFIX = r"(?P<after>[之以过]?后(?![天面续台者]))|(?P<within>[之以]?内)|(?P<before>[之以]?前(?![天面往]))"
_WORKDAYS = rf"(?P<count>\d{{1,3}}|[{CN}两]{{1,3}})个?工作日(?:(?P<within>[之以]?内)|[之以]?后)"
_RULE = rf"(?:{_PREFIX}|(?<![\d.第每个下上这周]))(?P<length>{LENGTH})(?:{_SUFFIX})?"
_ONE = re.compile(
    rf"(?P<count>{_COUNT})?\s?个?(?P<half>半)?个?多?\s?(?P<unit>小时|钟头|分钟|秒钟|刻钟|星期|礼拜|[天日周秒分月年])(?P<tail>半)?"
)
_SATURDAY = 5
_SECONDS = {"小时": 3600, "钟头": 3600, "分钟": 60, "分": 60, "秒钟": 1, "秒": 1, "刻钟": 900}
_DAYS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}
_MONTHS = {"月": 1, "年": 12}


def parse(words: str) -> Length:
    """«一个半小时», «两小时二十分钟», «半个月»."""
    months = days = seconds = 0.0
    by_clock = False
    for piece in _ONE.finditer(words):
        count, unit = _count(piece), piece["unit"]
        months += count * _MONTHS.get(unit, 0)
        days += count * _DAYS.get(unit, 0)
        seconds += count * _SECONDS.get(unit, 0)
        by_clock = by_clock or unit in _SECONDS
    days += (months % 1) * 30
    whole = int(days)
    seconds += (days - whole) * 86400
    return Length(int(months), whole, round(seconds), by_clock or days != whole)


def _count(piece: Match) -> float:
    told = piece["count"]
    if told == "半":
        return 0.5
    count = (float(told) if "." in told else number(told)) if told else (0.5 if piece["half"] else 1)
    return count + (0.5 if told and piece["half"] else 0) + (0.5 if piece["tail"] else 0)


def shift(ref: datetime, length: Length, sign: int = 1) -> datetime:
    """Days by the calendar, hours by elapsed time."""
    day = dates.add_months(ref.date(), sign * length.months) + timedelta(days=sign * length.days)
    moved = ref.replace(year=day.year, month=day.month, day=day.day)
    elapsed = moved.astimezone(UTC) + timedelta(seconds=sign * length.seconds)
    return elapsed.astimezone(ref.tzinfo)


def _length(match: Match, now: Now) -> Atom | None:
    length, told = parse(match["length"]), match.groupdict()
    if told["lead"]:
        return None
    if told["every"]:
        return _every(length, certain="隔" not in told["every"] or length.by_clock)
    if told["next"] or told["past"] or told["from"]:
        return _window(length, told, now)
    if told["within"]:
        then = shift(now.ref, length)
        return Instant(then, deadline=True, all_day=not length.by_clock)
    if told["after"] or told["pass"]:
        return _moved(length, now, 1)
    return _moved(length, now, -1) if told["before"] else length


def _moved(length: Length, now: Now, sign: int) -> Atom:
    then = shift(now.ref, length, sign)
    return Instant(then) if length.by_clock else Day(then.date(), named=True)


def _window(length: Length, told: dict[str, str | None], now: Now) -> Instant | Day:
    """«接下来三天» begins tomorrow, «未来一周» now."""
    if told["past"]:
        return Instant(shift(now.ref, length, -1), now.ref)
    if (told["next"] or told["rest"]) and not length.by_clock:
        first = now.today + timedelta(days=1)
        return Day(first, dates.add_months(first, length.months) + timedelta(days=length.days))
    return Instant(now.ref, shift(now.ref, length))


def _every(length: Length, *, certain: bool) -> Repeat:
    if length.seconds:
        steps = ((3600, "HOURLY"), (60, "MINUTELY"), (1, "SECONDLY"))
        step, freq = next(found for found in steps if length.seconds % found[0] == 0)
        return Repeat(freq, interval=length.seconds // step, certain=certain)
    if length.days:
        weeks = length.days % 7 == 0
        return Repeat("WEEKLY" if weeks else "DAILY", length.days // 7 if weeks else length.days, certain=certain)
    years = length.months % 12 == 0
    return Repeat("YEARLY" if years else "MONTHLY", length.months // 12 if years else length.months, certain=certain)


def _present(match: Match, now: Now) -> Instant:
    return Instant(now.ref)


def _workdays(match: Match, now: Now) -> Day | Instant:
    """Monday to Friday; moved working days are not known here."""
    day, left = now.today, number(match["count"])
    while left:
        day += timedelta(days=1)
        left -= day.weekday() < _SATURDAY
    if match["within"]:
        return Instant(now.ref.replace(year=day.year, month=day.month, day=day.day), deadline=True, all_day=True)
    return Day(day, certain=False)


RULES: Rules = [
    ("workdays_ahead", NUMBER, _WORKDAYS, _workdays),
    ("length", NUMBER + "半个接往后之最近过去未今再提每间隔", _RULE, _length),
    ("present", "现此马", "现在|此刻|马上(?=提醒|叫)", _present),
]

"""English words, alone or between Chinese ones: «tomorrow 3pm», «下周 Monday», «every Friday»."""

import re
from datetime import date, timedelta

from planner.when import dates, lengths, parts
from planner.when.atoms import Atom, Clock, Day, Instant, Length, Now, Part, Repeat, Rules

Match = re.Match[str]

_DAYS = {"today": 0, "tomorrow": 1, "tmr": 1, "tmrw": 1, "yesterday": -1, "day after tomorrow": 2}
_PARTS = {"morning": "上午", "afternoon": "下午", "evening": "晚上", "night": "晚上", "tonight": "晚上"}
_STEPS = {"last": -1, "this": 0, "next": 1, "coming": 0}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UNITS = {"day": "天", "week": "周", "month": "个月", "year": "年", "hour": "小时", "minute": "分钟", "min": "分钟"}
_FREQS = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}

_WEEKDAY = (
    "(?P<day>(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:Mon|Tues?|Wed|Thu|Thurs|Fri)(?=[\\s.,]|$))"
)
_MONTH = (
    "(?P<month>(?i:january|february|march|april|may|june|july|august|september|october|november|december)"
    "|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?)"
)
_DOM = "(?P<date>3[01]|[12]?\\d)(?:st|nd|rd|th)?(?![\\d:])"
_COUNT = "(?P<count>\\d{1,3}|(?i:an?|half an))"
_UNIT = "(?P<unit>(?i:minute|min|hour|day|week|month|year))s?"


def _word(pattern: str) -> str:
    return rf"(?<![A-Za-z'])(?:{pattern})(?![A-Za-z])"


def _day(match: Match, now: Now) -> Day:
    name = match["name"].lower().removeprefix("the ")
    return Day(now.today + timedelta(days=_DAYS[name]), named=True, behind=True)


def _part(match: Match, now: Now) -> Part:
    return parts.named(_PARTS[match["name"].lower()])


def _noon(match: Match, now: Now) -> Clock:
    return Clock(12 if match["name"].lower() == "noon" else 24, fixed=True)


def _weekday(match: Match, now: Now) -> Day:
    weekday = _number(match["day"])
    rel = (match["rel"] or "").lower().strip()
    if rel not in ("last", "next", "this"):
        first = now.floor + timedelta(days=(weekday - now.floor.weekday()) % 7)
        return Day(first, roll="week", weekday=weekday, certain=first != now.today, behind=True)
    first = dates.monday(now.today, _STEPS[rel]) + timedelta(days=weekday)
    return Day(first, weekday=weekday, anchored=True, certain=rel != "this" or first >= now.today, behind=True)


def _number(words: str) -> int:
    return next(place for place, name in enumerate(_WEEKDAYS) if name.startswith(words.lower()[:3]))


def _period(match: Match, now: Now) -> Day:
    steps, unit = _STEPS[match["rel"].lower()], match["unit"].lower()
    if unit == "month":
        first = dates.month_start(now.today, steps)
        return Day(first, dates.add_months(first, 1))
    if unit == "year":
        return Day(date(now.today.year + steps, 1, 1), date(now.today.year + steps + 1, 1, 1))
    first = dates.monday(now.today, steps)
    if unit == "weekend":
        return Day(first + timedelta(days=5), first + timedelta(days=7), weekday=5)
    return Day(first, first + timedelta(days=7))


def _length(match: Match) -> Length:
    count = match["count"].lower()
    told = {"a": "一", "an": "一", "half an": "半"}.get(count, count)
    return lengths.parse(f"{told}{_UNITS[match['unit'].lower()]}")


def _ahead(match: Match, now: Now) -> Atom:
    length = _length(match)
    then = lengths.shift(now.ref, length)
    return Instant(then) if length.by_clock else Day(then.date(), named=True, moment=then)


def _plain_length(match: Match, now: Now) -> Length:
    return _length(match)


def _date(match: Match, now: Now) -> Day:
    month = _MONTHS.index(match["month"].lower()[:3]) + 1
    day = int(match["date"])
    if match["year"]:
        return Day(dates.of(int(match["year"]), month, day), month=month, monthday=day, named=True, behind=True)
    return Day(dates.coming_yearday(month, day, now.floor), roll="year", month=month, monthday=day, behind=True)


def _every(match: Match, now: Now) -> Repeat:
    if match["day"]:
        return Repeat("WEEKLY", weekdays=(_number(match["day"]),))
    unit = match["unit"].lower()
    if unit == "weekday":
        return Repeat("WEEKLY", weekdays=(0, 1, 2, 3, 4))
    return Repeat(_FREQS.get(unit, "DAILY"), interval=2 if match["other"] else 1)


def _clock(match: Match, now: Now) -> Clock | None:
    hour = int(match["at"] or match["hour"])
    return Clock(hour, fixed=hour > 12) if hour <= 24 else None


_YEAR = "(?:,?\\s+(?P<year>(?:19|20)\\d\\d))?"
RULES: Rules = [
    ("en_every", "eE", _word(rf"(?i:every)\s+(?P<other>(?i:other)\s+)?(?:{_WEEKDAY}|(?P<unit>(?i:day|week|month|year|weekday)))"), _every),
    ("en_every_part", "eE", r"(?<![A-Za-z])(?i:every)(?=\s+(?i:morning|afternoon|evening|night))", lambda match, now: Repeat("DAILY")),
    ("en_day", "tTyYdD", _word(r"(?P<name>(?i:(?:the )?day after tomorrow|today|tomorrow|tmrw?|yesterday))"), _day),
    ("en_part", "mMaAeEnNtTiI", _word(r"(?i:in the |this )?(?P<name>(?i:morning|afternoon|evening|tonight|night))"), _part),
    ("en_noon", "nNmM", _word(r"(?P<name>(?i:noon|midnight))"), _noon),
    ("en_weekday", "mMtTwWfFsSnNlLcC", _word(rf"(?P<rel>(?i:next|this|last|coming)\s+)?{_WEEKDAY}"), _weekday),
    ("en_period", "nNtTlL", _word(r"(?P<rel>(?i:next|this|last))\s+(?P<unit>(?i:weekend|week|month|year))"), _period),
    ("en_ahead", "iI", _word(rf"(?i:in)\s+{_COUNT}\s+{_UNIT}"), _ahead),
    ("en_later", "0123456789aAhH", _word(rf"{_COUNT}\s?{_UNIT}\s+(?i:later|from now)"), _ahead),
    ("en_length", "123456789", _word(rf"{_COUNT}\s?{_UNIT}"), _plain_length),
    ("en_date", "jJfFmMaAsSoOnNdD", _word(rf"{_MONTH}\s*{_DOM}{_YEAR}"), _date),
    ("en_date_first", "123456789", _word(rf"{_DOM}\s+(?i:of\s+)?{_MONTH}{_YEAR}"), _date),
    ("en_clock", "aA0123456789", r"(?<![A-Za-z\d.])(?:(?i:at)\s+(?P<at>\d{1,2})(?![\d:.点时]|\s?(?i:[ap]\.?m|o'?clock|min|hour|day))|(?P<hour>\d{1,2})\s*(?i:o'?clock))", _clock),
]  # fmt: skip

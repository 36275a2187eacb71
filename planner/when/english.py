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
_UNITS = {"day": "天", "week": "周", "month": "个月", "year": "年", "hour": "小时", "hr": "小时", "h": "小时", "minute": "分钟", "min": "分钟"}
_FREQS = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY", "hour": "HOURLY"}

_WEEKDAY_NAMES = (
    "(?i:monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?|(?:Mon|Tues?|Wed|Thu|Thurs|Fri)(?=[\\s.,]|$)"
)
_WEEKDAY = f"(?P<day>{_WEEKDAY_NAMES})"
_MONTH = (
    "(?P<month>(?i:january|february|march|april|may|june|july|august|september|october|november|december)"
    "|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?)"
)
_DOM = "(?P<date>3[01]|[12]?\\d)(?:st|nd|rd|th)?(?![\\d:])"
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_COUNT = rf"(?P<count>\d{{1,3}}|(?i:an?|half an|{'|'.join(_NUMBERS)}))"
_UNIT = "(?P<unit>(?i:minute|min|hour|hr|h|day|week|month|year))s?"


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
    told = str(_NUMBERS.index(count) + 1) if count in _NUMBERS else told
    return lengths.parse(f"{told}{_UNITS[match['unit'].lower()]}")


def _ahead(match: Match, now: Now) -> Atom:
    length = _length(match)
    then = lengths.shift(now.ref, length)
    return Instant(then) if length.by_clock else Day(then.date(), named=True, moment=then)


def _within(match: Match, now: Now) -> Instant:
    length = _length(match)
    return Instant(lengths.shift(now.ref, length), deadline=True, all_day=not length.by_clock)


def _plain_length(match: Match, now: Now) -> Length:
    return _length(match)


def _date(match: Match, now: Now) -> Day:
    month = _MONTHS.index(match["month"].lower()[:3]) + 1
    day = int(match["date"])
    if match["year"]:
        return Day(dates.of(int(match["year"]), month, day), month=month, monthday=day, named=True, behind=True)
    return Day(dates.coming_yearday(month, day, now.floor), roll="year", month=month, monthday=day, behind=True)


def _every(match: Match, now: Now) -> Repeat:
    interval = 2 if match["other"] else int(match["count"] or 1)
    if match["days"]:
        told = re.findall(_WEEKDAY_NAMES, match["days"])
        return Repeat("WEEKLY", interval=interval, weekdays=tuple(sorted({_number(name) for name in told})))
    unit = match["unit"].lower()
    if unit in ("weekday", "weekend"):
        return Repeat("WEEKLY", weekdays=(5, 6) if unit == "weekend" else (0, 1, 2, 3, 4))
    return Repeat(_FREQS[unit], interval=interval)


def _adverb(match: Match, now: Now) -> Repeat:
    return Repeat(match["name"].upper())


def _end(match: Match, now: Now) -> Day:
    """«end of month», «end of next week»: its last day, a Friday for a week."""
    unit, steps = match["unit"].lower(), _STEPS.get((match["rel"] or "this").lower(), 0)
    if unit == "week":
        return Day(dates.monday(now.today, steps) + timedelta(days=4), behind=True)
    if unit == "month":
        return Day(dates.month_end(dates.month_start(now.today, steps)), behind=True)
    return Day(date(now.today.year + steps, 12, 31), behind=True)


def _day_over(match: Match, now: Now) -> Part:
    return parts.named("下班前")


def _between(match: Match, now: Now) -> Clock:
    """«3-5pm»: the half of the day is said once, at the end."""
    hour, last = int(match["hour"]), int(match["last"])
    later = match["half"] in "pP"
    both = hour % 12 + 12 if later and hour <= last else hour
    return Clock(both, int(match["minute"] or 0), fixed=True)


def _clock(match: Match, now: Now) -> Clock | None:
    hour = int(match["at"] or match["hour"])
    return Clock(hour, fixed=hour > 12) if hour <= 24 else None


_YEAR = "(?:,?\\s+(?P<year>(?:19|20)\\d\\d))?"
RULES: Rules = [
    ("en_every", "eE", _word(
        rf"(?i:every)\s+(?:(?P<other>(?i:other|second))\s+|(?P<count>\d{{1,2}})\s+)?"
        rf"(?:(?P<days>(?:{_WEEKDAY_NAMES})(?:(?:\s*,\s*|\s+(?i:and)\s+)(?:{_WEEKDAY_NAMES}))*)"
        r"|(?P<unit>(?i:day|weekday|weekend|week|month|year|hour))s?)"), _every),
    ("en_adverb", "dDwWmMyYhH", _word(r"(?P<name>(?i:daily|weekly|monthly|yearly|hourly))(?=\s+(?:at|on)\b|$|[\s,]+\d)"), _adverb),
    ("en_end", "eE", _word(r"(?i:end of (?:the )?(?:(?P<rel>this|next) )?(?P<unit>week|month|year))"), _end),
    ("en_day_over", "eEcC", _word(r"EOD|eod|COB|(?i:(?:the )?end of (?:the )?day)"), _day_over),
    ("en_between", "0123456789", r"(?<![\d:.a-zA-Z])(?P<hour>1[0-2]|[1-9])(?::(?P<minute>[0-5]\d))?(?=\s?(?:-|~|to|and|到|至)\s?(?P<last>1[0-2]|[1-9])(?::[0-5]\d)?\s?(?P<half>[aApP])\.?[mM](?![a-zA-Z]))", _between),
    ("en_every_part", "eE", r"(?<![A-Za-z])(?i:every)(?=\s+(?i:morning|afternoon|evening|night))", lambda match, now: Repeat("DAILY")),
    ("en_day", "tTyYdD", _word(r"(?P<name>(?i:(?:the )?day after tomorrow|today|tomorrow|tmrw?|yesterday))"), _day),
    ("en_part", "mMaAeEnNtTiI", _word(r"(?i:in the |this )?(?P<name>(?i:morning|afternoon|evening|tonight|night))"), _part),
    ("en_noon", "nNmM", _word(r"(?P<name>(?i:noon|midnight))"), _noon),
    ("en_weekday", "mMtTwWfFsSnNlLcC", _word(rf"(?P<rel>(?i:next|this|last|coming)\s+)?{_WEEKDAY}"), _weekday),
    ("en_period", "nNtTlL", _word(r"(?P<rel>(?i:next|this|last))\s+(?P<unit>(?i:weekend|week|month|year))"), _period),
    ("en_ahead", "iI", _word(rf"(?i:in)\s+{_COUNT}\s+{_UNIT}"), _ahead),
    ("en_within", "wW", _word(rf"(?i:within)\s+(?i:the next\s+)?{_COUNT}\s+{_UNIT}"), _within),
    ("en_later", "0123456789aAhHoOtTfFsSeEnN", _word(rf"{_COUNT}\s?{_UNIT}(?:\s+(?i:later|from now)|\s?[之以]?后)"), _ahead),
    ("en_after", "过", rf"过\s?{_COUNT}\s?{_UNIT}(?![A-Za-z])", _ahead),
    ("en_length", "123456789", _word(rf"{_COUNT}\s?{_UNIT}"), _plain_length),
    ("en_date", "jJfFmMaAsSoOnNdD", _word(rf"{_MONTH}\s*{_DOM}{_YEAR}"), _date),
    ("en_date_first", "123456789", _word(rf"{_DOM}\s+(?i:of\s+)?{_MONTH}{_YEAR}"), _date),
    ("en_clock", "aA0123456789", r"(?<![A-Za-z\d.])(?:(?i:at)\s+(?P<at>\d{1,2})(?![\d:.点时]|\s?(?i:[ap]\.?m|o'?clock|min|hour|day))|(?P<hour>\d{1,2})\s*(?i:o'?clock))", _clock),
]  # fmt: skip

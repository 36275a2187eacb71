"""What comes again: «每周一三五», «每月15号», «隔天»."""

import re
from dataclasses import replace
from datetime import date, timedelta

from planner.when import dates
from planner.when.atoms import Atom, Day, Now, Repeat, Rules
from planner.when.numerals import CN, DOM, SEP, WD, WEEK, WEEKDAYS
from planner.when.text import number

Match = re.Match[str]

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_WORKDAYS = (0, 1, 2, 3, 4)
_NOT_TIMES = r"(?![次遍回趟]|\d*次)"

_DAILY = "每一?天|每日|天天(?!向上|快乐)|日日|每个?(?=[早晚]上?|[上下中]午|凌晨|傍晚|清晨)"
_WORKDAY = "(?<!个)(?:每一?个?|逢)?(?:工作日|上班日)|(?:每|逢)个?平日"
_WEEKEND = "(?:每一?个?|逢)(?:周末|双休日)"
_WEEKLY = (
    rf"(?:每逢?一?个?|逢){WEEK}"
    rf"(?P<days>{WD}(?:{SEP}*(?:每?{WEEK})?{WD}(?!十?点|:|个|号|[次遍回趟]))*)"
    rf"(?:[到至~-]{WEEK}?(?P<to>{WD}))?{_NOT_TIMES}"
)
_SPAN_DAILY = (
    rf"{WEEK}(?P<first>{WD})[到至~-]{WEEK}?(?P<last>{WD})"
    rf"(?P<each>,?每天|的?(?=[早上中下晚傍凌]|\d+:|[{CN}\d]+点))"
)
_MONTHLY = (
    rf"(?:每逢?一?个?月|逢|每逢)的?"
    rf"(?P<days>(?:\d{{1,2}}|{DOM})[日号]?(?:{SEP}+(?:每个?月)?(?:\d{{1,2}}|{DOM})[日号]?)*)(?<=[日号])"
)
_MONTH_END = r"每一?个?月的?(?:月?[底末]|最后一天)"
_MONTH_START = r"每一?个?月的?(?:月?初|第一天)"
_MONTH_NTH = rf"每一?个?月的?(?:第(?P<nth>[{CN}\d])|(?P<last>最后一))个?{WEEK}(?P<day>{WD})"
_QUARTERLY = r"每隔?(?P<count>[一二两三四\d]?)个?季度?"
_OTHER = "隔(?P<unit>[天日周月年])|每隔一(?P<unit2>[天日周])|隔个?(?:星期|礼拜)"
_PLAIN = r"每一?个?(?P<unit>周|星期|礼拜|月|年|小时|钟头|分钟)"

_PLAIN_FREQ = {"周": "WEEKLY", "星期": "WEEKLY", "礼拜": "WEEKLY", "月": "MONTHLY", "年": "YEARLY"}
_PLAIN_FREQ |= {"天": "DAILY", "日": "DAILY", "小时": "HOURLY", "钟头": "HOURLY", "分钟": "MINUTELY"}


def _daily(match: Match, now: Now) -> Repeat:
    return Repeat("DAILY")


def _workday(match: Match, now: Now) -> Repeat:
    return Repeat("WEEKLY", weekdays=_WORKDAYS)


def _weekend(match: Match, now: Now) -> Repeat:
    return Repeat("WEEKLY", weekdays=(5, 6))


def _weekly(match: Match, now: Now) -> Repeat:
    told = [WEEKDAYS[char] for char in match["days"] if char in WEEKDAYS]
    if match["to"]:
        told = [*told, *_between(told[-1], WEEKDAYS[match["to"]])]
    return Repeat("WEEKLY", weekdays=tuple(sorted(set(told))))


def _between(first: int, last: int) -> list[int]:
    return [(first + step) % 7 for step in range((last - first) % 7 + 1)]


def _span_daily(match: Match, now: Now) -> Repeat:
    """«周一到周五的下午五点» is daily at five, not one long meeting."""
    told = _between(WEEKDAYS[match["first"]], WEEKDAYS[match["last"]])
    return Repeat("WEEKLY", weekdays=tuple(sorted(told)), certain=bool(match["each"].strip("的")))


def _monthly(match: Match, now: Now) -> Repeat:
    numbers = [number(words) for words in re.findall(rf"\d+|{DOM}", match["days"])]
    for day in numbers:
        dates.coming_monthday(day, now.floor)
    return Repeat("MONTHLY", monthdays=tuple(sorted(set(numbers))))


def _month_end(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", monthdays=(-1,))


def _month_start(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", monthdays=(1,))


def _month_nth(match: Match, now: Now) -> Repeat:
    nth = -1 if match["last"] else number(match["nth"])
    return Repeat("MONTHLY", weekdays=(WEEKDAYS[match["day"]],), nth=nth)


def _quarterly(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", interval=3 * number(match["count"] or "1"))


def _other(match: Match, now: Now) -> Repeat:
    return Repeat(_PLAIN_FREQ[match["unit"] or match["unit2"] or "周"], interval=2)


def _plain(match: Match, now: Now) -> Repeat:
    return Repeat(_PLAIN_FREQ[match["unit"]])


RULES: Rules = [
    ("weekly", "每逢", _WEEKLY, _weekly),
    ("span_daily", "周星礼", _SPAN_DAILY, _span_daily),
    ("month_nth", "每", _MONTH_NTH, _month_nth),
    ("monthly", "每逢", _MONTHLY, _monthly),
    ("month_last", "每", _MONTH_END, _month_end),
    ("month_first", "每", _MONTH_START, _month_start),
    ("workdays", "每逢工上", _WORKDAY, _workday),
    ("weekends", "每逢", _WEEKEND, _weekend),
    ("daily", "每天日", _DAILY, _daily),
    ("every_other", "隔每", _OTHER, _other),
    ("quarterly", "每", _QUARTERLY, _quarterly),
    ("plainly", "每", _PLAIN + _NOT_TIMES, _plain),
]


def joined(repeat: Repeat, atom: Atom) -> Repeat | None:
    """«每两周的» + «周五», «每年» + «11月3号»: the day completes the rule."""
    if not isinstance(atom, Day):
        return None
    if atom.last is not None:
        months = repeat.freq == "YEARLY" and atom.month and not repeat.month
        return replace(repeat, month=atom.month, since=atom.first) if months else None
    weekdays = tuple(day.weekday for day in (atom, *atom.also) if day.weekday is not None)
    if weekdays and repeat.freq == "WEEKLY" and not repeat.weekdays:
        return replace(repeat, weekdays=tuple(sorted(weekdays)))
    if repeat.freq == "YEARLY" and atom.lunar:
        month, day = atom.lunar
        return replace(repeat, month=month, monthdays=(day,), since=atom.first, lunar=True)
    if repeat.freq == "YEARLY" and (atom.month or atom.feast):
        monthdays = (atom.monthday,) if atom.monthday else ()
        return replace(repeat, month=atom.month, monthdays=monthdays, since=atom.first, certain=not atom.feast)
    return None


def rule(repeat: Repeat, clocks: list[tuple[int, int]], until: date | None) -> str:
    """The part after «RRULE:»; `UNTIL` is the last day, to its end, by the wall clock. Lunar days as in RFC 7529."""
    fields = [*(["RSCALE=CHINESE"] if repeat.lunar else []), f"FREQ={repeat.freq}"]
    if repeat.interval > 1:
        fields.append(f"INTERVAL={repeat.interval}")
    if repeat.month:
        fields.append(f"BYMONTH={repeat.month}")
    if repeat.weekdays:
        fields.append("BYDAY=" + ",".join(f"{repeat.nth or ''}{CODES[day]}" for day in repeat.weekdays))
    if repeat.monthdays:
        fields.append("BYMONTHDAY=" + ",".join(str(day) for day in repeat.monthdays))
    if clocks:
        fields.append("BYHOUR=" + ",".join(str(hour) for hour, _ in clocks) + f";BYMINUTE={clocks[0][1]}")
    if until:
        fields.append(f"UNTIL={until:%Y%m%d}T235959")
    return ";".join(fields)


def fits(repeat: Repeat, day: date) -> bool:
    """Whether the rule may begin on this day."""
    if repeat.month and day.month != repeat.month:
        return False
    if repeat.weekdays and day.weekday() not in repeat.weekdays:
        return False
    if repeat.nth:
        return day == dates.nth_weekday(day, day.weekday(), repeat.nth) if _has_nth(day, repeat.nth) else False
    last = dates.month_end(day).day
    return not repeat.monthdays or day.day in repeat.monthdays or (-1 in repeat.monthdays and day.day == last)


def _has_nth(day: date, nth: int) -> bool:
    return nth <= 4 or day.day > 28


def first_day(repeat: Repeat, floor: date) -> date:
    if repeat.since and repeat.since >= floor:
        return repeat.since
    days = (floor + timedelta(days=step) for step in range(366 * 8))
    return next((day for day in days if fits(repeat, day)), floor)



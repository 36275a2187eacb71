"""What comes again: «每周一三五», «每月15号», «隔天»."""

import re
from dataclasses import replace
from datetime import date, datetime, timedelta

from planner.when import dates, holidays, lunar, offdays
from planner.when.atoms import Atom, Day, Impossible, Now, Repeat, Rules
from planner.when.numerals import CN, DOM, SEP, TO, WD, WEEK, WEEKDAYS
from planner.when.text import number

Match = re.Match[str]

CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
LONGEST_LUNAR = 30
_WORKDAYS = (0, 1, 2, 3, 4)
_NOT_TIMES = r"(?![次遍回趟]|\d*次)"

_DAILY = "每一?天|每日|天天(?!向上|快乐)|日日|每个?(?=[早晚]上?|[上下中]午|凌晨|傍晚|清晨)"
_WORKDAY = "(?<!个)(?:每一?个?|逢)?(?:工作日|上班日)|(?:每|逢)个?平日"
_WEEKEND = "(?:每逢?一?个?|逢)(?:周末|双休日)"
_WEEKLY = (
    rf"(?:每逢?一?个?|逢){WEEK}"
    rf"(?P<days>{WD}(?:{SEP}*(?:每?{WEEK})?{WD}(?!十?点|\d?[点:]|个|号|[次遍回趟]))*)"
    rf"(?:{TO}{WEEK}?(?P<to>{WD}))?{_NOT_TIMES}"
)
_SPAN_DAILY = (
    rf"{WEEK}(?P<first>{WD}){TO}{WEEK}?(?P<last>{WD})"
    rf"(?P<each>,?每[天日]|,?天天|,?每(?=[早晚])|的?(?=[早上中下晚傍凌]|\d+:|[{CN}\d]+点))"
)
# «每个双数月», «逢单月»
_EVERY = "(?:每逢?一?个?|逢)"
_PARITY = rf"{_EVERY}?(?P<parity>[单双]数?|奇数|偶数)月(?!刊|报|票)"
_MONTH = rf"(?:每一?个?月|{_PARITY})的?"
_MONTHLY = (
    rf"(?:每逢?一?个?月|{_PARITY}|逢|每逢)的?"
    rf"(?P<days>(?:\d{{1,2}}|{DOM})[日号]?(?:(?:{SEP}+|(?<=[日号]))(?:每个?月)?(?:\d{{1,2}}|{DOM})[日号]?)*)(?<=[日号])"
)
_MONTH_END = rf"{_MONTH}(?:月?[底末]|最后一天)"
_MONTH_BACK = rf"{_MONTH}倒数第(?P<nth>[{CN}\d]{{1,2}})天"
_QUARTER_NTH = rf"每一?个?季度?的?(?:第(?P<nth>[{CN}\d])|(?P<last>最后一))个?{WEEK}(?P<day>{WD})"
_MONTH_START = rf"{_MONTH}(?:月?初|第一天)"
_MONTH_NTH = rf"{_MONTH}(?:第(?P<nth>[{CN}\d])|(?P<last>最后一|倒数第一))个?(?:(?P<weekend>周末)|{WEEK}(?P<day>{WD}))"
_LUNAR = (
    rf"(?:(?:(?:农历|阴历)每个?月的?|每逢?个?(?:月的?)?(?:农历|阴历)(?:的|月的?)?)初?{DOM}|(?:每逢?个?(?:月的?)?|逢)初(?:十|[一二三四五六七八九]))"
    rf"(?:{SEP}*初?{DOM}(?![点:个\d{CN}]))*(?![点个次号人条分元])"
)
_MONTH_WORKDAY = rf"{_MONTH}(?:第(?P<nth>[{CN}\d]{{1,2}})|(?P<last>最后一)|首)个?(?:工作|上班)日"
_QUARTER_EDGE = r"每一?个?季度?的?(?:(?P<first>初|第一天)|末|底|最后一天)(?!级)"
_QUARTERLY = r"每隔?(?P<count>[一二两三四\d]?)个?季度?"
_SHARP = "每逢?个?整点|逢整点"
_OTHER = "每?隔一?(?P<unit>[天日周月年])|每?隔一?个?(?:星期|礼拜)|每?隔一?个(?P<unit2>月)|双周(?=的?(?:周|星期|礼拜))"
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
    return Repeat("MONTHLY", months=_of_parity(match), monthdays=tuple(sorted(set(numbers))))


def _of_parity(match: Match) -> tuple[int, ...]:
    told = match.groupdict().get("parity")
    return () if told is None else tuple(range(1 if told[0] in "单奇" else 2, 13, 2))


def _parity(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", months=_of_parity(match))


def _month_end(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", months=_of_parity(match), monthdays=(-1,))


def _month_back(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", months=_of_parity(match), monthdays=(-number(match["nth"]),))


def _quarter_nth(match: Match, now: Now) -> Repeat:
    months = (3, 6, 9, 12) if match["last"] else (1, 4, 7, 10)
    return replace(_month_nth(match, now), months=months)


def _month_start(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", months=_of_parity(match), monthdays=(1,))


def _month_nth(match: Match, now: Now) -> Repeat:
    nth = -1 if match["last"] else number(match["nth"])
    weekend = bool(match.groupdict().get("weekend"))
    weekdays = (WEEKDAYS["六" if weekend else match["day"]],)
    return Repeat("MONTHLY", months=_of_parity(match), weekdays=weekdays, nth=nth, certain=not weekend)


def _lunar(match: Match, now: Now) -> Repeat:
    days = [number(words) for words in re.findall(DOM, match[0])]
    if max(days) > LONGEST_LUNAR:
        raise Impossible("农历的月最多三十天")
    return Repeat("MONTHLY", monthdays=tuple(sorted(set(days))), lunar=True)


def _month_workday(match: Match, now: Now) -> Repeat:
    nth = -1 if match["last"] else number(match["nth"] or "1")
    return Repeat("MONTHLY", months=_of_parity(match), nth=nth, workdays=True)


def _quarter_edge(match: Match, now: Now) -> Repeat:
    if match["first"]:
        return Repeat("MONTHLY", months=(1, 4, 7, 10), monthdays=(1,))
    return Repeat("MONTHLY", months=(3, 6, 9, 12), monthdays=(-1,))


def _quarterly(match: Match, now: Now) -> Repeat:
    return Repeat("MONTHLY", interval=3 * number(match["count"] or "1"))


def _other(match: Match, now: Now) -> Repeat:
    return Repeat(_PLAIN_FREQ[match["unit"] or match["unit2"] or "周"], interval=2, certain=match[0] != "双周")


def _sharp(match: Match, now: Now) -> Repeat:
    return Repeat("HOURLY", minute=0)


def _plain(match: Match, now: Now) -> Repeat:
    return Repeat(_PLAIN_FREQ[match["unit"]])


_MONTH_STARTS = "每逢单双奇偶"
RULES: Rules = [
    ("weekly", "每逢", _WEEKLY, _weekly),
    ("span_daily", "周星礼", _SPAN_DAILY, _span_daily),
    ("month_nth", _MONTH_STARTS, _MONTH_NTH, _month_nth),
    ("month_workday", _MONTH_STARTS, _MONTH_WORKDAY, _month_workday),
    ("lunar_monthly", "每逢农阴", _LUNAR, _lunar),
    ("quarter_edge", "每", _QUARTER_EDGE, _quarter_edge),
    ("monthly", _MONTH_STARTS, _MONTHLY, _monthly),
    ("month_back", _MONTH_STARTS, _MONTH_BACK, _month_back),
    ("quarter_nth", "每", _QUARTER_NTH, _quarter_nth),
    ("month_last", _MONTH_STARTS, _MONTH_END, _month_end),
    ("month_first", _MONTH_STARTS, _MONTH_START, _month_start),
    ("workdays", "每逢工上", _WORKDAY, _workday),
    ("weekends", "每逢", _WEEKEND, _weekend),
    ("daily", "每天日", _DAILY, _daily),
    ("parity", "每逢", f"(?={_EVERY}){_PARITY}", _parity),
    ("every_other", "隔每双", _OTHER, _other),
    ("quarterly", "每", _QUARTERLY, _quarterly),
    ("hours_sharp", "每逢", _SHARP, _sharp),
    ("plainly", "每", _PLAIN + _NOT_TIMES, _plain),
]


def joined(repeat: Repeat, atom: Atom) -> Repeat | None:
    """«每两周的» + «周五», «每年» + «11月3号»: the day completes the rule."""
    if not isinstance(atom, Day):
        return None
    if atom.last is not None:
        named = repeat.freq == "YEARLY" and atom.month and not repeat.months
        return replace(repeat, months=_month(atom), since=atom.first) if named else None
    weekdays = tuple(day.weekday for day in (atom, *atom.also) if day.weekday is not None)
    if weekdays and repeat.freq == "WEEKLY" and not repeat.weekdays:
        return replace(repeat, weekdays=tuple(sorted(weekdays)))
    if repeat.freq == "MONTHLY" and atom.monthday and not (atom.month or repeat.monthdays or repeat.weekdays):
        return replace(repeat, monthdays=(atom.monthday, *(day.monthday for day in atom.also if day.monthday)))
    if repeat.monthdays and atom.feast and not atom.lunar:  # «每年9月10号教师节»
        return repeat
    if repeat.freq == "YEARLY" and atom.lunar:
        month, day = atom.lunar
        return replace(repeat, months=(month,), monthdays=(day,), since=atom.first, lunar=True)
    if repeat.freq == "YEARLY" and (place := holidays.nth_day(atom.name)):
        month, weekday, nth = place
        return replace(repeat, months=(month,), weekdays=(weekday,), nth=nth, since=atom.first)
    if repeat.freq == "YEARLY" and (atom.month or atom.feast):
        monthdays = (atom.monthday,) if atom.monthday else ()
        since = None if atom.roll == "year" else atom.first
        return replace(repeat, months=_month(atom), monthdays=monthdays, since=since, certain=bool(atom.month))
    return None


def _month(day: Day) -> tuple[int, ...]:
    return (day.month,) if day.month else ()


def rule(repeat: Repeat, clocks: list[tuple[int, int]], until: date | datetime | None) -> str:
    """The part after «RRULE:»; `UNTIL` is the last day, to its end, or a moment, by the wall clock. Lunar days as in RFC 7529."""
    fields = [*(["RSCALE=CHINESE"] if repeat.lunar else []), f"FREQ={repeat.freq}"]
    if repeat.interval > 1:
        fields.append(f"INTERVAL={repeat.interval}")
    if repeat.months:
        fields.append("BYMONTH=" + ",".join(str(month) for month in repeat.months))
    if repeat.weekdays:
        fields.append("BYDAY=" + ",".join(f"{repeat.nth or ''}{CODES[day]}" for day in repeat.weekdays))
    if repeat.monthdays:
        fields.append("BYMONTHDAY=" + ",".join(str(day) for day in repeat.monthdays))
    if clocks:
        hours, minutes = (",".join(str(value) for value in sorted(set(each))) for each in zip(*clocks, strict=True))
        fields.append(f"BYHOUR={hours};BYMINUTE={minutes}")
    if repeat.workdays:
        fields.append(f"BYSETPOS={repeat.nth};X-WORKDAYS=CN")
    if repeat.count:
        fields.append(f"COUNT={repeat.count}")
    elif until:
        fields.append(f"UNTIL={until:%Y%m%dT%H%M%S}" if isinstance(until, datetime) else f"UNTIL={until:%Y%m%d}T235959")
    return ";".join(fields)


def turn_end(repeat: Repeat, last: Day, start: date) -> date | None:
    """«每年9月到11月», «每月1号到5号» name the end (exclusive) of each turn; None where the whole series ends then."""
    by_day = last.roll == "month" and last.monthday
    if not (repeat.months if repeat.freq == "YEARLY" else repeat.monthdays and by_day):
        return None
    if by_day:
        end = dates.coming_monthday(by_day, start) + timedelta(days=1)
    else:
        end = last.last or last.first + timedelta(days=1)
        end = dates.add_months(end, 12) if end <= start else end
    return end if end <= dates.add_months(start, 12 if repeat.freq == "YEARLY" else 1) else None


def fits(repeat: Repeat, day: date) -> bool:
    """Whether the rule may begin on this day."""
    if repeat.lunar:
        _, month, number_of_day = lunar.of(day)
        return (not repeat.months or month in repeat.months) and number_of_day in repeat.monthdays
    if repeat.months and day.month not in repeat.months:
        return False
    if repeat.workdays:
        return day == _nth_workday(day, repeat.nth or 1)
    if repeat.weekdays and day.weekday() not in repeat.weekdays:
        return False
    if repeat.nth:
        return day == dates.nth_weekday(day, day.weekday(), repeat.nth) if _has_nth(day, repeat.nth) else False
    last = dates.month_end(day).day
    told = [last + 1 + number if number < 0 else min(number, last) for number in repeat.monthdays]
    return not told or day.day in told


def _nth_workday(day: date, nth: int) -> date | None:
    worked = [each for each in dates.days_of_month(day) if offdays.works(each)]
    place = nth - 1 if nth > 0 else nth
    return worked[place] if -len(worked) <= place < len(worked) else None


def _has_nth(day: date, nth: int) -> bool:
    return nth <= 4 or day.day > 28


def first_day(repeat: Repeat, floor: date) -> date:
    if repeat.since and repeat.since >= floor:
        if repeat.freq == "YEARLY":
            return repeat.since
        floor = repeat.since
    days = (floor + timedelta(days=step) for step in range(366 * 8))
    return next((day for day in days if fits(repeat, day)), floor)



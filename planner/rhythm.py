"""How a rule reads: «每周一、三、五 09:00», «每月31日（没有这天的月份在最后一天）», «每年农历八月十五»."""

from planner.recurrence import Rule
from planner.recurrence.rule import WORKWEEK

_DAYS = "一二三四五六日"
_LUNAR_MONTHS = ("正", "二", "三", "四", "五", "六", "七", "八", "九", "十", "冬", "腊")
_LUNAR_TENS = ("初", "十", "廿", "三")
_TENS = "一二三四五六七八九十"
_NTH = {-1: "最后一个", **{n: f"第{_TENS[n - 1]}个" for n in range(1, 6)}}
WEEKEND = ((0, 5), (0, 6))


def rhythm(rule: Rule) -> str:
    days = _WORDS[rule.freq](rule)
    clocks = "、".join(f"{clock:%H:%M}" for clock in rule.clocks) if rule.hours and rule.freq in _WITH_CLOCK else ""
    until = f"，到{rule.until.year}年{rule.until.month}月{rule.until.day}日" if rule.until else ""
    return " ".join(filter(None, (days, clocks))) + until


def _short(rule: Rule) -> str:
    unit = "小时" if rule.freq == "HOURLY" else "分钟"
    within = f"（{rule.hours[0]}点到{rule.hours[-1]}点）" if rule.hours else ""
    return f"每{rule.interval if rule.interval > 1 else ''}{unit}{within}"


def _daily(rule: Rule) -> str:
    if rule.workdays:
        return "每个工作日（按调休）"
    return f"每{rule.interval}天" if rule.interval > 1 else "每天"


def _weekly(rule: Rule) -> str:
    if rule.weekdays == WEEKEND and rule.interval == 1:
        return "每个周末"
    days = "、".join(_DAYS[day] for _, day in rule.weekdays)
    if rule.weekdays == WORKWEEK:
        days = "一到周五"
    return f"每{rule.interval}周的周{days}" if rule.interval > 1 else f"每周{days}"


def _monthly(rule: Rule) -> str:
    if rule.lunar:
        return "每个农历月" + "、".join(_lunar_day(day) for day in rule.monthdays)
    months = "、".join(f"{month}月" for month in rule.months)
    head = f"每{rule.interval}个月的" if rule.interval > 1 else f"每年{months}的" if months else "每月"
    return head + _days_of_month(rule)


def _yearly(rule: Rule) -> str:
    head = f"每{rule.interval}年的" if rule.interval > 1 else "每年"
    if rule.lunar:
        days = "、".join(_lunar_day(day) for day in rule.monthdays)
        return head + "农历" + "、".join(f"{_LUNAR_MONTHS[month - 1]}月{days}" for month in rule.months)
    return head + "、".join(f"{month}月{_days_of_month(rule)}" for month in rule.months)


def _days_of_month(rule: Rule) -> str:
    if rule.position:
        days = "周" + "、".join(_DAYS[day] for _, day in rule.weekdays)
        kind = "工作日" if rule.workdays or rule.weekdays == WORKWEEK else days
        return f"{_NTH.get(rule.position, f'第{rule.position}个')}{kind}"
    if rule.weekdays:
        return "、".join(f"{_NTH.get(nth, '')}周{_DAYS[day]}" for nth, day in rule.weekdays)
    if rule.monthdays == (-1,):
        return "最后一天"
    days = "、".join(f"{day}日" if day > 0 else f"倒数第{-day}天" for day in rule.monthdays)
    lacking = f"（没有这天的{'年份' if rule.freq == 'YEARLY' else '月份'}在月底）" if _may_lack(rule) else ""
    return days + lacking


def _may_lack(rule: Rule) -> bool:
    longest = {2: 28, 4: 30, 6: 30, 9: 30, 11: 30}
    lengths = [longest.get(month, 31) for month in rule.months] or [28]
    return any(day > length for day in rule.monthdays for length in lengths)


def _lunar_day(day: int) -> str:
    if day < 0:
        return "最后一天"
    if day in (10, 20, 30):
        return {10: "初十", 20: "二十", 30: "三十"}[day]
    return _LUNAR_TENS[day // 10] + _TENS[day % 10 - 1]


_WITH_CLOCK = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WORDS = {
    "MINUTELY": _short, "HOURLY": _short, "DAILY": _daily, "WEEKLY": _weekly, "MONTHLY": _monthly, "YEARLY": _yearly
}  # fmt: skip

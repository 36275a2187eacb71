"""What followers read: templates/messages/*.txt, filled with facts. Short, warm, Chinese; never a stack trace."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.template import Context, Template
from django.template.loader import get_template

from planner.models import Task

WEEKDAYS = ["周一", "周二", "周三", "周四", "周五", "周六", "周日"]


def render(name: str, /, **context: Any) -> str:
    """The message of that name; blank lines that an unused part leaves behind are dropped."""
    template: Template = get_template(f"messages/{name}.txt").template  # type: ignore[attr-defined]
    text = template.render(Context(context, autoescape=False, use_l10n=False))  # for a phone: no HTML, no locale
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def day(moment: datetime, zone: ZoneInfo) -> str:
    """`周三 12月2日`."""
    local = moment.astimezone(zone)
    return f"{WEEKDAYS[local.weekday()]} {local.month}月{local.day}日"


def when(start: datetime | None, end: datetime | None, *, all_day: bool, zone: ZoneInfo) -> str:
    """`周三 12月2日 15:00`, `… 15:00–17:00`, `周三 12月2日` for a whole day, '' without a time. `end` is exclusive."""
    if start is None:
        return ""
    first = start.astimezone(zone)
    if all_day:
        last = end.astimezone(zone) - timedelta(days=1) if end else first
        return day(start, zone) if last.date() <= first.date() else f"{day(start, zone)} – {day(last, zone)}"
    text = f"{day(start, zone)} {first:%H:%M}"
    if end is None:
        return text
    last = end.astimezone(zone)
    return f"{text}–{last:%H:%M}" if last.date() == first.date() else f"{text} – {day(end, zone)} {last:%H:%M}"


def moment(local: datetime) -> str:
    """`周三 12月2日 15:00`, of an instant that is in the follower's zone already."""
    return f"{WEEKDAYS[local.weekday()]} {local.month}月{local.day}日 {local:%H:%M}"


def planned(task: Task, zone: ZoneInfo) -> str:
    """When a task is; of a series how it repeats, or the one turn that is looked at."""
    if task.rrule and task.turn is None:
        return repeats(task)
    return when(task.start, task.end, all_day=task.all_day, zone=zone)


def repeats(task: Task) -> str:
    """`每周三 15:00`, '' for what does not."""
    if not task.rrule:
        return ""
    from planner import series  # noqa: PLC0415 - the calendar of what repeats, which the door does without
    from planner.rhythm import rhythm  # noqa: PLC0415

    return rhythm(series.rule_of(task))


def clock(task: Task, zone: ZoneInfo) -> str:
    """`15:00`, `15:00–17:00` within a day that is named elsewhere; '' for a whole day."""
    if task.all_day or task.start is None:
        return ""
    told = f"{task.start.astimezone(zone):%H:%M}"
    return f"{told}–{task.end.astimezone(zone):%H:%M}" if task.end else told


def lead(minutes: int) -> str:
    """`提前10分钟`, `提前1天`, `到点` for none."""
    if minutes == 0:
        return "到点"
    for unit, size in (("天", 1440), ("小时", 60)):
        if minutes % size == 0:
            return f"提前{minutes // size}{unit}"
    return f"提前{minutes}分钟"

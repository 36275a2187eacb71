"""How a list or the free hours read: by day, with weekday and date."""

from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from planner import agenda, freetime, nearby, texts
from planner.actions import Query
from planner.agenda import Page
from planner.models import Task
from planner.operations.changes import facts
from planner.operations.words import Done, Scope


def listed(scope: Scope, params: Query, page: Page) -> str:
    """One page: each day a heading, each task its number in the whole list."""
    first = (page.number - 1) * agenda.PAGE
    numbered = list(enumerate(page.tasks, first + 1))
    days = [(day, [_line(n, task, scope) for n, task in group]) for day, group in _by_day(numbered, scope)]
    if len(days) == 1 and days[0][0] in _range(params, scope):
        days = [("", days[0][1])]  # the head line names the day already
    return texts.render(
        "listing",
        range=_range(params, scope),
        days=days,
        total=page.total,
        shown=len(page.tasks),
        more=page.more,
        page=page.number,
        status=params.status,
        text=params.text,
        undated=agenda.undated(scope.follower) if not page.total and params.start and params.status == "open" else 0,
    )


def _by_day(numbered: list[tuple[int, Task]], scope: Scope) -> Any:
    """Those that are over come under their own day too, what repeats under that of its next turn; those without a
    time under none, last."""
    zone = scope.follower.zone
    return groupby(numbered, key=lambda row: texts.day(row[1].start, zone) if row[1].start else "")


def _line(n: int, task: Task, scope: Scope) -> dict[str, Any]:
    zone = scope.follower.zone
    whole = texts.planned(task, zone)
    day = texts.day(task.start, zone) if task.start else ""
    last = None if task.all_day or task.status != Task.OPEN else task.end or task.start
    over = last is not None and last < scope.sent_at
    when = whole.removeprefix(day).lstrip(" –")
    return {"n": n, "when": when, "title": task.title, "over": over, "notes": task.notes}


def _range(params: Query, scope: Scope) -> str:
    """«明天（周四 3月12日）», «下周（周一 3月16日–周日 3月22日）»."""
    if not params.range or params.start is None:
        return params.range
    zone = scope.follower.zone
    last = max(params.start, (params.end or params.start) - timedelta(seconds=1))
    first_day, last_day = texts.day(params.start, zone), texts.day(last, zone)
    days = first_day if first_day == last_day else f"{first_day} – {last_day}"
    return texts.render("range", words=params.range, days=days)


def clashes(task: Task, scope: Scope) -> list[str]:
    """What it overlaps, as said in the reply: nobody is asked, both stay."""
    return _named(nearby.clashing(task, scope.follower), scope)


def beside(task: Task, others: list[Task] | None, scope: Scope) -> tuple[list[str], bool]:
    """What a new task overlaps, and whether the same one is there already. Without `others` it overlaps nothing."""
    if others is None:
        return [], nearby.has_twin(task, scope.follower)
    overlapped = nearby.overlapping(task, others)
    twins = [other for other in overlapped if other.title == task.title and other.start == task.start]
    return _named([other for other in overlapped if other not in twins], scope), bool(twins)


def _named(tasks: list[Task], scope: Scope) -> list[str]:
    zone = scope.follower.zone
    return [f"{task.start.astimezone(zone):%H:%M} {task.title}" for task in tasks if task.start]


def free(scope: Scope, params: Query) -> Done:
    zone = scope.follower.zone
    first, last = freetime.window(params.start, params.end, scope.sent_at)
    tasks = nearby.occupied(scope.follower, first, last)
    days = [_free_day(day, scope) for day in freetime.days(first, last, tasks, zone)]
    summary = texts.render("free", days=days, single=len(days) == 1)
    return Done(summary, {"tasks": [facts(task) for task in tasks[: agenda.PAGE]], "total": len(tasks), "page": 1})


def _free_day(day: freetime.Day, scope: Scope) -> dict[str, Any]:
    zone = scope.follower.zone
    taken = [f"{_clock(task, day)} {task.title}".strip() for task in day.taken]
    gaps = [f"{start.astimezone(zone):%H:%M}–{_hour(end, zone)}" for start, end in day.gaps]
    return {"day": texts.day(day.first, zone), "whole": day.whole, "gaps": gaps, "taken": taken}


def _clock(task: freetime.Taken, day: freetime.Day) -> str:
    if task.start is None or task.all_day:
        return ""
    return f"{task.start.astimezone(day.first.tzinfo):%H:%M}"


def _hour(moment: datetime, zone: Any) -> str:
    text = f"{moment.astimezone(zone):%H:%M}"
    return "24:00" if text == "00:00" else text

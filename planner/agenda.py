"""Questions about a follower's plan: what is on, and which task is meant. Reads only; always within one follower."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from planner import meant
from planner.actions import Query, Target
from planner.clock import AppNow
from planner.meant import POINTING, plain
from planner.models import Follower, OperationResult, Reminder, Task

PAGE = 20
CANDIDATES = 500
LATELY = timedelta(minutes=30)
RUNG = timedelta(hours=2)

__all__ = ["PAGE", "POINTING", "Page", "clashing", "listing", "match", "occupied", "plain"]


@dataclass(frozen=True)
class Page:
    tasks: list[Task]
    total: int
    number: int

    @property
    def more(self) -> bool:
        return self.total > self.number * PAGE


def listing(follower: Follower, query: Query) -> Page:
    """One page of PAGE tasks, by time, those without one last; `total` says how many there are in all."""
    found = _queried(follower, query).order_by("start", "id")
    first = (query.page - 1) * PAGE
    tasks = list(found[first : first + PAGE])
    complete = query.page == 1 and len(tasks) < PAGE
    return Page(tasks, len(tasks) if complete else found.count(), query.page)


def _queried(follower: Follower, query: Query) -> QuerySet[Task]:
    """What was done in a time counts by when it was done."""
    status = Task.DONE if query.status == "done" else Task.OPEN
    found = Task.objects.filter(follower=follower, status=status)
    if query.status == "overdue":
        found = found.filter(start__lt=AppNow())
    if query.status == "done":
        return _done_within(found, query)
    if query.end is not None:
        found = found.filter(start__lt=query.end)
    if query.start is not None:
        found = found.filter(Q(end__gt=query.start) | Q(start__gte=query.start))
    return found.filter(title__icontains=query.text) if query.text else found


def _done_within(found: QuerySet[Task], query: Query) -> QuerySet[Task]:
    if query.start is not None:
        found = found.filter(done_at__gte=query.start)
    if query.end is not None:
        found = found.filter(done_at__lt=query.end)
    return found.filter(title__icontains=query.text) if query.text else found


def occupied(follower: Follower, start: datetime, end: datetime) -> list[Task]:
    """Open tasks in [start, end), by time."""
    found = Task.objects.filter(follower=follower, status=Task.OPEN, start__lt=end)
    return list(found.filter(Q(end__gt=start) | Q(start__gte=start)).order_by("start", "id")[:CANDIDATES])


def clashing(task: Task) -> list[Task]:
    """Other open tasks with a clock time that overlap it. A task without an end has only its beginning."""
    if task.start is None or task.all_day:
        return []
    others = Task.objects.filter(follower_id=task.follower_id, status=Task.OPEN, all_day=False).exclude(pk=task.pk)
    end = task.end or task.start + timedelta(minutes=1)
    overlap = Q(end__gt=task.start) | Q(start__gte=task.start)
    return list(others.filter(overlap, start__lt=end).order_by("start", "id")[:3])


def match(
    follower: Follower, target: Target, *, status: str = Task.OPEN, begun_by: datetime | None = None
) -> list[Task]:
    """The tasks that the words may mean: one is certain, several are a question, none is said.

    Words, day and what was just listed, changed or rung decide; an id never does, whoever names it. `begun_by`: of
    several, one alone that has begun by then is meant — what is said to be done lies behind.
    """
    if target.chosen is not None:
        return list(Task.objects.filter(follower=follower, status=status, pk=target.chosen))
    if target.position is not None:
        return _listed(follower, target.position, status)
    tasks = list(Task.objects.filter(follower=follower, status=status).order_by("-id")[:CANDIDATES])
    if meant.points(target) and not target.every and not target.unnamed:
        return _pointed_at(follower, tasks)
    found = meant.choose(tasks, target, follower.zone)
    if begun_by is None or target.every or len(found) < 2:
        return found
    begun = [task for task in found if task.start is not None and task.start <= begun_by]
    return begun if len(begun) == 1 else found


def _listed(follower: Follower, position: int, status: str) -> list[Task]:
    """「第二个」, 「最后一个」 (-1) of the last list that the follower was shown."""
    last = OperationResult.objects.filter(follower=follower, op="query").order_by("-id").first()
    shown: list[dict[str, Any]] = last.result.get("tasks", []) if last else []
    if position == 0 or abs(position) > len(shown):
        return []
    return list(Task.objects.filter(follower=follower, status=status, pk=shown[position - (position > 0)]["id"]))


def _pointed_at(follower: Follower, tasks: Sequence[Task]) -> list[Task]:
    """「那个」: what was rung, listed alone or changed last. With nothing of it lately, all that are open."""
    if len(tasks) < 2:
        return list(tasks)
    changed, at = _touched(follower)
    rung = (
        Reminder.objects.filter(task__in=tasks, status=Reminder.SENT, due_at__gte=AppNow() - RUNG)
        .order_by("-due_at")
        .values_list("task_id", "due_at")
        .first()
    )
    if rung and (at is None or rung[1] > at):
        changed = {rung[0]}
    return [task for task in tasks if task.pk in changed] or list(tasks)


def _touched(follower: Follower) -> tuple[set[int], datetime | None]:
    """The tasks of the last batch that changed some, or that a list showed alone; and when."""
    lately = OperationResult.objects.filter(follower=follower, created_at__gte=AppNow() - LATELY).order_by("-id")[:12]
    found: set[int] = set()
    first: OperationResult | None = None
    for row in lately:
        ids = _tasks_of(row)
        if first is not None and (row.batch_id is None or row.batch_id != first.batch_id):
            break
        if ids and (row.op != "query" or len(ids) == 1):
            first = first or row
            found |= ids
    return found, first.created_at if first else None


def _tasks_of(row: OperationResult) -> set[int]:
    result: dict[str, Any] = row.result
    told = [result["task"]] if "task" in result else result.get("tasks", [])
    return {int(task["id"]) for task in told if isinstance(task, dict)}

"""What lies at a time: all that is open then, and what of it a task overlaps. Reads only, within one follower."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import islice
from typing import Any

from planner import series, sql
from planner.models import Follower, Task

CANDIDATES = 500
NEVER = datetime.max.replace(tzinfo=UTC)
SHORTEST = timedelta(minutes=30)


def by_time(task: Task) -> tuple[bool, datetime, int]:
    return task.start is None, task.start or NEVER, task.pk


@dataclass(frozen=True)
class Look:
    """At all that is open in [start, end) of one follower: the statement, and what its rows say."""

    follower: Follower
    start: datetime
    end: datetime

    @property
    def statement(self) -> sql.Statement:
        return _occupied(), [self.follower.pk, self.end, self.start, self.start, CANDIDATES]

    def shown(self, rows: Iterable[Sequence[Any]]) -> list[Task]:
        """By time, each turn of what repeats as a task of its own (`series.at`)."""
        tasks = [sql.restored(Task, row) for row in rows]
        found = [turn for task in tasks for turn in _shown_within(task, self.follower, self.start, self.end)]
        return sorted(found, key=by_time)


def occupied(follower: Follower, start: datetime, end: datetime) -> list[Task]:
    """What is open in [start, end), as a look shows it."""
    look = Look(follower, start, end)
    return look.shown(sql.rows(*look.statement))


@cache
def _occupied() -> str:
    return f"""
        SELECT {sql.columns(Task, "t")} FROM planner_task t WHERE t.follower_id = %s AND t.status = 'OPEN'
        AND (t.rrule <> '' OR (t.start < %s AND (t."end" > %s OR t.start >= %s)))
        ORDER BY t.start, t.id LIMIT %s"""


def _shown_within(row: Task, follower: Follower, start: datetime, end: datetime) -> list[Task]:
    """A turn that began before `start` and is not over then counts as well."""
    if not row.rrule:
        return [row]
    length = row.end - row.start if row.end and row.start else timedelta(0)
    turns = islice(series.between(row, follower.zone, start - length, end), CANDIDATES)
    shown = (series.at(row, turn, follower.zone) for turn in turns)
    return [turn for turn in shown if turn.start and (turn.start >= start or (turn.end and turn.end > start))]


def around(task: Task, follower: Follower) -> Look | None:
    """Where to look for what overlaps it; None for what has no clock time, which overlaps nothing."""
    if task.start is None or task.all_day:
        return None
    return Look(follower, task.start - SHORTEST, task.end or task.start + SHORTEST)


def clashing(task: Task, follower: Follower) -> list[Task]:
    """Other open tasks with a clock time that overlap it."""
    look = around(task, follower)
    return overlapping(task, look.shown(sql.rows(*look.statement))) if look else []


def overlapping(task: Task, nearby: Iterable[Task]) -> list[Task]:
    """Of those near it the first three that do; without an end one is taken to last half an hour."""
    timed = [other for other in nearby if other.pk != task.pk and not other.all_day]
    start = task.start or NEVER
    return [other for other in timed if other.start and (other.end or other.start + SHORTEST) > start][:3]


def has_twin(task: Task, follower: Follower) -> bool:
    """Whether the very same is planned already: the name, and the rule or the time."""
    same = {"rrule": task.rrule} if task.rrule else {"start": task.start, "rrule": ""}
    named = Task.objects.filter(follower=follower, status=Task.OPEN, title=task.title, **same)
    return named.exclude(pk=task.pk).exists()

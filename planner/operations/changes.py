"""Writing a task so that it can be taken back: every change records what was before and what is after."""

import copy
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Model

from planner.models import Task
from planner.operations.words import Scope
from planner.reminding import Ring, keep_in_step, rings, status_of

SHOWN = "reminder_status"  # goes with what rings; nobody takes it back by itself


class Changed(Exception):
    """Somebody else changed the task between look and write. Nothing was written; the operation may be tried again."""


def stored(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def revived(name: str, value: Any) -> Any:
    """Back from JSON: datetimes by field."""
    return datetime.fromisoformat(value) if value and name in ("start", "end", "done_at", "turn_at") else value


def change(task: Task, **values: Any) -> dict[str, Any]:
    """One UPDATE guarded by the version seen; returns what undo needs. `task` then holds the new values."""
    before = {name: stored(getattr(task, name)) for name in values}
    seen, version = task.version, task.version + 1
    if not Task.objects.filter(pk=task.pk, version=seen).update(version=version, **values):
        raise Changed(f"task {task.pk}")
    for name, value in values.items():
        setattr(task, name, value)
    task.version = version
    after = {name: stored(value) for name, value in values.items()}
    told = {"before": before, "after": after}
    return {"task": task.pk, **{side: {n: v for n, v in kept.items() if n != SHOWN} for side, kept in told.items()}}


def revise(
    task: Task, scope: Scope, reason: str, *, also: Iterable[Ring] = (), turn: datetime | None = None, **values: Any
) -> tuple[dict[str, Any], list[Ring]]:
    """A change of what rings: the task, and its reminders with it; what rang for the task before does not any more.
    With `turn` only that turn's are taken back. Returns what undo needs, and what rings now."""
    planned = copy.copy(task)
    for name, value in values.items():
        setattr(planned, name, value)
    wanted = [*rings(planned, scope.follower, after=scope.sent_at), *also] if planned.status == Task.OPEN else []
    entry = change(task, **values, **{SHOWN: status_of(wanted, scope.follower.zone)})
    return entry, keep_in_step(task, wanted, reason, turn=turn)


def facts(task: Task) -> dict[str, Any]:
    """A task as results, pages and prompts show it; of a series, as it stands at the turn that was looked at."""
    told = {
        "id": task.pk,
        "title": task.title,
        "start": stored(task.start),
        "end": stored(task.end),
        "all_day": task.all_day,
        "status": task.status,
    }
    return told | {"rrule": task.rrule, "turn": stored(task.turn)} if task.rrule else told


def same(task: Model, after: dict[str, Any]) -> bool:
    """Nobody has touched these fields since. Instants compare as instants, not as text."""
    return all(getattr(task, name) == revived(name, value) for name, value in after.items())

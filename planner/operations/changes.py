"""Writing a task so that it can be taken back: every change records what was before and what is after."""

from datetime import datetime
from typing import Any

from django.db.models import Model

from planner.models import Task

FIELDS = ("title", "start", "end", "all_day", "leads", "notes", "status", "done_at")


class Changed(Exception):
    """Somebody else changed the task between look and write. Nothing was written; the operation may be tried again."""


def stored(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def revived(name: str, value: Any) -> Any:
    """Back from JSON: datetimes by field."""
    return datetime.fromisoformat(value) if value and name in ("start", "end", "done_at") else value


def change(task: Task, **values: Any) -> dict[str, Any]:
    """One UPDATE guarded by the version seen; returns what undo needs. `task` then holds the new values."""
    before = {name: stored(getattr(task, name)) for name in values}
    seen, version = task.version, task.version + 1
    if not Task.objects.filter(pk=task.pk, version=seen).update(version=version, **values):
        raise Changed(f"task {task.pk}")
    for name, value in values.items():
        setattr(task, name, value)
    task.version = version
    return {"task": task.pk, "before": before, "after": {name: stored(value) for name, value in values.items()}}


def facts(task: Task) -> dict[str, Any]:
    """A task as results, pages and prompts show it."""
    return {
        "id": task.pk,
        "title": task.title,
        "start": stored(task.start),
        "end": stored(task.end),
        "all_day": task.all_day,
        "status": task.status,
    }


def same(task: Model, after: dict[str, Any]) -> bool:
    """Nobody has touched these fields since. Instants compare as instants, not as text."""
    return all(getattr(task, name) == revived(name, value) for name, value in after.items())

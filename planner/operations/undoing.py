"""Taking back the last batch that changed something, said in the words of what was done."""

from collections.abc import Sequence
from typing import Any

from planner import texts
from planner.actions import Undo
from planner.models import OperationResult, Reminder, Task
from planner.operations.changes import revise, revived, same
from planner.operations.preferences import adopt
from planner.operations.words import Done, Refused, Scope


def undo(scope: Scope, params: Undo) -> Done | Refused:
    """Takes back the follower's last batch that changed something, the newest change first; again, the one before."""
    undoable = OperationResult.objects.filter(follower=scope.follower, undo__isnull=False, undone_by="").order_by("-id")
    last = undoable.first()
    if last is None:
        return Refused(texts.render("nothing_to_undo"), "nothing to undo")
    group = list(undoable.filter(batch_id=last.batch_id)) if last.batch_id else [last]
    said: list[OperationResult] = []
    words: list[str] = []
    for row in group:
        restored = _take_back(row, scope)
        if restored is not None:
            said.append(row)
            words.append(_told(row, restored, scope))
    mark = f"undo:{scope.batch_id or last.pk}:{scope.trace_id}"
    OperationResult.objects.filter(pk__in=[row.pk for row in group]).update(undone_by=mark[:120])
    kept = [str(row.result["summary"]).splitlines()[0] for row in group if row not in said]
    if not said:
        return Refused(texts.render("changed_since", kept=kept), "changed since")
    return Done(texts.render("undone", said=words, kept=kept), {"undone": [row.operation_key for row in said]})


def _told(row: OperationResult, restored: Sequence[Task], scope: Scope) -> str:
    """«聚餐» back at its old time, by name and time as they are again."""
    titles = list(dict.fromkeys(task.title for task in restored)) or _titles(row)
    moved = [task for task in restored if row.op == "update" and task.start and task.status == Task.OPEN]
    when = texts.planned(moved[0], scope.follower.zone) if len(moved) == 1 and _retimed(row) else ""
    return texts.render("took_back", op=row.op, titles=titles, when=when)


def _titles(row: OperationResult) -> list[str]:
    told = [row.result["task"]] if "task" in row.result else row.result.get("tasks", [])
    return [str(task["title"]) for task in told]


def _retimed(row: OperationResult) -> bool:
    entries: list[dict[str, Any]] = (row.undo or {}).get("tasks", [])
    return any(name in entry["before"] for entry in entries for name in ("start", "rrule"))


def _take_back(row: OperationResult, scope: Scope) -> list[Task] | None:
    """The tasks as they are again. None when something else has changed it since: then it stays as it is."""
    undo_to: dict[str, Any] = row.undo or {}
    if kept := undo_to.get("preferences"):
        adopt(scope, kept["timezone"], kept["preferences"])
        return []
    if named := undo_to.get("rings"):
        return [] if all([_silence(ring["task"], ring["at"]) for ring in named]) else None
    tasks = Task.objects.in_bulk([entry["task"] for entry in undo_to["tasks"]])
    entries = [entry for entry in _together(undo_to["tasks"]) if entry["task"] in tasks]
    if not all(same(tasks[entry["task"]], entry["after"]) for entry in entries):
        return None
    for entry in entries:
        _restore(tasks[entry["task"]], entry["before"], scope)
    return [tasks[entry["task"]] for entry in entries]


def _together(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One entry a task: one that an operation changed twice goes back to how it was before the first."""
    told: dict[int, dict[str, Any]] = {}
    for entry in entries:
        known = told.setdefault(entry["task"], {"task": entry["task"], "before": {}, "after": {}})
        known["before"] = entry["before"] | known["before"]
        known["after"] = known["after"] | entry["after"]
    return list(told.values())


def _restore(task: Task, before: dict[str, Any], scope: Scope) -> None:
    values = {name: revived(name, value) for name, value in before.items()}
    revise(task, scope, "undone", **values)


def _silence(task_id: int, at: str) -> bool:
    waiting = Reminder.objects.filter(task_id=task_id, due_at=at, status=Reminder.PENDING)
    return bool(waiting.update(status=Reminder.CANCELLED, reason="undone"))

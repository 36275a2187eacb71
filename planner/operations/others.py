"""Asking, and taking back."""

from typing import Any

from planner import agenda, texts
from planner.actions import Query, Undo
from planner.models import OperationResult, Reminder, Task
from planner.operations import showing
from planner.operations.changes import facts, revise, revived, same
from planner.operations.preferences import adopt
from planner.operations.words import Done, Refused, Scope


def query(scope: Scope, params: Query) -> Done:
    if params.free:
        return showing.free(scope, params)
    page = agenda.listing(scope.follower, params)
    summary = showing.listed(scope, params, page)
    return Done(summary, {"tasks": [facts(task) for task in page.tasks], "total": page.total, "page": page.number})


def undo(scope: Scope, params: Undo) -> Done | Refused:
    """Takes back the follower's last batch that changed something, the newest change first; again, the one before."""
    undoable = OperationResult.objects.filter(follower=scope.follower, undo__isnull=False, undone_by="").order_by("-id")
    last = undoable.first()
    if last is None:
        return Refused(texts.render("nothing_to_undo"), "nothing to undo")
    group = list(undoable.filter(batch_id=last.batch_id)) if last.batch_id else [last]
    said: list[OperationResult] = []
    kept: list[OperationResult] = []
    for row in group:
        (said if _take_back(row, scope) else kept).append(row)
    mark = f"undo:{scope.batch_id or last.pk}:{scope.trace_id}"
    OperationResult.objects.filter(pk__in=[row.pk for row in group]).update(undone_by=mark[:120])
    if not said:
        return Refused(texts.render("changed_since", kept=_names(kept)), "changed since")
    summary = texts.render("undone", said=_names(said), kept=_names(kept))
    return Done(summary, {"undone": [row.operation_key for row in said]})


def _names(rows: list[OperationResult]) -> list[str]:
    return [str(row.result["summary"]).splitlines()[0] for row in rows]


def _take_back(row: OperationResult, scope: Scope) -> bool:
    """False when something else has changed it since: then it stays as it is."""
    undo_to: dict[str, Any] = row.undo or {}
    if kept := undo_to.get("preferences"):
        adopt(scope, kept["timezone"], kept["preferences"])
        return True
    if named := undo_to.get("rings"):
        return all([_silence(ring["task"], ring["at"]) for ring in named])
    tasks = Task.objects.in_bulk([entry["task"] for entry in undo_to["tasks"]])
    entries = [entry for entry in undo_to["tasks"] if entry["task"] in tasks]
    if not all(same(tasks[entry["task"]], entry["after"]) for entry in entries):
        return False
    for entry in entries:
        _restore(tasks[entry["task"]], entry["before"], scope)
    return True


def _restore(task: Task, before: dict[str, Any], scope: Scope) -> None:
    values = {name: revived(name, value) for name, value in before.items()}
    revise(task, scope, "undone", **values)


def _silence(task_id: int, at: str) -> bool:
    waiting = Reminder.objects.filter(task_id=task_id, due_at=at, status=Reminder.PENDING)
    return bool(waiting.update(status=Reminder.CANCELLED, reason="undone"))

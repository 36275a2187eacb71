"""The verbs: what each operation does to the plan. Called inside the ledger's transaction only."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, cast

from planner import agenda, texts
from planner.actions import Complete, Create, Delete, Reopen, Snooze, Target, Update
from planner.models import Task
from planner.operations.changes import change, facts
from planner.operations.others import query, set_preference, undo
from planner.operations.readings import nearer_half, renamed, same_week
from planner.operations.reminding import arm, disarm, leads_of, moments
from planner.operations.words import Done, Refused, Scope, Unclear

Made = Done | Refused | Unclear
OPTIONS = 9


def create(scope: Scope, params: Create) -> Made:
    zone = scope.follower.zone
    leads = leads_of(params.remind, scope.follower) if params.start and not params.remind_at else []
    if params.remind and params.remind_at:
        leads = [minutes for minutes in leads_of(params.remind, scope.follower) if minutes]
    task = Task(
        follower=scope.follower,
        title=params.title,
        start=params.start,
        end=params.end,
        all_day=params.all_day,
        leads=leads,
        notes=params.notes,
    )
    task.reminder_status = "PENDING" if params.start or params.remind_at else ""
    task.save(force_insert=True)
    rings = arm(task, [*moments(task, zone), *params.remind_at], after=scope.sent_at)
    undo_to = {"task": task.pk, "before": {"status": Task.DELETED}, "after": {"status": Task.OPEN}}
    repeat = params.repeat if params.rrule else ""
    said = {"title": task.title, "when": _when(task, scope), "rings": _rings(task, rings, scope), "repeat": repeat}
    summary = texts.render("created", **said)
    return Done(summary, {"task": facts(task), "rings": [moment.isoformat() for moment in rings]}, {"tasks": [undo_to]})


def update(scope: Scope, params: Update) -> Made:
    found = _one(scope, params.target)
    if not isinstance(found, Task):
        return found
    values = _changed(found, params, scope)
    if not values and params.changes.remind_at is None:
        return Refused(texts.render("nothing_to_change", title=found.title), "no change")
    was = _when(found, scope)
    undo_to = change(found, **values)
    rings = rearm(found, scope, "moved", extra=params.changes.remind_at or [])
    summary = texts.render(
        "updated", title=found.title, was=was, when=_when(found, scope), rings=_rings(found, rings, scope)
    )
    return Done(summary, {"task": facts(found)}, {"tasks": [undo_to]})


def _changed(task: Task, params: Update, scope: Scope) -> dict[str, Any]:
    wanted = params.changes
    values: dict[str, Any] = {}
    if wanted.title:
        values["title"] = renamed(task.title, wanted)
    if wanted.notes is not None:
        values["notes"] = wanted.notes
    if wanted.remind is not None:
        values["leads"] = leads_of(wanted.remind, scope.follower) if wanted.remind else []
    return values | _moved(task, params, scope)


def _moved(task: Task, params: Update, scope: Scope) -> dict[str, Any]:
    """The new start and end. A day alone keeps the clock; a shift is relative to the task; its length is kept."""
    wanted = params.changes
    start, all_day = wanted.start, bool(wanted.all_day)
    if wanted.shift_seconds is not None and task.start is not None:
        start, all_day = task.start + timedelta(seconds=wanted.shift_seconds), task.all_day
    if start is None:
        return {}
    if wanted.keep_clock and task.start is not None and not task.all_day:
        start, all_day = _on_day(start, task.start, scope), False
    if wanted.keep_week and task.start is not None:
        start = same_week(task.start, start, scope.follower.zone)
    if wanted.keep_day and task.start is not None:
        start = _on_day(task.start, start, scope)
    if wanted.either_half and task.start is not None:
        start = nearer_half(task.start, start)
    end = wanted.end
    if end is None and task.start and task.end and not all_day:
        end = start + (task.end - task.start)
    leads = {} if task.leads or wanted.remind is not None else {"leads": leads_of([], scope.follower)}
    return {"start": start, "end": end, "all_day": all_day, **leads}


def _on_day(day: datetime, clock: datetime, scope: Scope) -> datetime:
    zone = scope.follower.zone
    return datetime.combine(day.astimezone(zone).date(), clock.astimezone(zone).time(), zone)


def complete(scope: Scope, params: Complete) -> Made:
    """«都完成了» completes all that fit: an undo takes it back, so nobody is asked."""
    found = agenda.match(scope.follower, params.target, begun_by=scope.sent_at)
    if not params.target.every or not found:
        one = _one(scope, params.target, among=found)
        if not isinstance(one, Task):
            return one
        found = [one]
    undo_to = [change(task, status=Task.DONE, done_at=scope.sent_at) for task in found]
    for task in found:
        disarm(task, "done")
    summary = texts.render("completed", titles=[task.title for task in found])
    return Done(summary, {"tasks": [facts(task) for task in found]}, {"tasks": undo_to})


def reopen(scope: Scope, params: Reopen) -> Made:
    found = _one(scope, params.target, status=Task.DONE)
    if not isinstance(found, Task):
        return found
    undo_to = change(found, status=Task.OPEN, done_at=None)
    rearm(found, scope, "reopened")
    return Done(texts.render("reopened", title=found.title), {"task": facts(found)}, {"tasks": [undo_to]})


def delete(scope: Scope, params: Delete) -> Made:
    """Deleting many needs the follower's yes, and is bound to the very tasks that he said yes to."""
    found = _to_delete(scope, params)
    if not isinstance(found, list):
        return found
    undo_to = [change(task, status=Task.DELETED) for task in found]
    for task in found:
        disarm(task, "deleted")
    summary = texts.render("deleted", titles=[task.title for task in found][:OPTIONS], count=len(found))
    return Done(summary, {"tasks": [facts(task) for task in found]}, {"tasks": undo_to})


def _to_delete(scope: Scope, params: Delete) -> list[Task] | Refused | Unclear:
    if not params.target.every:
        one = _one(scope, params.target)
        return [one] if isinstance(one, Task) else one
    tasks = agenda.match(scope.follower, params.target)
    if params.confirmed is not None:
        tasks = [task for task in tasks if task.pk in params.confirmed]
    if not tasks:
        return Refused(texts.render("nothing_to_delete"), "no task")
    if params.confirmed is None and len(tasks) > 1:
        return Unclear("confirm", [task.title for task in tasks], {"tasks": [task.pk for task in tasks]})
    return tasks


def snooze(scope: Scope, params: Snooze) -> Made:
    found = _one(scope, params.target)
    if not isinstance(found, Task):
        return found
    if params.at is None:
        return Refused(texts.render("snooze_without_time", title=found.title), "no time")
    rings = arm(found, [params.at], after=scope.sent_at)
    if not rings:
        return Refused(texts.render("time_is_past", title=found.title), "time is past")
    at = texts.when(params.at, None, all_day=False, zone=scope.follower.zone)
    return Done(texts.render("snoozed", title=found.title, at=at), {"task": facts(found)})


def rearm(task: Task, scope: Scope, reason: str, *, extra: list[datetime] | None = None) -> list[datetime]:
    """What rang for the version before does not ring any more; what is still ahead rings for this one."""
    disarm(task, reason)
    return arm(task, [*moments(task, scope.follower.zone), *(extra or [])], after=scope.sent_at)


def _one(
    scope: Scope, target: Target, *, status: str = Task.OPEN, among: list[Task] | None = None
) -> Task | Refused | Unclear:
    found = agenda.match(scope.follower, target, status=status) if among is None else among
    if not found:
        name = target.text or target.when or ""
        return Refused(texts.render("not_found", name=name, done=status == Task.DONE), "no such task")
    if len(found) > 1:
        shown = sorted(found, key=lambda task: (task.start is None, task.start, task.pk))[:OPTIONS]
        options = [" ".join(filter(None, (_when(task, scope), task.title))) for task in shown]
        return Unclear("target", options, {"tasks": [task.pk for task in shown], "total": len(found)})
    return found[0]


def _when(task: Task, scope: Scope) -> str:
    return texts.when(task.start, task.end, all_day=task.all_day, zone=scope.follower.zone)


def _rings(task: Task, rings: list[datetime], scope: Scope) -> list[str]:
    """`提前10分钟` for a lead, the full time for a moment of its own; a plain ring at the start goes without saying."""
    by_lead = {moment: minutes for minutes in task.leads for moment in moments_of(task, minutes, scope)}
    said = []
    for moment in rings:
        if moment in by_lead:
            said += [texts.lead(by_lead[moment])] if by_lead[moment] else []
        elif moment != task.start:
            said.append(texts.when(moment, None, all_day=False, zone=scope.follower.zone))
    return said


def moments_of(task: Task, minutes: int, scope: Scope) -> list[datetime]:
    only = Task(start=task.start, all_day=task.all_day, leads=[minutes])
    return moments(only, scope.follower.zone)


Verb = Callable[[Scope, Any], Made]
VERBS: dict[str, Verb] = {
    "create": cast(Verb, create),
    "update": cast(Verb, update),
    "complete": cast(Verb, complete),
    "reopen": cast(Verb, reopen),
    "delete": cast(Verb, delete),
    "query": query,
    "snooze": cast(Verb, snooze),
    "undo": undo,
    "set": set_preference,
}

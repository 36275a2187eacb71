"""The verbs: what each operation does to the plan. Called inside the ledger's transaction only."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from planner import nearby, series, texts
from planner.actions import Complete, Create, Delete, Reopen, Snooze, Update
from planner.models import Reminder, Task
from planner.operations import showing
from planner.operations.adding import add
from planner.operations.asking import query
from planner.operations.changes import change, facts, revise
from planner.operations.moving import leads_changed, moved
from planner.operations.preferences import set_preference
from planner.operations.readings import renamed
from planner.operations.repeating import begun, detached, rule_for, shown_at, without
from planner.operations.targets import OPTIONS, deletable, one, several, which_turns
from planner.operations.undoing import undo
from planner.operations.words import Done, Refused, Scope, Unclear
from planner.recurrence import BadRule
from planner.reminding import Ring, leads_of, moments, place, rings, status_of

Made = Done | Refused | Unclear
ON_TIME = "准时"  # «提醒我喝水»: a reminder is no appointment, and clashes with none


def create(scope: Scope, params: Create) -> Made:
    task = Task(follower=scope.follower, title=params.title, start=params.start, end=params.end, notes=params.notes)
    task.all_day = params.all_day
    try:
        task.leads = _first_leads(params, scope)
    except OverflowError:
        return _too_far(params.title)
    if params.rrule and not _repeats(task, params, scope):
        return Refused(texts.render("rule_refused", repeat=params.repeat or "", title=params.title), "rule")
    named = [] if params.rrule else [Ring(at, kind=Reminder.MOMENT) for at in params.remind_at if at > scope.sent_at]
    wanted = [*rings(task, scope.follower, after=scope.sent_at), *named]
    task.reminder_status = status_of(wanted, scope.follower.zone)
    rung, others = add(task, wanted, _beside(task, params, scope))
    undo_to = {"task": task.pk, "before": {"status": Task.DELETED}, "after": {"status": Task.OPEN}}
    first = texts.day(task.start, scope.follower.zone) if task.rrule and task.start else ""
    clashes, again = showing.beside(task, others, scope)
    said = {"when": _when(task, scope), "rings": _said(task, rung, scope), "first": first, "clashes": clashes}
    summary = texts.render("created", title=task.title, notes=params.notes, again=again, **said)
    at = [ring.due_at.isoformat() for ring in rung]
    return Done(summary, {"task": facts(task), "rings": at}, {"tasks": [undo_to]})


def _beside(task: Task, params: Create, scope: Scope) -> nearby.Look | None:
    """Where a new task may overlap something: not a bare reminder, nor what repeats."""
    return None if task.rrule or params.remind == [ON_TIME] else nearby.around(task, scope.follower)


def _first_leads(params: Create, scope: Scope) -> list[int]:
    """Moments that were named ring instead of the default; those of a series move with its turns, as leads."""
    if params.rrule and params.start:
        ahead = [int((params.start - at).total_seconds() // 60) for at in params.remind_at if at <= params.start]
        spoken = leads_of(params.remind, scope.follower) if params.remind or not ahead else []
        return sorted({*ahead, *spoken}, reverse=True)
    if params.remind and params.remind_at:
        return [minutes for minutes in leads_of(params.remind, scope.follower) if minutes]
    return leads_of(params.remind, scope.follower) if params.start and not params.remind_at else []


def _repeats(task: Task, params: Create, scope: Scope) -> bool:
    """Makes it a series; without a time it is of whole days from today on. False for a rule that cannot be."""
    zone = scope.follower.zone
    if task.start is None:
        task.start = scope.sent_at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
        task.all_day, task.leads = True, leads_of(params.remind, scope.follower)
    words = f"{params.repeat or ''} {params.when or ''}"
    try:
        rule = rule_for(params.rrule or "", words, task.start, all_day=task.all_day, zone=zone)
    except BadRule:
        return False
    task.repeat = (params.repeat or params.when or "")[:60]
    for name, value in begun(rule, task.start, task.end, zone).items():
        setattr(task, name, value)
    return True


def update(scope: Scope, params: Update) -> Made:
    found = one(scope, params.target)
    if not isinstance(found, Task):
        return found
    found = which_turns(found, params, scope)
    if not isinstance(found, Task):
        return found
    if found.turn is not None:
        return _update_turn(found, params, scope)
    values, ringing = _plain_changes(found, params), _ringing_changes(found, params, scope)
    if isinstance(ringing, Refused):
        return ringing
    also = [Ring(at, kind=Reminder.MOMENT) for at in params.changes.remind_at or [] if at > scope.sent_at]
    if not (values or ringing or also):
        return Refused(texts.render("nothing_to_change", title=found.title), "no change")
    was = _when(found, scope)
    if ringing or also:
        undo_to, rung = revise(found, scope, "moved", also=also, **values, **ringing)
    else:
        undo_to, rung = change(found, **values), []
    clashes = showing.clashes(found, scope) if "start" in ringing and not found.rrule else []
    said = {"was": was, "when": _when(found, scope), "rings": _said(found, rung, scope), "clashes": clashes}
    silent = params.changes.remind == []
    summary = texts.render("updated", title=found.title, notes=params.changes.notes, silent=silent, **said)
    return Done(summary, {"task": facts(found)}, {"tasks": [undo_to]})


def _plain_changes(task: Task, params: Update) -> dict[str, Any]:
    """What rings no other way for it."""
    wanted = params.changes
    values = {"title": renamed(task.title, wanted) if wanted.title else None, "notes": wanted.notes}
    return {name: value for name, value in values.items() if value is not None}


def _ringing_changes(task: Task, params: Update, scope: Scope) -> dict[str, Any] | Refused:
    """What rings at another time for it."""
    try:
        return leads_changed(task, params, scope) | moved(task, params, scope)
    except BadRule:
        return Refused(texts.render("rule_refused", repeat=params.changes.repeat or "", title=task.title), "rule")
    except OverflowError:
        return _too_far(task.title)


def _too_far(title: str) -> Refused:
    return Refused(texts.render("beyond_the_calendar", title=title), "beyond the calendar")


def _update_turn(shown: Task, params: Update, scope: Scope) -> Made:
    """One turn alone: it becomes a task of its own, and the series goes on without it."""
    row, turn = shown.row, shown.turn
    assert row is not None
    assert turn is not None
    ringing = _ringing_changes(shown, params, scope)
    if isinstance(ringing, Refused):
        return ringing
    alone, undo_alone = detached(shown, **_plain_changes(shown, params), **ringing)
    undo_row, _ = revise(row, scope, "moved", turn=turn, **without(row, turn, scope))
    also = [Ring(at, kind=Reminder.MOMENT) for at in params.changes.remind_at or [] if at > scope.sent_at]
    rung = place(alone, [*rings(alone, scope.follower, after=scope.sent_at), *also])
    said = {"was": _when(shown, scope), "when": _when(alone, scope), "rings": _said(alone, rung, scope), "once": True}
    summary = texts.render("updated", title=alone.title, **said)
    return Done(summary, {"task": facts(alone)}, {"tasks": [undo_alone, undo_row]})


def complete(scope: Scope, params: Complete) -> Made:
    """«都完成了» completes all that fit: an undo takes it back, so nobody is asked."""
    found = several(scope, params.target)
    if not isinstance(found, list):
        return found
    undo_to: list[dict[str, Any]] = []
    shown = [shown_at(task, scope) or task for task in found]
    for task in shown:
        undo_to += _finished(task, scope, whole=bool(params.target.series))
    coming = _next_of(shown[0], scope) if len(shown) == 1 else ""
    titles = [_turn_named(task, scope) for task in shown]
    summary = texts.render("completed", titles=titles, coming=coming)
    return Done(summary, {"tasks": [facts(task) for task in shown]}, {"tasks": undo_to})


def _finished(shown: Task, scope: Scope, *, whole: bool) -> list[dict[str, Any]]:
    """Of a series one turn, as a task of its own that is done; its last one ends the series."""
    row, turn = shown.row, shown.turn
    if row is None or turn is None or whole:
        return [revise(row or shown, scope, "done", status=Task.DONE, done_at=scope.sent_at)[0]]
    left = without(row, turn, scope)
    _, undo_done = detached(shown, status=Task.DONE, done_at=scope.sent_at)
    return [undo_done, revise(row, scope, "done", turn=turn, **left)[0]]


def _turn_named(shown: Task, scope: Scope) -> str:
    if shown.turn is None:
        return shown.title
    return f"{shown.title}（{_turn_when(shown, shown.turn, scope)}）"


def _turn_when(shown: Task, turn: datetime, scope: Scope) -> str:
    """With the clock only where a day has several turns."""
    zone = scope.follower.zone
    several = len(series.rule_of(shown.row or shown).hours) > 1
    return texts.when(turn, None, all_day=not several, zone=zone)


def _next_of(shown: Task, scope: Scope) -> str:
    row = shown.row
    if row is None or row.status != Task.OPEN:
        return ""
    zone = scope.follower.zone
    coming = series.following(row, zone, scope.sent_at)
    return texts.when(coming, None, all_day=row.all_day, zone=zone) if coming else ""


def reopen(scope: Scope, params: Reopen) -> Made:
    """What is done, else what was deleted."""
    found = one(scope, params.target, status=Task.DONE)
    if isinstance(found, Refused) and isinstance(gone := one(scope, params.target, status=Task.DELETED), Task):
        found = gone
    if not isinstance(found, Task):
        return found
    undo_to, _ = revise(found, scope, "reopened", status=Task.OPEN, done_at=None)
    return Done(texts.render("reopened", title=found.title), {"task": facts(found)}, {"tasks": [undo_to]})


def delete(scope: Scope, params: Delete) -> Made:
    """Deleting many needs the follower's yes, and is bound to the very tasks that he said yes to."""
    found = deletable(scope, params)
    if not isinstance(found, list):
        return found
    undo_to: list[dict[str, Any]] = []
    for task in found:
        undo_to += _removed(task, scope)
    once = _turn_named(found[0], scope) if len(found) == 1 and found[0].turn else ""
    coming = _next_of(found[0], scope) if once else ""
    titles = [_turn_named(task, scope) for task in found][:OPTIONS]
    summary = texts.render("deleted", titles=titles, count=len(found), once=once, coming=coming)
    return Done(summary, {"tasks": [facts(task) for task in found]}, {"tasks": undo_to})


def _removed(shown: Task, scope: Scope) -> list[dict[str, Any]]:
    """One turn is skipped; a whole series goes with the turns that were moved out of it."""
    row, turn = shown.row, shown.turn
    if row is not None and turn is not None:
        return [revise(row, scope, "skipped", turn=turn, **without(row, turn, scope))[0]]
    moved_out = list(Task.objects.filter(series=shown, status=Task.OPEN)) if shown.rrule else []
    return [revise(task, scope, "deleted", status=Task.DELETED)[0] for task in (shown, *moved_out)]


def snooze(scope: Scope, params: Snooze) -> Made:
    found = one(scope, params.target)
    if not isinstance(found, Task):
        return found
    if params.at is None:
        return Refused(texts.render("snooze_without_time", title=found.title), "no time")
    if params.at <= scope.sent_at:
        return Refused(texts.render("time_is_past", title=found.title), "time is past")
    shown = shown_at(found, scope) or found
    place(shown.row or shown, [Ring(params.at, shown.turn, Reminder.MOMENT)])
    at = texts.when(params.at, None, all_day=False, zone=scope.follower.zone)
    ring = {"task": found.pk, "at": params.at.isoformat()}
    return Done(
        texts.render("snoozed", title=found.title, at=at), {"task": facts(shown)}, {"tasks": [], "rings": [ring]}
    )


def _when(task: Task, scope: Scope) -> str:
    return texts.planned(task, scope.follower.zone)


def _said(task: Task, rung: list[Ring], scope: Scope) -> list[str]:
    """`提前10分钟` for a lead, the full time for a moment of its own; a plain ring at the start goes without saying."""
    if task.rrule:
        return [texts.lead(minutes) for minutes in task.leads if minutes]
    by_lead = {at: minutes for minutes in task.leads for at in _moments_of(task, minutes, scope)}
    return [words for ring in rung if (words := _ring_said(task, ring.due_at, by_lead, scope))]


def _ring_said(task: Task, at: datetime, by_lead: dict[datetime, int], scope: Scope) -> str:
    if at in by_lead and (by_lead[at] or at == task.start or task.all_day):
        return texts.lead(by_lead[at]) if by_lead[at] else ""
    return "" if at == task.start else texts.when(at, None, all_day=False, zone=scope.follower.zone)


def _moments_of(task: Task, minutes: int, scope: Scope) -> list[datetime]:
    if task.start is None:
        return []
    return moments(task, task.start, scope.follower, leads=[minutes])


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

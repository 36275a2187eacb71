"""Asking, taking back, and the follower's preferences."""

import re
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planner import agenda, texts
from planner.actions import Query, Set, Undo
from planner.models import Follower, OperationResult, Task
from planner.operations.changes import change, facts, revived, same
from planner.operations.reminding import arm, disarm, moments
from planner.operations.words import Done, Refused, Scope


def query(scope: Scope, params: Query) -> Done:
    page = agenda.listing(scope.follower, params)
    zone = scope.follower.zone
    lines = [(texts.when(t.start, t.end, all_day=t.all_day, zone=zone), t.title) for t in page.tasks]
    first = (page.number - 1) * agenda.PAGE
    summary = texts.render(
        "listing",
        range=params.range,
        lines=[(first + n, when, title) for n, (when, title) in enumerate(lines, 1)],
        total=page.total,
        more=page.more,
        page=page.number,
        status=params.status,
    )
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
    if "preferences" in undo_to:
        Follower.objects.filter(pk=scope.follower.pk).update(**undo_to["preferences"])
        return True
    tasks = Task.objects.in_bulk([entry["task"] for entry in undo_to["tasks"]])
    entries = [entry for entry in undo_to["tasks"] if entry["task"] in tasks]
    if not all(same(tasks[entry["task"]], entry["after"]) for entry in entries):
        return False
    for entry in entries:
        _restore(tasks[entry["task"]], entry["before"], scope)
    return True


def _restore(task: Task, before: dict[str, Any], scope: Scope) -> None:
    change(task, **{name: revived(name, value) for name, value in before.items()})
    disarm(task, "undone")
    if task.status == Task.OPEN:
        arm(task, moments(task, scope.follower.zone), after=scope.sent_at)


CLOCK = re.compile(r"^([01]?\d|2[0-3]):[0-5]\d$")
RANGE = re.compile(r"^([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d$")


def set_preference(scope: Scope, params: Set) -> Done | Refused:
    changes = {name: value for name, value in params.changes.model_dump().items() if value is not None}
    if wrong := [name for name, value in changes.items() if not _valid(name, value)]:
        return Refused(texts.render("preference_refused", names=wrong), "invalid " + ", ".join(wrong))
    follower = scope.follower
    before = {"timezone": follower.timezone, "preferences": follower.preferences}
    follower.timezone = changes.pop("timezone", follower.timezone)
    follower.preferences = {**follower.preferences, **changes}
    Follower.objects.filter(pk=follower.pk).update(timezone=follower.timezone, preferences=follower.preferences)
    named = params.changes.model_dump(exclude_none=True)
    return Done(texts.render("preference_set", changes=named), {"changes": named}, {"preferences": before})


def _valid(name: str, value: Any) -> bool:
    if name == "timezone":
        return _is_zone(value)
    if name == "digest_time":
        return value in ("", "off") or bool(CLOCK.match(value))
    if name == "quiet_hours":
        return value in ("", "off") or bool(RANGE.match(value))
    return name != "default_lead" or 0 <= value <= 60 * 24 * 30


def _is_zone(value: str) -> bool:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError):
        return False
    return True

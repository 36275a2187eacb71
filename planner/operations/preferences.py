"""The follower's preferences: what they mean, and what changes with them for the tasks that are there."""

from collections.abc import Callable
from datetime import datetime
from itertools import chain
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planner import series, sql, texts
from planner.actions import Set
from planner.models import Follower, Reminder, Task
from planner.operations.words import Done, Refused, Scope
from planner.quiet import OFF, clock, hours
from planner.reminding import Ring, next_digest, place_all, rings

LONGEST_LEAD = 60 * 24 * 30
_CANCEL = """
    UPDATE planner_reminder SET status = 'CANCELLED', reason = %s WHERE follower_id = %s AND status = 'PENDING'"""


def set_preference(scope: Scope, params: Set) -> Done | Refused:
    """With nothing to change: how they stand."""
    changes = params.changes.model_dump(exclude_none=True)
    if not changes:
        return Done(_shown(scope.follower), {"changes": {}})
    if wrong := [name for name, value in changes.items() if not _VALID[name](value)]:
        return Refused(texts.render("preference_refused", names=wrong), "invalid " + ", ".join(wrong))
    follower = scope.follower
    before = {"timezone": follower.timezone, "preferences": follower.preferences}
    kept = {name: value for name, value in changes.items() if name != "timezone"}
    adopt(scope, changes.get("timezone", follower.timezone), {**follower.preferences, **kept})
    summary = texts.render("preference_set", changes=changes, lead=_lead(changes))
    return Done(summary, {"changes": changes}, {"preferences": before})


def _shown(follower: Follower) -> str:
    lead = _lead(follower.preferences)
    return texts.render("preferences", timezone=follower.timezone, lead=lead, **follower.preferences)


def _lead(preferences: dict[str, Any]) -> str:
    minutes = int(preferences.get("default_lead") or 0)
    return texts.lead(minutes) if minutes else "准时"


def adopt(scope: Scope, timezone: str, preferences: dict[str, Any]) -> None:
    """Takes effect for what is planned already: wall-clock times are kept in another zone, and what waits to ring
    stays out of the new quiet hours. A moment that has thereby passed rings at once."""
    follower, zone, was = scope.follower, scope.follower.zone, scope.follower.preferences
    follower.timezone, follower.preferences = timezone, preferences
    if follower.zone != zone:
        _move(follower, zone)
    if preferences.get("quiet_hours", "") != was.get("quiet_hours", ""):
        _quieten(follower, scope.sent_at)
    follower.digest_at = next_digest(follower, scope.sent_at)
    Follower.objects.filter(pk=follower.pk).update(
        timezone=timezone, preferences=preferences, digest_at=follower.digest_at
    )


def _move(follower: Follower, old: ZoneInfo) -> None:
    """The same wall-clock times in the follower's new zone."""

    def there(moment: datetime) -> datetime:
        return series.instant(series.wall(moment, old), follower.zone)

    tasks = list(Task.objects.filter(follower=follower, status=Task.OPEN, start__isnull=False))
    for task in tasks:
        for name in ("start", "end", "turn_at"):
            moment = getattr(task, name)
            setattr(task, name, moment and there(moment))
        task.exdates = [there(datetime.fromisoformat(day)).isoformat() for day in task.exdates]
    Task.objects.bulk_update(tasks, ["start", "end", "turn_at", "exdates"], batch_size=200)
    waiting = _waiting(follower)
    moved = [(row.task, Ring(there(row.due_at), row.turn and there(row.turn), row.kind, row.nth)) for row in waiting]
    _replace(follower, "timezone", moved)


def _quieten(follower: Follower, now: datetime) -> None:
    """Leads are counted anew; moments that the follower named himself stay."""
    tasks = Task.objects.filter(follower=follower, status=Task.OPEN, start__isnull=False)
    leads = ((task, ring) for task in tasks for ring in rings(task, follower, after=now))
    named = (
        (row.task, Ring(row.due_at, row.turn, row.kind, row.nth))
        for row in _waiting(follower)
        if row.kind != Reminder.LEAD
    )
    _replace(follower, "quiet hours", list(chain(leads, named)))


def _waiting(follower: Follower) -> list[Reminder]:
    return list(Reminder.objects.filter(follower=follower, status=Reminder.PENDING).select_related("task"))


def _replace(follower: Follower, reason: str, wanted: list[tuple[Task, Ring]]) -> None:
    sql.execute(_CANCEL, (reason, follower.pk))
    place_all(list({(task.pk, ring.due_at): (task, ring) for task, ring in wanted}.values()))


def _is_zone(value: str) -> bool:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


_VALID: dict[str, Callable[[Any], bool]] = {
    "timezone": _is_zone,
    "digest_time": lambda value: value in OFF or clock(value) is not None,
    "quiet_hours": lambda value: value in OFF or hours(value) is not None,
    "default_lead": lambda value: 0 <= value <= LONGEST_LEAD,
    "nag": lambda value: True,
}

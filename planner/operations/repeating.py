"""Tasks that repeat: their rule in normal form, and one turn done, skipped or moved without touching the rest."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from planner import recurrence, series, sql
from planner.models import Task
from planner.operations.changes import stored
from planner.operations.words import Scope
from planner.recurrence import Rule
from planner.recurrence.rule import WORKWEEK

_WORKDAYS = re.compile("工作日|上班日|workday", re.IGNORECASE)


def rule_for(rrule: str, words: str, start: datetime, *, all_day: bool, zone: ZoneInfo) -> Rule:
    """Raises BadRule. «工作日» in the follower's words means the days really worked, not Monday to Friday."""
    rule = recurrence.parse(rrule)
    if _WORKDAYS.search(words) and (rule.weekdays == WORKWEEK or (rule.freq == "DAILY" and not rule.weekdays)):
        rule = replace(rule, workdays=True, weekdays=())
    local = series.wall(start, zone).replace(second=0, microsecond=0)
    return recurrence.settled(rule, local, all_day=all_day)


def begun(rule: Rule, start: datetime, end: datetime | None, zone: ZoneInfo) -> dict[str, Any]:
    """The fields of a series whose rule, which knows whole minutes, begins at or after `start`; its length is kept."""
    first = series.first_turn(rule, start.replace(second=0, microsecond=0), zone)
    whole = series.at(Task(start=start, end=end), first, zone)
    return {"rrule": str(rule), "start": whole.start, "end": whole.end, "exdates": []}


def without(row: Task, turn: datetime, scope: Scope) -> dict[str, Any]:
    """The series without one of its turns. What lies before a turn that has begun is passed over with it; a later one
    is left out, and the series is DONE when none is left."""
    zone, now = scope.follower.zone, scope.sent_at
    if turn <= now or (series.last_begun(row, zone, now) is None and turn == series.current(row, zone, now)):
        return _from_after(row, turn, zone)
    exdates = sorted({*row.exdates, turn.isoformat()})
    rest = Task(start=row.start, rrule=row.rrule, exdates=exdates)
    left = row.start and next(series.turns(rest, zone, since=row.start), None)
    return {"exdates": exdates} if left else {"exdates": exdates, "status": Task.DONE}


def _from_after(row: Task, turn: datetime, zone: ZoneInfo) -> dict[str, Any]:
    coming = series.following(row, zone, turn)
    if coming is None:
        return {"status": Task.DONE}
    after = series.at(row, coming, zone)
    return {"start": after.start, "end": after.end, "exdates": [day for day in row.exdates if day > coming.isoformat()]}


def detached(shown: Task, **values: Any) -> tuple[Task, dict[str, Any]]:
    """A turn as a task of its own, stored; and what undo needs to take it away again."""
    row = shown.row or shown
    kept = {name: getattr(shown, name) for name in ("title", "start", "end", "all_day", "leads", "notes")}
    one = Task(follower_id=row.follower_id, series_id=row.pk, turn_at=shown.turn, **{**kept, **values})
    sql.insert(one)
    return one, {"task": one.pk, "before": {"status": Task.DELETED}, "after": {"status": stored(one.status)}}


def shown_at(task: Task, scope: Scope) -> Task | None:
    """A series as it stands at the turn that was named, else at the one that is on now; None when it is over."""
    if not task.rrule or task.turn is not None:
        return task
    turn = series.current(task, scope.follower.zone, scope.sent_at)
    return series.at(task, turn, scope.follower.zone) if turn else None

"""What a change does to the time of a task: a new start, a shift, another rhythm."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from planner import series
from planner.actions import Changes, Update
from planner.models import Task
from planner.operations.readings import HALF_DAY, nearer_half, same_week, waking
from planner.operations.repeating import begun, rule_for
from planner.operations.words import Scope
from planner.reminding import MORNING, leads_of


def leads_changed(task: Task, params: Update, scope: Scope) -> dict[str, Any]:
    """In minutes before the task, so that they move with it; a day and a clock of their own too."""
    wanted, days = params.changes.remind, params.changes.remind_days
    if wanted is None and not days:
        return {}
    kept = [minutes for minutes in task.leads if minutes] if wanted is None else []
    leads = {*kept, *(leads_of(wanted, scope.follower) if wanted else [])}
    start = task.start
    leads |= {_ahead(start, back, clock, task, scope) for back, clock in days or [] if start}
    return {"leads": sorted(leads, reverse=True)}


def _ahead(begins: datetime, back: int, clock: time, task: Task, scope: Scope) -> int:
    zone = scope.follower.zone
    start = begins.astimezone(zone)
    anchor = datetime.combine(start.date(), MORNING, zone) if task.all_day else start
    moment = datetime.combine(start.date() - timedelta(days=back), clock, zone)
    return int((anchor.replace(tzinfo=None) - moment.replace(tzinfo=None)).total_seconds() // 60)


def moved(task: Task, params: Update, scope: Scope) -> dict[str, Any]:
    """The new start and end. A day alone keeps the clock; a shift is relative to the task; its length is kept.

    A series (no turn of it) keeps its days and gets the new clock, unless a new rhythm is given. Raises BadRule.
    """
    wanted, zone = params.changes, scope.follower.zone
    values = _times(task, wanted, zone)
    if not values and not wanted.rrule:
        return {}
    if not task.leads and wanted.remind is None:
        values["leads"] = leads_of([], scope.follower)
    if wanted.rrule or (task.rrule and task.turn is None):
        values |= _rhythm(task, wanted, values, scope)
    return values


def _times(task: Task, wanted: Changes, zone: ZoneInfo) -> dict[str, Any]:
    start = wanted.start
    all_day = bool(wanted.all_day or (wanted.keep_clock and (task.start is None or task.all_day)))
    if wanted.shift_seconds is not None and task.start is not None:
        start, all_day = task.start + timedelta(seconds=wanted.shift_seconds), task.all_day
    if start is None:
        return _later_end(task, wanted, zone)
    if wanted.keep_clock and task.start is not None and not task.all_day:
        start, all_day = _on_day(start, task.start, zone), False
    if wanted.keep_week and task.start is not None:
        start = same_week(task.start, start, zone)
    if wanted.keep_day and task.start is not None:
        start = _on_day(task.start, start, zone)
    if wanted.either_half and task.start is not None:
        start = waking(start, zone) if task.all_day else nearer_half(task.start, start)
    end = wanted.end and start + (wanted.end - (wanted.start or start))
    if end is None and task.start and task.end and all_day == task.all_day:
        end = start + (task.end - task.start)
    return {"start": start, "end": end, "all_day": all_day}


def _later_end(task: Task, wanted: Changes, zone: ZoneInfo) -> dict[str, Any]:
    """«培训到六点»: the start stays. An end that lies before it is of the other half of the day."""
    if wanted.end is None or task.start is None or task.all_day:
        return {}
    end = _on_day(task.start, wanted.end, zone)
    ends = (end, end + HALF_DAY, end + 2 * HALF_DAY)
    return {"start": task.start, "end": next(moment for moment in ends if moment > task.start), "all_day": False}


def _on_day(day: datetime, clock: datetime, zone: ZoneInfo) -> datetime:
    return datetime.combine(day.astimezone(zone).date(), clock.astimezone(zone).time(), zone)


def _rhythm(task: Task, wanted: Changes, values: dict[str, Any], scope: Scope) -> dict[str, Any]:
    """The series from now on: a new rule, or the old one at the new clock. Turns that were taken out stay out."""
    zone = scope.follower.zone
    start = values.get("start", task.start) or scope.sent_at
    end, all_day = values.get("end", task.end), values.get("all_day", task.all_day)
    exdates = {
        "exdates": [
            _on_day(datetime.fromisoformat(day), start, zone).astimezone(UTC).isoformat() for day in task.exdates
        ]
    }
    if wanted.rrule:
        words = f"{wanted.repeat or ''} {wanted.when or ''}"
        rule = rule_for(wanted.rrule, words, start, all_day=all_day, zone=zone)
        return begun(rule, start, end, zone) | exdates | {"repeat": (wanted.repeat or wanted.when or "")[:60]}
    rule = series.clocked(series.rule_of(task), start, zone, all_day=all_day)
    if days := round((wanted.shift_seconds or 0) / 86400):
        rule = series.rotated(rule, days)
    elif task.start is not None:  # its days stay: only the clock is new
        start = _on_day(task.start, start, zone)
    ahead = max(start, scope.sent_at)
    return begun(rule, ahead, end and ahead + (end - values["start"]), zone) | exdates

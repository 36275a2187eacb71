"""The turns of a task that repeats, as instants, in its follower's zone. Pure: reads a Task and asks nothing.

Rules run on the wall clock. An hour that a clock change leaves out is moved by its length; one that comes twice counts
the first time.
"""

import copy
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from itertools import takewhile
from zoneinfo import ZoneInfo

from planner import recurrence
from planner.models import Task
from planner.recurrence import Rule
from planner.recurrence.rule import SHORT

SLACK = timedelta(hours=3)  # more than any clock change
_BACK = (timedelta(days=2), timedelta(days=32), timedelta(days=400), timedelta(days=3700))
_rule = lru_cache(maxsize=2048)(recurrence.parse)


def instant(local: datetime, zone: ZoneInfo) -> datetime:
    return local.replace(tzinfo=zone).astimezone(UTC)


def wall(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def rule_of(task: Task) -> Rule:
    return _rule(task.rrule)


def first_turn(rule: Rule, start: datetime, zone: ZoneInfo) -> datetime:
    """Of a rule in normal form: the first at or after `start`."""
    return instant(next(recurrence.occurrences(rule, wall(start, zone))), zone)


def clocked(rule: Rule, start: datetime, zone: ZoneInfo, *, all_day: bool) -> Rule:
    """The same days at the clock of `start`."""
    if all_day or rule.freq in SHORT:
        return replace(rule, hours=(), minutes=()) if all_day else rule
    local = wall(start, zone)
    return replace(rule, hours=(local.hour,), minutes=(local.minute,))


def rotated(rule: Rule, days: int) -> Rule:
    """Some days later in the week. Raises BadRule for what does not go by weeks."""
    if rule.freq == "DAILY" and not rule.workdays:
        return rule
    if rule.freq != "WEEKLY":
        raise recurrence.BadRule("only days of the week can be moved on")
    return replace(rule, weekdays=tuple(sorted((0, (day + days) % 7) for _, day in rule.weekdays)))


def turns(task: Task, zone: ZoneInfo, *, since: datetime) -> Iterator[datetime]:
    """Starts of the turns that are still wanted, from the instant `since` on (inclusive), in order."""
    if task.start is None:
        return
    rule, first = rule_of(task), wall(task.start, zone)
    begin = first if rule.freq in SHORT else datetime.combine(first.date(), time())
    floor, before = max(task.start, since), None
    for local in recurrence.occurrences(rule, begin, since=wall(floor, zone) - SLACK):
        moment = instant(local, zone)
        if moment >= floor and moment != before and moment.isoformat() not in task.exdates:
            yield moment
        before = moment


def between(task: Task, zone: ZoneInfo, start: datetime, end: datetime) -> Iterator[datetime]:
    return takewhile(lambda turn: turn < end, turns(task, zone, since=start))


def following(task: Task, zone: ZoneInfo, turn: datetime) -> datetime | None:
    return next(turns(task, zone, since=turn + timedelta(microseconds=1)), None)


def last_begun(task: Task, zone: ZoneInfo, now: datetime) -> datetime | None:
    """The latest turn that has begun. Earlier ones that nobody ticked off are passed over."""
    if task.start is None or task.start > now:
        return None
    for back in _BACK:
        since = max(task.start, now - back)
        *_, last = None, *between(task, zone, since, now + timedelta(microseconds=1))
        if last is not None or since == task.start:
            return last
    return None


def current(task: Task, zone: ZoneInfo, now: datetime) -> datetime | None:
    """The turn that «it» means: the last one that has begun, else the first to come; None when all are over."""
    return last_begun(task, zone, now) or next(turns(task, zone, since=now), None)


def at(task: Task, turn: datetime, zone: ZoneInfo) -> Task:
    """The task as it stands at one turn: a copy, to be read and matched; its `row` is what may be changed."""
    shown = copy.copy(task)
    shown.turn, shown.row = turn, task.row or task
    if task.start and task.end:
        length = wall(task.end, zone) - wall(task.start, zone)
        shown.end = instant(wall(turn, zone) + length, zone)
    shown.start = turn
    return shown

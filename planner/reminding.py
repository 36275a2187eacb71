"""When a task rings and a digest is due, and keeping the rows of Reminder in step with a task."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from planner import series, sql
from planner.models import Follower, Reminder, Task
from planner.quiet import clock, end_of_quiet
from planner.when import lead

MORNING = time(9)
DAY = timedelta(days=1)
LONGEST = timedelta(days=3660)  # a lead: ten years
MOST = 60  # rings of one task that wait at a time
CHUNK = 300
HANDED_OVER_DAYS = 31  # how long an outbound row may wait for its follower

NEW = "(SELECT id FROM made)"  # the key of a task that the same statement makes, under that name
_RING = "({}, %s, %s, %s, %s, %s, %s, 'PENDING', '', app_now())"
_PLACE = """
    INSERT INTO planner_reminder
        (task_id, follower_id, task_version, due_at, turn, kind, nth, status, reason, created_at)
    VALUES {} ON CONFLICT (task_id, due_at) DO """
_REVIVE = """UPDATE SET status = 'PENDING', reason = '', task_version = excluded.task_version, turn = excluded.turn,
    kind = excluded.kind, nth = excluded.nth WHERE planner_reminder.status <> 'SENT'"""
_REVOKE = """
    UPDATE planner_reminder SET reason = %s, status = CASE status WHEN 'PENDING' THEN 'CANCELLED' ELSE status END
    WHERE task_id = %s AND (status = 'PENDING' OR (status = 'SENT' AND reason = '' AND due_at > app_later(%s)))"""


@dataclass(frozen=True)
class Ring:
    """A moment to ring at; of a series, for the turn that starts at `turn`."""

    due_at: datetime
    turn: datetime | None = None
    kind: str = Reminder.LEAD
    nth: int = 0


def leads_of(words: Iterable[str], follower: Follower) -> list[int]:
    """Minutes before the start, from the follower's words; without any, the follower's default lead. Raises
    OverflowError for one that is longer than LONGEST."""
    found = [length for length in map(lead, words) if length is not None]
    if any(length > LONGEST for length in found):
        raise OverflowError("a lead beyond the calendar")
    spoken = [int(length.total_seconds() // 60) for length in found]
    return sorted(set(spoken), reverse=True) or [int(follower.preferences.get("default_lead", 0))]


def rings(task: Task, follower: Follower, *, after: datetime) -> list[Ring]:
    """What is to be armed: the moments after `after`. Of a series those of its next turns, up to the first turn that
    lies ahead with all its moments; handing one over arms those behind it."""
    if task.start is None or not task.leads:
        return []
    if not task.rrule:
        return [Ring(moment) for moment in moments(task, task.start, follower) if moment > after]
    return list(islice(_of_series(task, follower, after), MOST))


def _of_series(task: Task, follower: Follower, after: datetime) -> Iterator[Ring]:
    for turn in series.turns(task, follower.zone, since=after - DAY):
        of_turn = moments(task, turn, follower)
        yield from (Ring(moment, turn) for moment in of_turn if moment > after)
        if of_turn[0] > after:
            return


def moments(
    task: Task, start: datetime, follower: Follower, *, leads: Iterable[int] | None = None
) -> list[datetime]:
    """When the leads (the task's own, unless others are given) ring for a start: wall-clock days are counted in the
    follower's zone, shorter leads in real time.

    Quiet hours put a moment off to their end, unless the task itself starts before they end: whoever plans something
    for the night wants to hear of it then.
    """
    zone = follower.zone
    anchor = datetime.combine(start.astimezone(zone).date(), MORNING, zone) if task.all_day else start
    told = {_before(anchor, minutes, zone) for minutes in (task.leads if leads is None else leads)}
    return sorted({_audible(moment, None if task.all_day else start, follower) for moment in told})


def _before(anchor: datetime, minutes: int, zone: ZoneInfo) -> datetime:
    days, rest = divmod(minutes, 1440)
    local = anchor.astimezone(zone)
    moved = datetime.combine(local.date() - timedelta(days=days), local.timetz())
    return moved - timedelta(minutes=rest)


def _audible(moment: datetime, start: datetime | None, follower: Follower) -> datetime:
    ends = end_of_quiet(moment, follower)
    return moment if ends is None or (start is not None and start < ends) else ends


def place(task: Task, wanted: Iterable[Ring], *, revive: bool = True) -> list[Ring]:
    """Writes them as PENDING; one statement, none if there is none. What has rung at such a moment does not again.

    `revive`: a row that an earlier change cancelled counts again; the scan, which only adds, leaves it cancelled."""
    placed = distinct(wanted)
    if placed:
        sql.execute(*placing([(task, ring) for ring in placed], revive=revive))
    return placed


def place_all(wanted: list[tuple[Task, Ring]]) -> None:
    """Of many tasks, some hundreds a statement."""
    for first in range(0, len(wanted), CHUNK):
        sql.execute(*placing(wanted[first : first + CHUNK], revive=True))


def keep_in_step(task: Task, wanted: Iterable[Ring], reason: str, *, turn: datetime | None = None) -> list[Ring]:
    """`wanted` rings, and nothing else of this task (of this turn) any more: what has not rung yet will not, and what
    waits to be sent is not sent. A row that a scan holds is waited for; then the sender finds the reason on it."""
    placed = distinct(wanted)
    revoking, params = _revoking(task, reason, turn, placed)
    if not placed:
        sql.execute(revoking, params)
        return []
    statement, values = placing([(task, ring) for ring in placed], revive=True)
    if sql.is_postgres():
        sql.execute(f"WITH revoked AS ({revoking}) {statement}", [*params, *values])
    else:
        sql.execute(revoking, params)
        sql.execute(statement, values)
    return placed


def distinct(wanted: Iterable[Ring]) -> list[Ring]:
    """Where two turns would ring at one moment («准时», and a day ahead of tomorrow's), the earlier one does."""
    at = {ring.due_at: ring for ring in reversed(list(wanted))}
    return sorted(at.values(), key=lambda ring: ring.due_at)


def placing(wanted: list[tuple[Task, Ring]], *, revive: bool) -> sql.Statement:
    """A task without a key is one that the same statement makes: NEW."""
    marks = ", ".join(_RING.format("%s" if task.pk else NEW) for task, _ in wanted)
    return _PLACE.format(marks) + (_REVIVE if revive else "NOTHING"), [
        value
        for task, ring in wanted
        for value in (*_key(task), task.follower_id, task.version, ring.due_at, ring.turn, ring.kind, ring.nth)
    ]


def _key(task: Task) -> tuple[int, ...]:
    return (task.pk,) if task.pk else ()


def _revoking(task: Task, reason: str, turn: datetime | None, kept: list[Ring]) -> sql.Statement:
    statement, params = _REVOKE, [reason, task.pk, -86400 * HANDED_OVER_DAYS]
    if turn is not None:
        statement, params = f"{statement} AND turn = %s", [*params, turn]
    if kept:
        statement = f"{statement} AND due_at NOT IN ({', '.join(['%s'] * len(kept))})"
    return statement, [*params, *(ring.due_at for ring in kept)]


def status_of(wanted: list[Ring], zone: ZoneInfo) -> str:
    """`Task.reminder_status`: the next moment, as operators read it."""
    first = min((ring.due_at for ring in wanted), default=None)
    return f"{first.astimezone(zone):%Y-%m-%d %H:%M}" if first else ""


def next_digest(follower: Follower, after: datetime) -> datetime | None:
    """The next time that the follower's clock shows the hour of the digest; None when none is wanted."""
    hour = clock(str(follower.preferences.get("digest_time", "")))
    if hour is None:
        return None
    today = series.wall(after, follower.zone).date()
    moments = (series.instant(datetime.combine(today + timedelta(days=n), hour), follower.zone) for n in range(3))
    return next(moment for moment in moments if moment > after)

"""What is due: all of one follower at once, locked row by row, with what its text needs, in one statement."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from planner import sql
from planner.models import Follower, Reminder, Task

MOST = 50  # of one follower at a time
DUE = f"""
    WITH first AS (SELECT follower_id FROM planner_reminder WHERE status = 'PENDING' AND due_at <= app_now()
        ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
    SELECT r.id, r.due_at, r.turn, r.kind, r.nth, r.task_version, app_now(),
        f.id, f.timezone, f.preferences, f.unfollowed_at,
        t.id, t.title, t.start, t."end", t.all_day, t.leads, t.notes, t.status, t.rrule, t.exdates, t.version
    FROM planner_reminder r JOIN planner_task t ON t.id = r.task_id JOIN planner_follower f ON f.id = r.follower_id
    WHERE r.status = 'PENDING' AND r.due_at <= app_now() AND r.follower_id = (SELECT follower_id FROM first)
    ORDER BY r.due_at, r.id LIMIT {MOST} FOR UPDATE OF r SKIP LOCKED"""
_FOLLOWER = ("id", "timezone", "preferences", "unfollowed_at")
_TASK = ("id", "title", "start", "end", "all_day", "leads", "notes", "status", "rrule", "exdates", "version")


@dataclass(frozen=True)
class Due:
    """A locked reminder with its task and follower as they stand; `now` is the database's."""

    pk: int
    due_at: datetime
    turn: datetime | None
    kind: str
    nth: int
    version: int
    now: datetime
    task: Task
    follower: Follower

    @property
    def unwanted(self) -> str:
        """Why it does not ring after all. A turn that was done or moved has been taken back with its reminders."""
        if self.task.status != Task.OPEN:
            return "done" if self.task.status == Task.DONE else "deleted"
        if self.kind == Reminder.NAG and not self.follower.preferences.get("nag"):
            return "nag off"
        return "unfollowed" if self.follower.unfollowed_at else ""

    @property
    def start(self) -> datetime | None:
        return self.turn or self.task.start


def due_of_one_follower() -> list[Due]:
    """By time; empty where nothing is due that no other scanner holds. Inside a transaction, which holds the rows."""
    return [_due(*row) for row in sql.rows(DUE)]


def _due(pk: int, due_at: Any, turn: Any, kind: str, nth: int, version: int, now: Any, *columns: Any) -> Due:
    split = len(_FOLLOWER)
    told = dict(zip(_FOLLOWER, columns[:split], strict=True))
    follower = Follower(**{**told, "preferences": sql.loads(told["preferences"])})
    values = dict(zip(_TASK, columns[split:], strict=True))
    moments = {name: values[name] and sql.moment(values[name]) for name in ("start", "end")}
    lists = {name: sql.loads(values[name]) for name in ("leads", "exdates")}
    task = Task(**{**values, **moments, **lists, "all_day": bool(values["all_day"])}, follower=follower)
    return Due(pk, sql.moment(due_at), turn and sql.moment(turn), kind, nth, version, sql.clock(now), task, follower)

"""What is due becomes an outbound row; the same transaction marks the reminder: a crash repeats and loses nothing."""

from datetime import datetime
from typing import Any

from planner import counters, sql, texts, trace
from planner.clock import app_now
from planner.crashpoints import committing, reach
from planner.models import Follower, Reminder, Task
from webhook.outbox import enqueue
from webhook.routes import reminder_route

LATE_SECONDS = 300

_DUE = """
    SELECT r.id, r.due_at, r.task_id, r.task_version FROM planner_reminder r
    WHERE r.status = 'PENDING' AND r.due_at <= app_now()
    ORDER BY r.due_at, r.id LIMIT 1 FOR UPDATE OF r SKIP LOCKED"""


def scan_next() -> bool:
    """Hands one due reminder to the outbox. False when none is due. Any number of scanners may run."""
    with committing("reminder"):
        found = sql.row(_DUE)
        if found is None:
            return False
        reach("reminder:found")
        _hand_over(*found)
    return True


def _hand_over(reminder_id: int, due_at: Any, task_id: int, version: int) -> None:
    task = Task.objects.select_related("follower").get(pk=task_id)
    reason = _unwanted(task, version)
    if not reason:
        _enqueue(task, sql.moment(due_at))
    sql.execute(
        "UPDATE planner_reminder SET status = %s, reason = %s WHERE id = %s",
        (Reminder.CANCELLED if reason else Reminder.SENT, reason, reminder_id),
    )
    if not reason:
        sql.execute(
            "UPDATE planner_task SET reminder_status = 'SENT' WHERE id = %s AND version = %s", (task_id, version)
        )


def _unwanted(task: Task, version: int) -> str:
    if task.status != Task.OPEN:
        return "done" if task.status == Task.DONE else "deleted"
    if task.version != version:
        return "moved"
    return "unfollowed" if task.follower.unfollowed_at else ""


def _enqueue(task: Task, due_at: datetime) -> None:
    """The text is fixed now, from committed data; nothing is asked again when it is sent."""
    follower: Follower = task.follower
    late = (app_now() - due_at).total_seconds()
    counters.count("reminder_lateness", bucket=_bucket(late))
    due = texts.when(due_at, None, all_day=False, zone=follower.zone) if late > LATE_SECONDS else ""
    when = texts.when(task.start, task.end, all_day=task.all_day, zone=follower.zone)
    text = texts.render("reminder", title=task.title, when=when, notes=task.notes, due=due)
    route, fields = reminder_route(
        title=task.title,
        when=task.start or due_at,
        zone=follower.zone,
        note=task.notes,
        status="迟到" if due else "待办",
    )
    enqueue(
        key=f"reminder:{task.pk}:{task.version}:{due_at:%Y%m%dT%H%M%S.%fZ}",
        follower_id=follower.pk,
        purpose="reminder",
        text=text,
        trace_id=trace.new_trace_id(),
        route=route,
        fields=fields,
        task=(task.pk, task.version, due_at),
    )


def _bucket(seconds: float) -> str:
    """The upper edge of the histogram's bucket, seconds."""
    return next((str(edge) for edge in (1, 5, 15, 60, 300, 3600) if seconds <= edge), "+Inf")


def overdue_unhanded(minutes: int = 10) -> int:
    """Reminders due for more than `minutes` that no scan has handed over: the clock or the workers are down."""
    found = sql.row(
        "SELECT count(*) FROM (SELECT 1 FROM planner_reminder"
        " WHERE status = 'PENDING' AND due_at < app_later(%s) LIMIT 1000) o",
        (-60 * minutes,),
    )
    assert found is not None
    return int(found[0])

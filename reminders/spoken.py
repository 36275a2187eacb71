"""The words of a reminder, fixed when it is due, from committed data; nothing is asked again when it is sent."""

from datetime import datetime, timedelta

from planner import series, texts, trace
from planner.models import Reminder, Task
from planner.reminding import moments
from reminders.due import Due
from webhook.outbox import enqueue
from webhook.routes import reminder_route

LATE = timedelta(minutes=5)
COUNTED = 99


def speak(due: Due, *, since: datetime | None) -> None:
    """One outbound row by the reminder's key. Turns of a series that were missed from `since` on are said with it."""
    zone = due.follower.zone
    turn, missed = _latest(due, since)
    shown = series.at(due.task, turn, zone) if turn else due.task
    meant = _moment(shown, due)
    late = texts.when(meant, None, all_day=False, zone=zone) if due.now - meant > LATE else ""
    when = texts.when(shown.start, shown.end, all_day=shown.all_day, zone=zone)
    nag = due.kind == Reminder.NAG
    text = texts.render(
        "reminder", title=shown.title, when=when, notes=shown.notes, due=late, missed=missed, nag=nag
    )
    starts, status = shown.start or due.due_at, "迟到" if late else "待办"
    route, fields = reminder_route(title=shown.title, when=starts, zone=zone, note=shown.notes, status=status)
    enqueue(
        key=f"reminder:{due.task.pk}:{due.version}:{due.due_at:%Y%m%dT%H%M%S.%fZ}",
        follower_id=due.follower.pk,
        purpose="reminder",
        text=text,
        trace_id=trace.new_trace_id(),
        route=route,
        fields=fields,
        task=(due.task.pk, due.version, due.due_at),
    )


def _latest(due: Due, since: datetime | None) -> tuple[datetime | None, int]:
    """The last turn that should have rung by now, and how many before it."""
    if due.turn is None or due.kind != Reminder.LEAD:
        return due.turn, 0
    turn, missed = since or due.turn, 0
    for later in series.turns(due.task, due.follower.zone, since=turn + timedelta(microseconds=1)):
        if missed >= COUNTED or moments(due.task, later, due.follower)[-1] > due.now:
            break
        turn, missed = later, missed + 1
    return turn, missed


def _moment(shown: Task, due: Due) -> datetime:
    """When it should have rung."""
    if shown.start is None or shown.start == due.start or due.kind != Reminder.LEAD:
        return due.due_at
    return moments(due.task, shown.start, due.follower)[-1]

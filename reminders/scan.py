"""What is due becomes an outbound row; the same transaction marks the reminder and arms what comes next: a crash
repeats and loses nothing. Any number of scanners may run."""

from collections import defaultdict
from collections.abc import Sequence

from planner import counters, sql
from planner.crashpoints import committing, reach
from planner.models import Reminder, Task
from planner.reminding import place, rings, status_of
from reminders import nagging
from reminders.due import Due, due_of_one_follower
from reminders.spoken import speak

_MARK = "UPDATE planner_reminder SET status = %s, reason = %s, rung_at = app_now() WHERE id IN ({})"
_SHOW = "UPDATE planner_task SET reminder_status = %s WHERE id = %s"


def scan_next() -> int:
    """Hands over what is due for one follower, each task once; returns how many reminders that settled."""
    with committing("reminder"):
        found = due_of_one_follower()
        if not found:
            return 0
        reach("reminder:found")
        of_task: dict[int, list[Due]] = defaultdict(list)
        for due in found:
            of_task[due.task.pk].append(due)
        _mark(found)
        reach("reminder:marked")
        for dues in of_task.values():
            _ring(dues)
            reach("reminder:task rung")
    return len(found)


def _mark(found: Sequence[Due]) -> None:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for due in found:
        by_reason[due.unwanted].append(due.pk)
    for reason, pks in by_reason.items():
        status = Reminder.CANCELLED if reason else Reminder.SENT
        sql.execute(_MARK.format(", ".join(["%s"] * len(pks))), (status, reason, *pks))


def _ring(dues: Sequence[Due]) -> None:
    """However many moments of a task were missed, it is spoken of once: as of the last."""
    last = dues[-1]
    wanted = [due for due in dues if not due.unwanted]
    if wanted:
        speak(wanted[-1], since=wanted[0].turn)
    for due in wanted:
        counters.count("reminder_lateness", bucket=_bucket((due.now - due.due_at).total_seconds()))
    if last.task.status != Task.OPEN:
        return
    coming = rings(last.task, last.follower, after=last.now)
    nag = nagging.following(wanted[-1]) if wanted else None
    if last.task.rrule or nag:
        coming = place(last.task, [*coming, nag] if nag else coming, revive=False)
    sql.execute(_SHOW, (status_of(coming, last.follower.zone), last.task.pk))


def _bucket(seconds: float) -> str:
    """The upper edge of the histogram's bucket, seconds."""
    return next((str(edge) for edge in (1, 5, 15, 60, 300, 3600) if seconds <= edge), "+Inf")

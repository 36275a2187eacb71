"""«没完成就一直提醒»: what rings again after a task's last reminder, until it is done."""

from datetime import timedelta

from planner.models import Reminder
from planner.quiet import end_of_quiet
from planner.reminding import Ring, moments
from reminders.due import Due

WAITS = (30, 60, 120, 240)  # minutes; then once a day
DAY = 1440
MOST = len(WAITS) + 7


def following(due: Due) -> Ring | None:
    """None where nagging is off or over, or a lead of the same turn is still to come; never in quiet hours."""
    if not due.follower.preferences.get("nag") or due.nth >= MOST or not _is_last(due):
        return None
    start = due.start
    since = max(due.now, start) if start and not due.task.all_day else due.now
    at = since + timedelta(minutes=WAITS[due.nth] if due.nth < len(WAITS) else DAY)
    return Ring(end_of_quiet(at, due.follower) or at, due.turn, Reminder.NAG, due.nth + 1)


def _is_last(due: Due) -> bool:
    if due.start is None or due.kind == Reminder.NAG:
        return True
    return all(moment <= due.now for moment in moments(due.task, due.start, due.follower))

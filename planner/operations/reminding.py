"""Which moments ring for a task, and keeping the rows of Reminder in step with it."""

from collections.abc import Iterable
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from planner import sql
from planner.models import Follower, Reminder, Task
from planner.when import lead

MORNING = time(9)

_MOMENT = "(%s, %s, %s, 'PENDING', '', app_now())"
_ARM = """
    INSERT INTO planner_reminder (task_id, task_version, due_at, status, reason, created_at) VALUES {}
    ON CONFLICT DO NOTHING"""


def leads_of(words: Iterable[str], follower: Follower) -> list[int]:
    """Minutes before the start, from the follower's words; without any, the follower's default lead."""
    spoken = [int(found.total_seconds() // 60) for found in map(lead, words) if found is not None]
    return sorted(set(spoken), reverse=True) or [int(follower.preferences.get("default_lead", 0))]


def moments(task: Task, zone: ZoneInfo) -> list[datetime]:
    """When the task's leads ring: wall-clock days are counted in the follower's zone, shorter leads in real time."""
    if task.start is None:
        return []
    anchor = task.start
    if task.all_day:
        anchor = datetime.combine(task.start.astimezone(zone).date(), MORNING, zone)
    return sorted({_before(anchor, minutes, zone) for minutes in task.leads})


def _before(anchor: datetime, minutes: int, zone: ZoneInfo) -> datetime:
    days, rest = divmod(minutes, 1440)
    local = anchor.astimezone(zone)
    moved = datetime.combine(local.date() - timedelta(days=days), local.timetz())
    return moved - timedelta(minutes=rest)


def arm(task: Task, at: Iterable[datetime], *, after: datetime) -> list[datetime]:
    """Writes a PENDING reminder for each moment still ahead of `after`; one statement, none if there is none."""
    ahead = sorted({moment for moment in at if moment > after})
    if ahead:
        values = [value for moment in ahead for value in (task.pk, task.version, moment)]
        sql.execute(_ARM.format(", ".join([_MOMENT] * len(ahead))), values)
    return ahead


def disarm(task: Task, reason: str) -> None:
    """What has not rung yet will not. A row that a scan holds at this moment is waited for, and then counts as rung."""
    Reminder.objects.filter(task=task, status=Reminder.PENDING).update(status=Reminder.CANCELLED, reason=reason)

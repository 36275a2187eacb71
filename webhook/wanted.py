"""The last look before a row is sent, by whichever way: is it still to be said?"""

from typing import Any

from planner import sql
from webhook.models import OutboundMessage

_TAKEN_BACK = "任务已完成、删除或改期"
_WANTED = """
    SELECT t.status, t.version, r.reason FROM planner_task t
    LEFT JOIN planner_reminder r ON r.task_id = t.id AND r.due_at = %s AND r.status = 'SENT' WHERE t.id = %s"""


def unwanted(task_id: int | None, task_version: int | None, due_at: Any) -> str:
    """Why not, '' if it is: a reminder of a task, or of a turn, that was done, deleted or moved since the scan never
    rings. Its own row of Reminder says so; without one the version decides."""
    if task_id is None:
        return ""
    found = sql.row(_WANTED, (due_at, task_id))
    if found is None:
        return _TAKEN_BACK
    status, version, reason = found
    fresh = version == task_version if reason is None else reason == ""
    return "" if fresh and status == "OPEN" else _TAKEN_BACK


def called_off(pk: int, task_id: int | None, task_version: int | None, due_at: Any) -> bool:
    """Whether a PENDING row is not to be said any more; it is then CANCELLED."""
    reason = unwanted(task_id, task_version, due_at)
    if reason:
        OutboundMessage.move(pk, OutboundMessage.PENDING, OutboundMessage.CANCELLED, last_error=reason)
    return bool(reason)

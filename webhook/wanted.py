"""The last look before a row is sent, by whichever way: is it still to be said?"""

from planner import sql


def unwanted(task_id: int | None, task_version: int | None) -> str:
    """Why not, '' if it is: a reminder of a task that was done, deleted or moved since the scan never rings."""
    if task_id is None:
        return ""
    found = sql.row("SELECT version, status FROM planner_task WHERE id = %s", (task_id,))
    fresh = found is not None and found[0] == task_version and found[1] == "OPEN"
    return "" if fresh else "任务已完成、删除或改期"

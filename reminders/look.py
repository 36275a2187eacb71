"""Is anything due? Loads nothing of the plan, so that a look costs a process nothing but its statement."""

from planner import sql

LOOK = """
    SELECT EXISTS (SELECT 1 FROM planner_reminder WHERE status = 'PENDING' AND due_at <= app_now()),
        EXISTS (SELECT 1 FROM planner_follower WHERE digest_at <= app_now())"""


def look() -> tuple[bool, bool]:
    """Whether a reminder is due, and a digest: one statement, outside any transaction."""
    found = sql.row(LOOK)
    assert found is not None
    return bool(found[0]), bool(found[1])


def overdue_unhanded(minutes: int = 10) -> int:
    """Reminders due for more than `minutes` that no scan has handed over: the clock or the workers are down."""
    found = sql.row(
        "SELECT count(*) FROM (SELECT 1 FROM planner_reminder"
        " WHERE status = 'PENDING' AND due_at < app_later(%s) LIMIT 1000) o",
        (-60 * minutes,),
    )
    assert found is not None
    return int(found[0])

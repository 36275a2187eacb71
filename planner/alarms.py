"""What an operator must change is raised once, and counted while it stays open."""

import logging

from planner import sql

log = logging.getLogger(__name__)


def raise_alarm(key: str, detail: str, *, upstream: str = "") -> None:
    """One open row per key, in whatever transaction is going on. `detail` says what to do; it carries no secret.

    `upstream`: what stands still until it is mended; an operator may send it on from the alarm's page.
    """
    log.error("alarm", extra={"alarm": key})
    sql.execute(
        "INSERT INTO planner_alarm (key, detail, upstream, count, created_at, last_at)"
        " VALUES (%s, %s, %s, 1, app_now(), app_now())"
        " ON CONFLICT (key) WHERE closed_at IS NULL DO UPDATE SET count = planner_alarm.count + 1, last_at = app_now()",
        (key[:80], detail.replace("\x00", ""), upstream),
    )


def close_alarm(key: str) -> None:
    """What it spoke of works again."""
    sql.execute("UPDATE planner_alarm SET closed_at = app_now() WHERE key = %s AND closed_at IS NULL", (key,))


def close_alarms(upstream: str) -> None:
    """All that stood against this upstream: it answers again."""
    sql.execute("UPDATE planner_alarm SET closed_at = app_now() WHERE upstream = %s AND closed_at IS NULL", (upstream,))

"""Looks for due reminders and digests as the tables grow: rows and buffers read, from EXPLAIN (ANALYZE, BUFFERS)."""

from collections.abc import Iterator
from typing import Any

import django
import psycopg

from benchmarks.figures import Figure
from benchmarks.rig import Services

DUE = 100
FOLLOWERS = """
    INSERT INTO planner_follower (app_id, openid, timezone, preferences, quota_left, digest_at)
    SELECT 'bench', 'o' || n, 'Asia/Shanghai', '{}', 0, now() + interval '1 day' + n * interval '1 second'
    FROM generate_series(1, %s) n"""
TASKS = """
    INSERT INTO planner_task (id, follower_id, title, start, all_day, leads, notes, rrule, repeat, exdates, status,
        version, reminder_status)
    SELECT n, (SELECT min(id) FROM planner_follower) + n %% %s, 'bench', now(), FALSE, '[]', '', '', '', '[]', 'OPEN',
        1, '' FROM generate_series(1, %s) n"""
FILL = """
    INSERT INTO planner_reminder (task_id, follower_id, task_version, due_at, kind, nth, status, reason, created_at)
    SELECT id, follower_id, 1, now() + interval '1 day' + id * interval '1 second',
        CASE WHEN mod(id, 10) = 0 THEN 'NAG' ELSE 'LEAD' END, 0, 'PENDING', '', now() FROM planner_task"""
RING = "UPDATE planner_reminder SET due_at = now() - interval '1 minute' WHERE task_id <= %s"
WAKE = """
    UPDATE planner_follower SET digest_at = now() - interval '1 minute'
    WHERE id < (SELECT min(id) FROM planner_follower) + %s"""
ANALYSE = "VACUUM ANALYZE planner_reminder, planner_task, planner_follower"
EMPTY = "TRUNCATE planner_reminder, planner_task, planner_follower CASCADE"


def fill(db: Any, size: int) -> None:
    """`size` tasks with a pending reminder each, a tenth of them nags; a follower with a digest for every ten."""
    db.execute(EMPTY)
    db.execute(FOLLOWERS, (size // 10,))
    db.execute(TASKS, (size // 10, size))
    db.execute(FILL)
    db.execute(ANALYSE)


def wake(db: Any) -> None:
    db.execute(RING, (DUE,))
    db.execute(WAKE, (DUE,))
    db.execute(ANALYSE)


def measure(here: Services, *, quick: bool) -> list[Figure]:
    django.setup()
    from reminders import digest, due
    from reminders.look import LOOK

    sizes = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    idle, rung, rows, digests = [], [], [], []
    with psycopg.connect(here.database, autocommit=True) as db:
        for size in sizes:
            fill(db, size)
            idle.append(look(db, LOOK)[0])
            wake(db)
            buffers, read = look(db, due.DUE)
            rung.append(buffers)
            rows.append(read)
            digests.append(look(db, digest.DUE)[0])
        db.execute(EMPTY)
    named = " … ".join(f"{size:,}" for size in sizes)
    return [
        Figure(f"nothing due, {named} pending, and no digest", "buffers", idle, goal=10),
        Figure(f"{DUE} due, one follower's taken, {named} pending", "buffers", rung),
        Figure("the same, rows read", "rows", rows),
        Figure("the same: most pending ÷ fewest", "buffers", rung[-1:], rung[:1], goal=1.2),
        Figure(f"one of {DUE} digests due, most followers ÷ fewest", "buffers", digests[-1:], digests[:1], goal=1.2),
    ]


def look(db: Any, statement: str) -> tuple[float, float]:
    """(buffers, rows read) of the product's own statement."""
    (explained,) = db.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement).fetchone()
    nodes = list(_nodes(explained[0]["Plan"]))
    read = max(node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in nodes)
    return float(nodes[0]["Shared Hit Blocks"] + nodes[0]["Shared Read Blocks"]), float(read)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)

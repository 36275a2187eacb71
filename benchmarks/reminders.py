"""A look for due reminders as the table grows: rows and buffers read, from EXPLAIN (ANALYZE, BUFFERS)."""

from collections.abc import Iterator
from typing import Any

import psycopg

from benchmarks.figures import Figure
from benchmarks.rig import Services
from reminders import scan

DUE = 100
FILL = """
    INSERT INTO planner_reminder (task_id, task_version, due_at, status, reason, created_at)
    SELECT n, 1, now() + interval '1 day' + n * interval '1 second', 'PENDING', '', now() FROM generate_series(1, %s) n"""
RING = "UPDATE planner_reminder SET due_at = now() - interval '1 minute' WHERE task_id <= %s"


def measure(here: Services, *, quick: bool) -> list[Figure]:
    sizes = (10_000, 100_000) if quick else (10_000, 100_000, 1_000_000)
    idle, due, rows = [], [], []
    with psycopg.connect(here.database, autocommit=True) as db:
        db.execute("SET session_replication_role = replica")  # reminders without their tasks
        for size in sizes:
            db.execute("TRUNCATE planner_reminder")
            db.execute(FILL, (size,))
            db.execute("VACUUM ANALYZE planner_reminder")
            idle.append(look(db)[0])
            db.execute(RING, (DUE,))
            db.execute("VACUUM ANALYZE planner_reminder")
            buffers, read = look(db)
            due.append(buffers)
            rows.append(read)
        db.execute("TRUNCATE planner_reminder")
    named = " … ".join(f"{size:,}" for size in sizes)
    return [
        Figure(f"nothing due, {named} pending", "buffers", idle, goal=5),
        Figure(f"one of {DUE} due, {named} pending", "buffers", due),
        Figure("the same, rows read", "rows", rows, goal=1),
        Figure("one due: most pending ÷ fewest", "buffers", due[-1:], due[:1], goal=1.2),
    ]


def look(db: Any) -> tuple[float, float]:
    """(buffers, rows read) of the product's own statement."""
    (explained,) = db.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + scan._DUE).fetchone()
    nodes = list(_nodes(explained[0]["Plan"]))
    read = max(node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in nodes)
    return float(nodes[0]["Shared Hit Blocks"] + nodes[0]["Shared Read Blocks"]), float(read)


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", []):
        yield from _nodes(child)

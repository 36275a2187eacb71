"""A look for due reminders as the table grows: buffers read, from EXPLAIN (ANALYZE, BUFFERS)."""

import json
from typing import Any

import psycopg

from benchmarks.figures import Figure
from benchmarks.rig import Services

SIZES = (10_000, 100_000, 1_000_000)


def measure(here: Services, *, quick: bool) -> list[Figure]:
    """A look in a table of 10⁴, 10⁵, 10⁶ pending reminders: the cost must not grow with it."""
    look, figures = due_look(), []
    with psycopg.connect(here.database, autocommit=True) as db:
        for size in SIZES[:2] if quick else SIZES:
            fill(db, size)
            figures.append(Figure(f"nothing due among {size:,}", "buffers", [float(buffers(db, look))], goal=5))
            db.execute(
                "UPDATE planner_reminder SET due_at = now() - interval '1 minute'"
                " WHERE id = (SELECT min(id) FROM planner_reminder)"
            )
            figures.append(Figure(f"one due among {size:,}", "buffers", [float(buffers(db, look))]))
    return figures


def fill(db: Any, size: int) -> None:
    db.execute("TRUNCATE planner_reminder, planner_task CASCADE")
    db.execute(
        """INSERT INTO planner_reminder (task_id, task_version, due_at, status, reason, created_at)
        SELECT n, 1, now() + interval '1 day' + n * interval '1 second', 'PENDING', '', now() FROM generate_series(1, %s) n""",
        (size,),
    )
    db.execute("VACUUM ANALYZE planner_reminder")


def due_look() -> str:
    """The product's own statement."""
    import django

    django.setup()
    from reminders.scan import _DUE

    return _DUE


def buffers(db: Any, look: str) -> int:
    (plan,) = db.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + look).fetchone()
    top = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])

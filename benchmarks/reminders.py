"""A look for due reminders as the table grows: buffers read, from EXPLAIN (ANALYZE, BUFFERS)."""

import json
from typing import Any

import psycopg

from benchmarks.rig import line

SIZES = (10_000, 100_000, 1_000_000)


def measure(environment: dict[str, str], *, sizes: tuple[int, ...] = SIZES) -> list[dict[str, object]]:
    rows, idle, due = [], [], []
    look = due_look()
    with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as db:
        for size in sizes:
            fill(db, size)
            idle.append(buffers(db, look))
            db.execute("UPDATE planner_reminder SET due_at = now() - interval '1 minute' WHERE id = (SELECT min(id) FROM planner_reminder)")
            due.append(buffers(db, look))
            print(f"  {size:>9,} pending: {idle[-1]} buffers when nothing is due, {due[-1]} for one that is")
    rows.append(line("reminder look, nothing due: buffers at most", [float(n) for n in idle], 5))
    rows.append(line("reminder look: buffers at the largest ÷ at the smallest", [due[-1] / due[0]], 1.7))
    return rows


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

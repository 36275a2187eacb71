"""A new task, its rings, and a look at what lies beside it: one statement on Postgres, three on SQLite."""

from collections.abc import Iterable
from typing import Any

from planner import sql
from planner.models import Task
from planner.nearby import Look
from planner.reminding import Ring, distinct, placing


def add(task: Task, wanted: Iterable[Ring], look: Look | None) -> tuple[list[Ring], list[Task] | None]:
    """Writes the task and what rings for it. Returns the rings, and what the look showed; None without a look."""
    rung = distinct(wanted)
    found = _as_one(task, rung, look) if sql.is_postgres() else _one_by_one(task, rung, look)
    return rung, look.shown(found) if look else None


def _as_one(task: Task, rung: list[Ring], look: Look | None) -> list[tuple[Any, ...]]:
    """Each part sees what was there before the statement: the look does not find the task itself."""
    inserting, params = sql.inserting(task)
    parts = [f"made AS ({inserting})"]
    if rung:
        placed, values = placing([(task, ring) for ring in rung], revive=False)
        parts, params = [*parts, f"rung AS ({placed})"], [*params, *values]
    if look is None:
        ((key,),) = sql.rows(f"WITH {', '.join(parts)} SELECT id FROM made", params)
        sql.inserted(task, key)
        return []
    looking, values = look.statement
    beside = f"SELECT made.id, near.* FROM made LEFT JOIN ({looking}) near ON true"
    found = sql.rows(f"WITH {', '.join(parts)} {beside}", [*params, *values])
    sql.inserted(task, found[0][0])
    return [row[1:] for row in found if row[1] is not None]


def _one_by_one(task: Task, rung: list[Ring], look: Look | None) -> list[tuple[Any, ...]]:
    found = sql.rows(*look.statement) if look else []
    sql.insert(task)
    if rung:
        sql.execute(*placing([(task, ring) for ring in rung], revive=False))
    return found

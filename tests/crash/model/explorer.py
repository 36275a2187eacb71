"""Breadth first over every state: safety in each, and from each a way to rest that needs no further fault."""

import sqlite3
import time
from collections import deque
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from planner.leases import Leased

Step = tuple[str, Any]  # what happens, and the state after it; a fault's name begins with "!"
Edge = tuple[str, str, str]  # machine, before, after


@dataclass
class Explored:
    states: int = 0
    cpu_seconds: float = 0.0
    violation: str = ""
    trace: list[str] = field(default_factory=list)
    complete: bool = False


class Table:
    """The product's transition tables: a move that stands in none is a violation; those used are kept."""

    def __init__(self) -> None:
        self.used: set[Edge] = set()

    def allows(self, model: Any, before: str, after: str) -> bool:
        self.used.add((str(model._meta.model_name), before, after))
        return (before, after) in model.TRANSITIONS


class Model:
    """`RULES` are what keeps it safe, by name: without one of them a trace into the abyss must be found. `STATE` is a
    named tuple, `ROW` the product's model whose moves are made; `options` are the first state's."""

    RULES: ClassVar[frozenset[str]]
    STATE: ClassVar[type[Any]]
    ROW: ClassVar[type[Any]]

    def __init__(self, table: Table | None = None, *, without: Set[str] = frozenset(), **options: Any) -> None:
        assert without <= self.RULES, without
        self.rules, self.table, self.options = self.RULES - without, table or Table(), options

    def start(self) -> Any:
        return self.STATE(**self.options)

    def move(self, state: Any, after: str, **changes: object) -> Any:
        if not self.table.allows(self.ROW, state.status, after):
            changes["bad"] = f"{state.status} → {after} is no legal move"
        return state._replace(status=after, **changes)

    def steps(self, state: Any) -> Iterator[Step]:
        raise NotImplementedError

    def wrong(self, state: Any) -> str:
        raise NotImplementedError

    def at_rest(self, state: Any) -> bool:
        raise NotImplementedError


def explore(model: Model, *, limit: int = 2_000_000) -> Explored:
    began = time.process_time()
    first = model.start()
    came_from: dict[Any, tuple[Any, str] | None] = {first: None}
    healthy_before: dict[Any, list[Any]] = {}
    queue = deque([first])
    found = Explored()
    while queue and len(came_from) < limit:
        state = queue.popleft()
        found.violation = model.wrong(state)
        if found.violation:
            found.trace = _trace(came_from, state)
            break
        for what, after in model.steps(state):
            if not what.startswith("!"):
                healthy_before.setdefault(after, []).append(state)
            if after not in came_from:
                came_from[after] = (state, what)
                queue.append(after)
    found.states, found.complete = len(came_from), not queue
    if not found.violation and found.complete:
        _check_rest(model, found, came_from, healthy_before)
    found.cpu_seconds = time.process_time() - began
    return found


def _check_rest(model: Model, found: Explored, came_from: dict[Any, Any], before: dict[Any, list[Any]]) -> None:
    """Backwards from rest over healthy steps: whatever is not met can never come to rest again."""
    queue = deque(state for state in came_from if model.at_rest(state))
    rests = set(queue)
    while queue:
        for earlier in before.get(queue.popleft(), ()):
            if earlier not in rests:
                rests.add(earlier)
                queue.append(earlier)
    stuck = next((state for state in came_from if state not in rests), None)
    if stuck is not None:
        found.violation, found.trace = "from here rest cannot be reached", _trace(came_from, stuck)


def _trace(came_from: dict[Any, Any], state: Any) -> list[str]:
    names: list[str] = [f"{state}"]
    while (step := came_from[state]) is not None:
        state, what = step
        names.append(what)
    return names[::-1]


@lru_cache(maxsize=1000)
def after_death(model: type[Leased], **row: Any) -> str:
    """The product's own AFTER_DEATH, calculated for such a row. Times are seconds from now."""
    db = sqlite3.connect(":memory:")
    db.create_function("app_later", 1, lambda seconds: seconds)
    columns = ", ".join(f"? AS {name}" for name in row)
    (status,) = db.execute(f"SELECT {model.AFTER_DEATH} FROM (SELECT {columns})", list(row.values())).fetchone()
    db.close()
    return str(status)

"""One task with a reminder, two scanners, a follower who moves or completes it at any moment, and the sender's last look."""

from collections.abc import Iterator
from typing import NamedTuple

from planner.models import Reminder
from tests.crash.model.explorer import Model, Step

PENDING, SENT, CANCELLED = Reminder.PENDING, Reminder.SENT, Reminder.CANCELLED
OPEN, OVER = "OPEN", "OVER"


class Row(NamedTuple):
    version: int
    status: str = PENDING
    handed: int = 0  # outbound rows for it
    rang: int = 0
    dropped: bool = False  # its outbound row was cancelled at the last look


class State(NamedTuple):
    task: str = OPEN
    version: int = 1
    rows: tuple[Row, ...] = (Row(1),)
    scanners: tuple[int, int, int] = (-1, -1, -1)  # the row that each has read, and with the rule holds
    written: tuple[bool, bool, bool] = (False, False, False)
    crashes: int = 3
    changes: int = 4
    bad: str = ""


RULES = frozenset(
    [
        "the scan holds its row",
        "one key per moment",
        "mark with the row",
        "the version is looked at",
        "the sender looks again",
        "a change cancels what was armed",
    ]
)


class Reminders(Model):
    RULES, STATE, ROW = RULES, State, Reminder

    def with_row(self, state: State, n: int, **changes: object) -> State:
        rows = list(state.rows)
        if "status" in changes and not self.table.allows(Reminder, rows[n].status, str(changes["status"])):
            state = state._replace(bad=f"{rows[n].status} → {changes['status']} is no legal move")
        rows[n] = rows[n]._replace(**changes)  # type: ignore[arg-type]
        return state._replace(rows=tuple(rows))

    def steps(self, state: State) -> Iterator[Step]:
        for scanner, n in enumerate(state.scanners):
            yield from self.scanner(state, scanner, n)
        for n, row in enumerate(state.rows):
            if row.handed > row.rang and not row.dropped:
                yield f"the sender takes reminder {n}", self.send(state, n, row)
        yield from self.follower(state)

    def scanner(self, state: State, scanner: int, n: int) -> Iterator[Step]:
        def goes(state: State, to: int = -1, wrote: bool = False) -> State:
            scanners, written = list(state.scanners), list(state.written)
            scanners[scanner], written[scanner] = to, wrote
            return state._replace(scanners=tuple(scanners), written=tuple(written))

        if n < 0:
            held = set(state.scanners) if "the scan holds its row" in self.rules else set()
            for free, row in enumerate(state.rows):
                if row.status == PENDING and free not in held:
                    yield f"scanner {scanner} reads reminder {free}", goes(state, free)
            return
        if state.crashes:
            yield f"!scanner {scanner} dies", goes(state._replace(crashes=state.crashes - 1))
        if state.written[scanner]:
            yield f"scanner {scanner} marks it", goes(self.with_row(state, n, status=SENT))
            return
        yield from self.hand_over(state, scanner, n, goes)

    def hand_over(self, state, scanner, n, goes):
        row = state.rows[n]
        fresh = state.task == OPEN and row.version == state.version
        if not fresh and "the version is looked at" in self.rules:
            yield f"scanner {scanner} cancels it", goes(self.with_row(state, n, status=CANCELLED))
            return
        handed = 1 if "one key per moment" in self.rules else row.handed + 1
        if "mark with the row" in self.rules:
            yield f"scanner {scanner} hands it over", goes(self.with_row(state, n, handed=handed, status=SENT))
        else:
            yield f"scanner {scanner} writes the message", goes(self.with_row(state, n, handed=handed), n, True)

    def send(self, state: State, n: int, row: Row) -> State:
        fresh = state.task == OPEN and row.version == state.version
        if not fresh and "the sender looks again" in self.rules:
            return self.with_row(state, n, dropped=True)
        stale = "" if fresh else "it rang for a task that was moved or done"
        return self.with_row(state._replace(bad=state.bad or stale), n, rang=row.rang + 1)

    def follower(self, state: State) -> Iterator[Step]:
        """Waits for a scan that holds the row: what it hands over counts as rung."""
        held = {n for n in state.scanners if n >= 0} if "the scan holds its row" in self.rules else set()
        open_rows = [n for n, row in enumerate(state.rows) if row.status == PENDING]
        if state.task != OPEN or not state.changes or held & set(open_rows):
            return
        changed = state._replace(changes=state.changes - 1, version=state.version + 1)
        if "a change cancels what was armed" in self.rules:
            for n in open_rows:
                changed = self.with_row(changed, n, status=CANCELLED)
        yield "the follower completes it", changed._replace(task=OVER)
        yield "the follower moves it", changed._replace(rows=(*changed.rows, Row(changed.version)))
        called_off = [n for n, row in enumerate(changed.rows) if row.status == CANCELLED]
        if called_off:
            back = self.with_row(changed, called_off[0], status=PENDING, version=changed.version)
            yield "the follower moves it back", back

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if any(row.handed > 1 or row.rang > 1 for row in state.rows):
            return "one reminder rang twice"
        lost = any(row.status == SENT and not row.handed for row in state.rows)
        stale = any(row.status == PENDING and row.version != state.version for row in state.rows)
        return "a reminder is lost" if lost else "an armed reminder of an older version" if stale else ""

    def at_rest(self, state: State) -> bool:
        idle = all(n < 0 for n in state.scanners) and all(row.status != PENDING for row in state.rows)
        return idle and all(row.rang == row.handed or row.dropped for row in state.rows)

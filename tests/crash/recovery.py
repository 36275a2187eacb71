"""How long until it goes on: real workers killed in the middle of a batch, a broker flushed, a database crashed."""

import random
import time
from dataclasses import dataclass, field

from tests.crash.live import BEAT, Live

WAVE = 16  # batches at work when it strikes
EVERYBODY, ONE, CHILD = "all workers killed", "one worker killed", "a process of the pool killed"
FLUSH, CRASH = "broker flushed", "database crashed"
KINDS = (EVERYBODY, FLUSH, ONE, CRASH, CHILD, FLUSH, EVERYBODY, CRASH)
KILLS = (EVERYBODY, ONE, CHILD)
WORKERS = ("batches-0", "batches-1")
PATIENCE = 200  # seconds of the product's time, then it is lost
_CLAIMS = """
    SELECT row_id, extract(epoch FROM at - %s)::float FROM proof_log WHERE machine = 'batch' AND at > %s
    AND "is"->>'status' = 'RUNNING' AND was->>'status' = 'SUBMITTED' ORDER BY seq"""
_AT_WORK = "SELECT id FROM webhook_batch WHERE status = 'RUNNING'"
_HELD_BY = """
    SELECT b.id FROM webhook_batch b WHERE b.status = 'RUNNING' AND %s = (SELECT l.actor FROM proof_log l
        WHERE l.machine = 'batch' AND l.row_id = b.id AND l."is"->>'status' = 'RUNNING'
        AND l.was->>'status' = 'SUBMITTED' ORDER BY l.seq DESC LIMIT 1)"""
_UNDONE = "SELECT id FROM webhook_batch WHERE status <> 'DONE'"
_DUE = """
    SELECT b.id, greatest(extract(epoch FROM b.available_at - %s), 0)::float FROM webhook_batch b
    WHERE b.status IN ('COLLECTING', 'SUBMITTED')"""


@dataclass
class Recoveries:
    """Seconds of the product's time from the fault to the next claim of the same work."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)

    def add(self, kind: str, value: float) -> None:
        self.seconds.setdefault(kind, []).append(value)

    @property
    def of_kills(self) -> list[float]:
        return sorted(value for kind in KILLS for value in self.seconds.get(kind, []))


class Waves:
    def __init__(self, live: Live, seed: int) -> None:
        self.live, self.draw = live, random.Random(seed)
        self.found = Recoveries()

    def strike(self, kind: str) -> None:
        """One wave: batches are brought, it strikes, and everything must come to its end."""
        match kind:
            case "broker flushed":
                self._flush()
            case "database crashed":
                self._crash()
            case _:
                self._kill(kind)
        if not self.live.until(lambda: not self.live.stage.rows(_UNDONE), PATIENCE):
            self.found.violations.append(f"{kind}: not done: {self.live.stage.rows(_UNDONE)}")

    def _bring(self, number: int = WAVE) -> None:
        for _ in range(number):
            if not self.live.deliver(self.live.follower()):
                self.found.violations.append("a message was not acknowledged")

    def _kill(self, kind: str) -> None:
        live = self.live
        live.model("hold")
        self._bring()
        if not live.until(lambda: live.model("truth")["holding"] >= WAVE, PATIENCE):
            self.found.violations.append(f"{kind}: {live.model('truth')} of {WAVE} were begun")
        live.rest(self.draw.uniform(0, BEAT))
        moment, doomed = live.now(), self._doomed(kind)
        self._take(kind)
        time.sleep(0.2)  # what the dead have asked is still with the model
        live.model("let_go")
        expected = len(doomed) if kind != CHILD else 1
        live.until(lambda: len(self._claimed(moment, doomed)) >= expected, PATIENCE)
        again = self._claimed(moment, doomed)
        if len(again) != expected:
            self.found.violations.append(f"{kind}: {len(again)} of {expected} were taken over")
        for value in again.values():
            self.found.add(kind, value)

    def _doomed(self, kind: str) -> set[int]:
        victims = {EVERYBODY: WORKERS, ONE: WORKERS[:1]}.get(kind)
        found = (
            [self.live.stage.rows(_HELD_BY, (name,)) for name in victims]
            if victims
            else [self.live.stage.rows(_AT_WORK)]
        )
        return {pk for rows in found for (pk,) in rows}

    def _take(self, kind: str) -> None:
        fleet = self.live.fleet
        if kind == CHILD:
            fleet.kill_child(self.draw.choice(WORKERS), self.draw)
            return
        for name in WORKERS if kind == EVERYBODY else WORKERS[:1]:
            fleet.kill(name)
            fleet.back(name)

    def _claimed(self, moment: object, among: set[int]) -> dict[int, float]:
        rows = self.live.stage.rows(_CLAIMS, (moment, moment))
        return {pk: seconds for pk, seconds in reversed(rows) if pk in among}

    def _flush(self) -> None:
        """What is due, or becomes so, was rung for in vain."""
        live = self.live
        self._bring()
        live.rest(self.draw.uniform(0, 1))
        moment = live.now()
        due = dict(live.stage.rows(_DUE, (moment,)))
        live.stage.flush()
        live.until(lambda: due.keys() <= self._claimed(moment, set(due)).keys(), PATIENCE)
        again = self._claimed(moment, set(due))
        for pk, after in due.items():
            if pk in again:
                self.found.add(FLUSH, max(0.0, again[pk] - after))
            else:
                self.found.violations.append(f"{FLUSH}: batch {pk} was never taken up")

    def _crash(self) -> None:
        """Counted from when the server accepts connections again."""
        from django.db import connection

        live = self.live
        self._bring()
        live.rest(self.draw.uniform(1, 4))
        connection.close()
        live.stage.postgres.restart()
        moment = live.now()
        self._bring(4)
        live.until(lambda: live.stage.rows(_CLAIMS, (moment, moment)), PATIENCE)
        rows = live.stage.rows(_CLAIMS, (moment, moment))
        if rows:
            self.found.add(CRASH, rows[0][1])
        else:
            self.found.violations.append(f"{CRASH}: nothing went on")

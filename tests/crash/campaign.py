"""Random runs: a made-up day, three faults of any kind at moments of any kind, everything from one number."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.crash.actors import CUT, KILL, LOST, PAUSE, PROGRESS, RAISE, STRUCK, Actor, Fault
from tests.crash.invariants import judge
from tests.crash.matrix import Runner
from tests.crash.play import Cast, Scenario, Step, says, scripted, works
from tests.crash.points import before_commit, points
from tests.crash.scenarios import LOST as NO_ANSWER
from tests.crash.scenarios import REFUSED, SEND
from tests.crash.stage import Stage

TITLES = ("买牛奶", "交周报", "写总结", "订机票", "修自行车", "洗衣服", "寄快递", "浇花", "买电池", "交电费")
OUTSIDE = ({"errcode": -1}, {"errcode": 45015}, {"errcode": 45047}, {"errcode": 40001}, NO_ANSWER, REFUSED)
UNSURE = (NO_ANSWER, REFUSED)  # after these nobody can know


@dataclass
class Outcome:
    seed: int
    faults: list[str]
    violations: list[str]
    seconds: float
    recovery: float | None = None  # product seconds from the last fault to rest
    reached: set[str] = field(default_factory=set)


def day(random: random.Random) -> Scenario:
    """Two followers, a handful of instructions, some of them corrected; the outside world has its moods."""
    titles = random.sample(TITLES, 5)
    steps: list[Step] = []
    unsure = False
    for number, title in enumerate(titles):
        steps.append(says(title, who=number % 2, makes=(title,)))
        if random.random() < 0.6:
            steps.append(works())
        if random.random() < 0.3:
            mood = random.choice(OUTSIDE)
            unsure = unsure or mood in UNSURE
            steps.append(scripted(SEND, mood))
    steps.append(works())
    if random.random() < 0.5:
        gone = titles[random.randrange(2)]
        steps += [says(f"删除{gone}", who=titles.index(gone) % 2, takes=(gone,)), works()]
    return Scenario("a random day", [*steps, works(40)], unknown=True)


def faults(random: random.Random) -> list[Fault | str]:
    """Three, mixed: crashes at points, and what happens to all processes at once."""
    kinds = points()
    names = sorted(kinds)
    made: list[Fault | str] = []
    for _ in range(3):
        if random.random() < 0.25:
            made.append(random.choice(["the broker is flushed", "the database crashes", "the clock jumps"]))
            continue
        kind = random.choice([KILL, PAUSE, RAISE, CUT, LOST])
        fitting = [name for name in names if kind != LOST or before_commit(name, kinds[name])]
        made.append(Fault(random.choice([n for n in fitting if n.startswith(COMMON)]), kind, random.randrange(1, 4)))
    return made


COMMON = ("door", "submit", "claim", "operation", "analysis", "finish", "admit", "send:", "sent:", "doorbell", "token")


class Campaign(Runner):
    def __init__(self, stage: Stage, patch: Callable[[], None] | None = None) -> None:
        super().__init__(stage, patch)

    def one(self, seed: int) -> Outcome:
        began = time.perf_counter()
        chance = random.Random(seed)  # noqa: S311
        scenario, planned = day(chance), faults(chance)
        self.run_number += 1
        self.stage.clear()
        cast = Cast(self.stage, self.run_number)
        hangs = self._day(cast, scenario, planned)
        violations = [*hangs, *judge(cast, scenario), *self._escalations(scenario, None)]
        named = [str(each) for each in planned]
        return Outcome(seed, named, violations, time.perf_counter() - began, self._recovery())

    def _day(self, cast: Cast, scenario: Scenario, planned: list[Fault | str]) -> list[str]:
        """Each fault has its own process, which goes on where the one before has ended."""
        try:
            for each in planned:
                if isinstance(each, str):
                    self._to_all(each)
                else:
                    self._struck(cast, scenario, each)
            Actor(self.stage, self._rest_of(cast, scenario), patch=self.patch).wait()
            Actor(self.stage, lambda: self.rest(cast, 14), patch=self.patch).wait(120)
        except TimeoutError as error:
            return [f"I15 {error}"]
        return []

    def _rest_of(self, cast: Cast, scenario: Scenario) -> Callable[[], None]:
        first = self.stage.board[PROGRESS]
        return lambda: cast.play(scenario.steps, first)

    def _struck(self, cast: Cast, scenario: Scenario, fault: Fault) -> None:
        self.stage.board[STRUCK] = 0
        victim = Actor(self.stage, self._rest_of(cast, scenario), fault=fault, patch=self.patch)
        try:
            if victim.wait() == "stopped":
                self.stage.forward(minutes=2)
                Actor(self.stage, lambda: self.rest(cast, 2), patch=self.patch).wait()
                self.stage.forward(minutes=14)
                victim.wake()
                victim.wait()
        finally:
            victim.kill()

    def _to_all(self, what: str) -> None:
        from django.db import connection

        match what:
            case "the broker is flushed":
                self.stage.flush()
            case "the database crashes":
                connection.close()
                self.stage.postgres.restart()
            case "the clock jumps":
                self.stage.forward(minutes=5)

    def _recovery(self) -> float | None:
        """Product seconds from a claim's death to the next claim of the same row."""
        found = self.stage.rows("""
            SELECT extract(epoch FROM max(n.at - d.at))::float FROM proof_log d JOIN proof_log n ON n.row_id = d.row_id
                AND n.machine = d.machine AND n.seq > d.seq AND n."is"->>'status' = 'RUNNING' AND n.was->>'status' = 'SUBMITTED'
            WHERE d.machine = 'batch' AND d.was->>'status' = 'RUNNING' AND d."is"->>'status' = 'SUBMITTED'""")
        return found[0][0] if found else None


__all__ = ["Campaign", "Outcome", "day", "faults"]

"""The directed matrix: each crash point × each fault × repeats, in scenarios that really pass the point."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.crash.actors import CUT, FAULTS, KILL, LOST, PAUSE, PROGRESS, RAISE, STRUCK, Actor, Fault
from tests.crash.invariants import judge
from tests.crash.play import Cast, Scenario
from tests.crash.points import before_commit, points
from tests.crash.stage import Stage

REST_ROUNDS = 14
IN_FLIGHT = """
    SELECT count(*) FROM (SELECT 1 FROM webhook_batch WHERE status IN ('COLLECTING', 'SUBMITTED', 'RUNNING')
    UNION ALL SELECT 1 FROM webhook_outboundmessage WHERE status = 'SENDING' OR (status = 'PENDING' AND NOT waiting)
    UNION ALL SELECT 1 FROM planner_reminder WHERE status = 'PENDING' AND due_at < app_now()) w"""
# Between a sender's claim and its record nobody can know whether the request has left.
SEND_WINDOW = ("claim outboundmessage:committed", "admit:", "send", "sent:", "token", "quota back", "try forgotten",
               "window closed", "follower gone", "retry outboundmessage", "release outboundmessage", "beat",
               "give up outboundmessage", "doorbell", "merge", "upstream", "receipt")  # fmt: skip


@dataclass
class Result:
    """`struck`: the fault really came about; a cell that no run struck proves nothing."""

    scenario: str
    fault: Fault | None
    struck: bool
    violations: list[str]
    seconds: float
    escalated: int = 0
    edges: set[tuple[str, str, str]] = field(default_factory=set)

    @property
    def cell(self) -> tuple[str, str]:
        assert self.fault is not None
        return self.fault.point, self.fault.kind


class Runner:
    """Plays scenarios on the stage, one after the other. `patch` is done to each victim and helper: a mutant."""

    def __init__(self, stage: Stage, patch: Callable[[], None] | None = None) -> None:
        self.stage, self.patch = stage, patch
        self.run_number = int(time.time()) % 1_000_000

    def run(self, scenario: Scenario, fault: Fault | None) -> Result:
        began = time.perf_counter()
        self.run_number += 1
        self.stage.clear()
        cast = Cast(self.stage, self.run_number)
        with_settings = self._settings(scenario)
        far = self._far_end(scenario, with_settings)
        try:
            hangs = self._play(cast, scenario, fault, with_settings)
        finally:
            if far:
                far.kill()
        struck = bool(self.stage.board[STRUCK])
        violations = [*hangs, *judge(cast, scenario), *self._escalations(scenario, fault if struck else None)]
        edges = {(m, b, a) for m, b, a in self.stage.rows(
            "SELECT DISTINCT machine, was->>'status', \"is\"->>'status' FROM proof_log WHERE was IS NOT NULL"
            " AND \"is\" IS NOT NULL AND was->>'status' <> \"is\"->>'status'")}  # fmt: skip
        return Result(scenario.name, fault, struck, violations, time.perf_counter() - began, edges=edges)

    def _settings(self, scenario: Scenario) -> dict[str, object]:
        given = dict(scenario.settings)
        if given.get("LLM_BASE_URL"):
            given["LLM_BASE_URL"] = self.stage.world.model + "/v1"
        return given

    def _far_end(self, scenario: Scenario, with_settings: dict[str, object]) -> Actor | None:
        if not scenario.apart:
            return None
        reading, writing = os.pipe()

        def serve() -> None:
            from wsgiref.simple_server import WSGIRequestHandler, make_server

            WSGIRequestHandler.log_message = lambda *args: None  # type: ignore[assignment]
            server = make_server("127.0.0.1", 0, self.stage.application)
            os.write(writing, f"http://127.0.0.1:{server.server_port}\n".encode())
            server.serve_forever()

        far = Actor(self.stage, serve, patch=self.patch, name="far")
        os.close(writing)
        with os.fdopen(reading) as pipe:
            address = pipe.readline().strip()
        with_settings |= {"AGENT_URL": address, "TOOLS_URL": address}
        return far

    def _play(self, cast: Cast, scenario: Scenario, fault: Fault | None, with_settings: dict[str, object]) -> list[str]:
        def actor(play: Callable[[], None], fault: Fault | None = None) -> Actor:
            return Actor(self.stage, play, fault=fault, with_settings=with_settings, patch=self.patch)

        victim = actor(lambda: cast.play(scenario.steps), fault)
        try:
            ended = victim.wait()
            if ended == "stopped":
                self.stage.forward(minutes=16)
                actor(lambda: self.rest(cast, 2)).wait()
                victim.wake()
                ended = victim.wait()
            if ended != "ended":
                first = self.stage.board[PROGRESS]
                actor(lambda: cast.play(scenario.steps, first)).wait()
            actor(lambda: self.rest(cast, REST_ROUNDS)).wait(120)
        except TimeoutError as error:
            return [f"I15 {error}"]
        finally:
            victim.kill()
        return []

    def rest(self, cast: Cast, rounds: int) -> None:
        """Healthy workers, until nothing is on its way: a minute of the product's time, and again, and then longer."""
        from planner import sql

        for number in range(rounds):
            cast.work()
            found = sql.row(IN_FLIGHT)
            if found is not None and not found[0]:
                return
            cast.forward(seconds=66 if number < 4 else min(66 * 2 ** (number - 3), 6 * 3600))

    def _escalations(self, scenario: Scenario, fault: Fault | None) -> Iterator[str]:
        """I11: a person is asked only for what nobody can know, or what failed as often as it may."""
        rows = self.stage.rows("SELECT kind, object_id, reason FROM planner_review WHERE resolution = ''")
        kinds = [kind for kind, _, _ in rows]
        if "batch" in kinds and not scenario.fails:
            yield f"I11 a batch was handed to a person: {rows[kinds.index('batch')][2]}"
        in_window = fault is not None and fault.point.startswith(SEND_WINDOW)
        if "outbound" in kinds and not (scenario.unknown or in_window):
            yield f"I11 a message was handed to a person: {rows[kinds.index('outbound')][2]}"


@dataclass
class Plan:
    """Where each point is passed: found by playing every scenario once, unharmed, and listening."""

    passed: dict[str, list[tuple[Scenario, int]]]
    quiet: list[Result]

    @property
    def unreached(self) -> list[str]:
        return sorted(set(points()) - set(self.passed))


def survey(runner: Runner, scenarios: list[Scenario], tell: Callable[[Result], None] = lambda result: None) -> Plan:
    passed: dict[str, list[tuple[Scenario, int]]] = {}
    quiet = []
    for scenario in scenarios:
        result, names = _listened(runner, scenario)
        quiet.append(result)
        tell(result)
        for name in dict.fromkeys(names):
            passed.setdefault(name, []).append((scenario, names.count(name)))
    return Plan(passed, quiet)


def _listened(runner: Runner, scenario: Scenario) -> tuple[Result, list[str]]:
    path = os.path.join(runner.stage.folder, "heard")
    open(path, "w").close()

    def hook(name: str) -> None:
        with open(path, "a") as heard:
            heard.write(name + "\n")

    began, runner.run_number = time.perf_counter(), runner.run_number + 1
    runner.stage.clear()
    cast = Cast(runner.stage, runner.run_number)
    with_settings = runner._settings(scenario)
    far = runner._far_end(scenario, with_settings)
    Actor(
        runner.stage, lambda: cast.play(scenario.steps), hook=hook, with_settings=with_settings, patch=runner.patch
    ).wait(90)
    Actor(runner.stage, lambda: runner.rest(cast, REST_ROUNDS), with_settings=with_settings).wait(120)
    if far:
        far.kill()
    violations = [*judge(cast, scenario), *runner._escalations(scenario, None)]
    with open(path) as heard:
        names = heard.read().split("\n")[:-1]
    return Result(scenario.name, None, False, violations, time.perf_counter() - began), names


def cells(plan: Plan, *, repeats: int, faults: tuple[str, ...] = FAULTS) -> Iterator[tuple[Scenario, Fault]]:
    """Repeats go through the scenarios that pass the point, and through the times that they pass it."""
    kinds = points()
    for point in sorted(plan.passed):
        places = [
            (scenario, nth) for scenario, times in plan.passed[point] for nth in sorted({1, (times + 1) // 2, times})
        ]
        places.sort(key=lambda place: place[1])
        for kind in faults:
            if kind == LOST and not before_commit(point, kinds.get(point, "")):
                continue
            for repeat in range(repeats):
                scenario, nth = places[repeat % len(places)]
                yield scenario, Fault(point, kind, nth)


__all__ = ["CUT", "KILL", "LOST", "PAUSE", "RAISE", "Plan", "Result", "Runner", "cells", "survey"]

"""The directed matrix: each crash point × each fault × repeats, in scenarios that really pass the point."""

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from planner.crashpoints import Hook, strike
from tests.crash.actors import CUT, FAULTS, HALF, KILL, LOST, PAUSE, PROGRESS, RAISE, STRUCK, Actor, Fault
from tests.crash.invariants import judge
from tests.crash.play import Cast, Scenario
from tests.crash.points import before_commit, points
from tests.crash.stage import Stage

IDLE = " idle"
CLAIMS_STOPPED = 1
REST_ROUNDS = 14
IN_FLIGHT = """
    SELECT count(*) FROM (SELECT 1 FROM webhook_batch WHERE status IN ('COLLECTING', 'SUBMITTED', 'RUNNING')
    UNION ALL SELECT 1 FROM webhook_outboundmessage WHERE status = 'SENDING' OR (status = 'PENDING' AND NOT waiting)
    UNION ALL SELECT 1 FROM planner_reminder WHERE status = 'PENDING' AND due_at < app_now()) w"""
# Between a sender's claim and its record nobody can know whether the request has left.
SEND_WINDOW = ("claim outboundmessage:committed", "admit:", "send", "sent", "rescue outboundmessage", "token", "forced out", "taken back", "try forgotten",
               "window closed", "follower gone", "retry outboundmessage", "release outboundmessage", "beat",
               "give up outboundmessage", "doorbell", "carried", "upstream", "receipt")  # fmt: skip


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

    def run(self, scenario: Scenario, fault: Fault | None, *, hook: Hook | None = None) -> Result:
        began = time.perf_counter()
        self.run_number += 1
        self.stage.clear()
        cast = Cast(self.stage, self.run_number)
        with_settings = self._settings(scenario)
        far = self._far_end(scenario, with_settings)
        try:
            hangs = self._play(cast, scenario, fault, with_settings, hook)
        finally:
            if far:
                far.kill()
        struck = bool(self.stage.board[STRUCK])
        violations = [
            *hangs,
            *judge(cast, scenario, asleep_at_the_wire=_asleep(fault)),
            *self._escalations(scenario, fault if struck else None),
        ]
        edges = {(m, b, a) for m, b, a in self.stage.rows(
            "SELECT DISTINCT machine, was->>'status', \"is\"->>'status' FROM proof_log WHERE was IS NOT NULL"
            " AND \"is\" IS NOT NULL AND was->>'status' <> \"is\"->>'status'")}  # fmt: skip
        return Result(scenario.name, fault, struck, violations, time.perf_counter() - began, edges=edges)

    def listened(self, scenario: Scenario) -> tuple[Result, list[str]]:
        """Plays it unharmed and returns which points were passed, in order; a commit of nothing is marked IDLE."""
        heard = os.path.join(self.stage.folder, "heard")
        open(heard, "w").close()

        def hook(name: str) -> None:
            from planner import sql

            idle = name.endswith(":written") and sql.row("SELECT pg_current_xact_id_if_assigned()") == (None,)
            with open(heard, "a") as lines:
                lines.write(name + (IDLE if idle else "") + "\n")

        result = self.run(scenario, None, hook=hook)
        with open(heard) as lines:
            return result, lines.read().splitlines()

    def _settings(self, scenario: Scenario) -> dict[str, object]:
        given = dict(scenario.settings)
        if given.get("LLM_BASE_URL"):
            given["LLM_BASE_URL"] = self.stage.world.model + "/v1"
        if given.get("TENCENT_SECRET_ID"):
            given["TENCENT_ASR_ENDPOINT"] = self.stage.world.asr + "/asr"
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
        with_settings[scenario.apart] = address
        return far

    def _play(
        self, cast: Cast, scenario: Scenario, fault: Fault | None, with_settings: dict[str, object], hook: Hook | None
    ) -> list[str]:
        def actor(play: Callable[[], None], fault: Fault | None = None, hook: Hook | None = None) -> Actor:
            return Actor(self.stage, play, fault=fault, hook=hook, with_settings=with_settings, patch=self.patch)

        victim = actor(lambda: cast.play(scenario.steps), fault, hook)
        try:
            ended = victim.wait()
            if ended == "stopped":
                self.stage.forward(minutes=2)  # a lease is over, and WeChat still remembers a template's id
                half = fault is not None and fault.kind == HALF
                other = actor(lambda: self.rest(cast, 2), hook=stops_after_a_claim() if half else None)
                others = other.wait()
                if not half:
                    self.stage.forward(minutes=14)
                victim.wake()
                ended = victim.wait()
                if others == "stopped":
                    other.wake()
                    other.wait()
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
        spent = scenario.spends and fault is not None and fault.kind == HALF  # his claim, his helper's, and the day's own
        if "batch" in kinds and not (scenario.fails or spent):
            yield f"I11 a batch was handed to a person: {rows[kinds.index('batch')][2]}"
        in_window = fault is not None and (fault.point.startswith(SEND_WINDOW) or _claimed_unheard(fault))
        slept = fault is not None and fault.kind in (PAUSE, HALF)  # past the time in which a voice message may be heard
        if "voice" in kinds and not (scenario.fails or slept):
            yield f"I11 a voice message was handed to a person: {rows[kinds.index('voice')][2]}"
        if "outbound" in kinds and not (scenario.unknown or in_window):
            yield f"I11 a message was handed to a person: {rows[kinds.index('outbound')][2]}"


def _claimed_unheard(fault: Fault) -> bool:
    """The claim was committed, and its sender never heard of it: to everybody else he has died with it."""
    return (fault.point, fault.kind) == ("claim outboundmessage:before", LOST)


def _asleep(fault: Fault | None) -> bool:
    return fault is not None and fault.point == "send template:before" and fault.kind in (PAUSE, HALF)


def stops_after_a_claim() -> Hook:
    """Whoever takes over comes no further than this while the other wakes."""
    stopped: list[str] = []

    def hook(name: str) -> None:
        if name.startswith("claim ") and name.endswith(":committed") and len(stopped) < CLAIMS_STOPPED:
            stopped.append(name)
            strike("stop", name)

    return hook


Place = tuple[Scenario, int]  # a scenario, and the how-manieth passing of the point in it


@dataclass
class Plan:
    """Where each point is passed in earnest: found by playing every scenario once, unharmed, and listening."""

    passed: dict[str, list[Place]]
    quiet: list[Result]

    @property
    def unreached(self) -> list[str]:
        return sorted(set(points()) - set(self.passed))

    def write(self, path: str) -> None:
        passed = {point: [(day.name, nth) for day, nth in places] for point, places in self.passed.items()}
        quiet = [[q.scenario, q.seconds, q.violations, sorted(q.edges)] for q in self.quiet]
        Path(path).write_text(json.dumps([passed, quiet]))

    @classmethod
    def read(cls, path: str, days: list[Scenario]) -> "Plan":
        """What another run has found out, to be gone on with."""
        known = {day.name: day for day in days}
        passed, quiet = json.loads(Path(path).read_text())
        places = {point: [(known[name], nth) for name, nth in found] for point, found in passed.items()}
        return cls(places, [
            Result(name, None, False, wrong, seconds, edges={(machine, before, after) for machine, before, after in edges})
            for name, seconds, wrong, edges in quiet
        ])  # fmt: skip


def survey(runner: Runner, scenarios: list[Scenario], tell: Callable[[Result], None] = lambda result: None) -> Plan:
    passed: dict[str, list[Place]] = {}
    quiet = []
    for scenario in scenarios:
        result, names = runner.listened(scenario)
        quiet.append(result)
        tell(result)
        for name, times in in_earnest(names).items():
            chosen = sorted({times[0], times[len(times) // 2], times[-1]})
            passed.setdefault(name, []).extend((scenario, nth) for nth in chosen)
    return Plan(passed, quiet)


def in_earnest(names: list[str]) -> dict[str, list[int]]:
    """Which passings of each point meant something: a look that found nothing commits nothing."""
    counts: dict[str, int] = {}
    found: dict[str, list[int]] = {}
    quiet: set[str] = set()
    for line in names:
        name, idle = line.removesuffix(IDLE), line.endswith(IDLE)
        counts[name] = counts.get(name, 0) + 1
        stem, _, moment = name.rpartition(":")
        if idle:
            found.get(f"{stem}:before", [0]).pop()
            quiet.add(stem)
            continue
        if moment == "committed" and stem in quiet:
            quiet.remove(stem)
            continue
        found.setdefault(name, []).append(counts[name])
    return {name: times for name, times in found.items() if times}


def cells(plan: Plan, *, repeats: int, faults: tuple[str, ...] = FAULTS) -> Iterator[tuple[Scenario, Fault]]:
    """Repeats go through the scenarios that pass the point, and through the times that they pass it."""
    kinds = points()
    for repeat in range(repeats):
        for point in sorted(plan.passed):
            places = spread(plan.passed[point])
            scenario, nth = places[repeat % len(places)]
            for kind in faults:
                if kind != LOST or before_commit(point, kinds.get(point, "")):
                    yield scenario, Fault(point, kind, nth)


def spread(places: list[Place]) -> list[Place]:
    """One of each scenario, then the others."""
    first = {scenario.name: (scenario, nth) for scenario, nth in reversed(places)}
    return [*reversed(first.values()), *(place for place in places if place not in first.values())]


__all__ = ["CUT", "KILL", "LOST", "PAUSE", "RAISE", "Plan", "Result", "Runner", "cells", "survey"]

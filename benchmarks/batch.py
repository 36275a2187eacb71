"""One batch of two actions, one process and one thread: the product beside its floor and the alternatives.

Each engine has a process of its own that does nothing while another has its turn. Turns are a few batches long, so that
a machine that changes its speed changes it for all. CPU is the process's and Postgres's together: what the statements
cost counts wherever it is spent.
"""

import importlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any

import psycopg

from benchmarks.figures import Figure
from benchmarks.floors import plan
from benchmarks.rig import Services, on_cpu

ENGINES = {
    "stored": ("benchmarks.product", "Stored"),
    "given": ("benchmarks.product", "Given"),
    "rules": ("benchmarks.product", "Rules"),
    "lean_graph": ("benchmarks.floors.steps", "LeanGraph"),
    "checkpoints": ("benchmarks.floors.checkpoints", "Checkpoints"),
    "dbos": ("benchmarks.floors.durable_workflow", "Dbos"),
}
TURN = 10  # batches
SETTLE = 0.02  # seconds, for what the preparation leaves behind: a flush, a publisher's thread
LIFETIME = 600  # seconds after which a child ends itself, whatever happened to its parent
INSTALL = "not installed: pip install -r benchmarks/requirements.txt"


class Engine:
    """A child process and its figures, a round each: milliseconds per batch."""

    def __init__(self, name: str, here: Services) -> None:
        self.name, self.here = name, here
        command = [sys.executable, "-m", "benchmarks.batch", name]
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it lives as long as the child
        self.child = subprocess.Popen(
            command, env=here.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.ready = self._ask("hello", 0) == ["ready"]

    def begin(self) -> None:
        self.spent = self.passed = 0

    def turn(self, runs: int) -> None:
        self._ask("prepare", runs)
        time.sleep(SETTLE)
        postgres = on_cpu(self.here.postgres)
        own, passed = self._ask("run", runs)
        self.spent += own + on_cpu(self.here.postgres) - postgres
        self.passed += passed

    def end(self, runs: int) -> None:
        self.cpu.append(self.spent / runs / 1e6)
        self.wall.append(self.passed / runs / 1e6)

    def _ask(self, what: str, runs: int) -> list[Any]:
        assert self.child.stdin
        assert self.child.stdout
        self.child.stdin.write(f"{what} {runs}\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            self.log.seek(0)
            raise RuntimeError(f"{self.name} died: {self.log.read()[-2000:]}")
        return list(json.loads(answer))

    def close(self) -> None:
        self.child.kill()
        self.child.wait(30)


def measure(here: Services, *, quick: bool) -> list[Figure]:
    rounds, turns = (3, 10) if quick else (8, 25)
    with psycopg.connect(here.database, autocommit=True) as db:
        db.execute(plan.SCHEMA)
    engines: dict[str, Engine] = {}
    try:
        for name in ENGINES:
            engines[name] = Engine(name, here)
        ready = [engine for engine in engines.values() if engine.ready]
        for _ in range(rounds + 1):
            _round(ready, turns)
    finally:
        for engine in engines.values():
            engine.close()
    for engine in ready:
        del engine.cpu[0], engine.wall[0]  # the first round warms
    return _figures(**engines)


def _round(engines: list[Engine], turns: int) -> None:
    for engine in engines:
        engine.begin()
    for _ in range(turns):
        for engine in engines:
            engine.turn(TURN)
    for engine in engines:
        engine.end(turns * TURN)


def _figures(
    stored: Engine, given: Engine, rules: Engine, lean_graph: Engine, checkpoints: Engine, dbos: Engine
) -> list[Figure]:
    return [
        Figure("CPU, analysis stored ÷ lean_graph", "ms", stored.cpu, lean_graph.cpu, goal=1.5),
        Figure("CPU, analysis given ÷ lean_graph", "ms", given.cpu, lean_graph.cpu, goal=1.5),
        Figure("CPU, understood by rules ÷ lean_graph", "ms", rules.cpu, lean_graph.cpu, goal=1.5),
        Figure("time, understood by rules ÷ lean_graph", "ms", rules.wall, lean_graph.wall),
        against("CPU, analysis given ÷ LangGraph + PostgresSaver", given, checkpoints, 1.0),
        against("CPU, analysis given ÷ DBOS", given, dbos, 0.45),
        against("CPU, understood by rules ÷ LangGraph + PostgresSaver", rules, checkpoints, 1.0),
        against("CPU, understood by rules ÷ DBOS", rules, dbos, 0.45),
    ]


def against(what: str, ours: Engine, other: Engine, goal: float) -> Figure:
    return Figure(what, "ms", ours.cpu, other.cpu, goal=goal) if other.ready else Figure(what, "ms", note=INSTALL)


def serve(name: str) -> None:
    """The child: answers each line of stdin with one of JSON."""
    signal.alarm(LIFETIME)
    engine, expected = None, 0
    for line in sys.stdin:
        what, _, runs = line.strip().partition(" ")
        if what == "hello":
            engine = _made(name)
            print(json.dumps(["ready" if engine else "missing"]), flush=True)
        elif what == "prepare":
            engine.prepare(int(runs))
            print("[]", flush=True)
        else:
            print(json.dumps(_timed(engine, int(runs))), flush=True)
            expected += int(runs)
            assert engine.done() == expected, f"{name}: {engine.done()} of {expected} batches were done"


def _made(name: str) -> Any:
    import django

    django.setup()
    module, kind = ENGINES[name]
    try:
        return getattr(importlib.import_module(module), kind)()
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in ("dbos", "langgraph"):
            raise
        return None


def _timed(engine: Any, runs: int) -> list[int]:
    """Nanoseconds of CPU and of time."""
    cpu, wall = time.process_time_ns(), time.perf_counter_ns()
    for _ in range(runs):
        engine.run()
    return [time.process_time_ns() - cpu, time.perf_counter_ns() - wall]


if __name__ == "__main__":
    serve(sys.argv[1])

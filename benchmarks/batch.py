"""One batch of two actions, one process and one thread: the product beside its floor and the alternatives.

Each engine has a process of its own that does nothing while another has its turn. CPU is the process's and Postgres's
together: what the statements cost counts wherever it is spent.
"""

import importlib
import json
import signal
import subprocess
import sys
import time
from typing import Any

import psycopg

from benchmarks.figures import Figure
from benchmarks.floors import plan
from benchmarks.rig import Services, cpu

ENGINES = {
    "stored": ("benchmarks.product", "Stored"),
    "rules": ("benchmarks.product", "Rules"),
    "lean_graph": ("benchmarks.floors.steps", "LeanGraph"),
    "checkpoints": ("benchmarks.floors.checkpoints", "Checkpoints"),
    "dbos": ("benchmarks.floors.durable_workflow", "Dbos"),
}
LIFETIME = 600  # seconds after which a child ends itself, whatever happened to its parent
INSTALL = "not installed: pip install -r benchmarks/requirements.txt"


class Engine:
    """A child process and its figures, a round each: milliseconds per batch."""

    def __init__(self, name: str, here: Services) -> None:
        self.name, self.here = name, here
        command = [sys.executable, "-m", "benchmarks.batch", name]
        self.child = subprocess.Popen(
            command, env=here.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.cpu: list[float] = []
        self.wall: list[float] = []
        self.ready = self._ask("hello", 0) == ["ready"]

    def turn(self, runs: int, *, counts: bool) -> None:
        self._ask("prepare", runs)
        time.sleep(0.1)  # what the preparation leaves behind: a flush, a publisher's thread
        postgres = cpu(self.here.postgres)
        own, wall = self._ask("run", runs)
        spent = own + cpu(self.here.postgres) - postgres
        if counts:
            self.cpu.append(1000 * spent / runs)
            self.wall.append(1000 * wall / runs)

    def _ask(self, what: str, runs: int) -> list[Any]:
        assert self.child.stdin
        assert self.child.stdout
        self.child.stdin.write(f"{what} {runs}\n")
        self.child.stdin.flush()
        answer = self.child.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} died")
        return list(json.loads(answer))

    def close(self) -> None:
        self.child.kill()
        self.child.wait(30)


def measure(here: Services, *, quick: bool) -> list[Figure]:
    rounds, runs = (2, 20) if quick else (5, 40)
    with psycopg.connect(here.database, autocommit=True) as db:
        db.execute(plan.SCHEMA)
    engines: dict[str, Engine] = {}
    try:
        for name in ENGINES:
            engines[name] = Engine(name, here)
        for number in range(rounds + 1):
            for engine in engines.values():
                if engine.ready:
                    engine.turn(runs, counts=number > 0)  # the first turn warms
    finally:
        for engine in engines.values():
            engine.close()
    return _figures(**engines)


def _figures(stored: Engine, rules: Engine, lean_graph: Engine, checkpoints: Engine, dbos: Engine) -> list[Figure]:
    return [
        Figure("CPU, analysis stored ÷ lean_graph", "ms", stored.cpu, lean_graph.cpu, goal=1.5),
        Figure("CPU, understood by rules ÷ lean_graph", "ms", rules.cpu, lean_graph.cpu, goal=1.5),
        Figure("time, understood by rules ÷ lean_graph", "ms", rules.wall, lean_graph.wall),
        against("CPU, analysis stored ÷ LangGraph + PostgresSaver", stored, checkpoints, 1.0),
        against("CPU, analysis stored ÷ DBOS", stored, dbos, 0.45),
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


def _timed(engine: Any, runs: int) -> list[float]:
    cpu_before, wall = time.process_time(), time.perf_counter()
    for _ in range(runs):
        engine.run()
    return [time.process_time() - cpu_before, time.perf_counter() - wall]


if __name__ == "__main__":
    serve(sys.argv[1])

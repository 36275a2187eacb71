"""One signed message in: the product's door beside the least that a durable webhook must do, the same load in turn.

Turns are a second long, so that a machine that changes its speed changes it for all.
"""

import contextlib
import sys

import psycopg

from benchmarks import load
from benchmarks.figures import Figure
from benchmarks.floors import web
from benchmarks.rig import Services, cpu, running
from tests.services import free_port

GUNICORN = ["gunicorn", "-k", "gthread", "-w", "2", "--threads", "8", "--log-level", "error", "-b", "127.0.0.1:{port}"]
UVICORN = ["uvicorn", "--workers", "2", "--log-level", "error", "--no-access-log", "--port", "{port}"]
SIDES = {
    "floor": [*GUNICORN, "benchmarks.floors.web:application()"],
    "gthread": [*GUNICORN, "planner.wsgi:application"],
    "asgi": [*UVICORN, "planner.asgi:application"],
}
TURN = 1  # seconds


class Side:
    def __init__(self, here: Services, port: int, pid: int) -> None:
        self.here, self.port, self.pid = here, port, pid
        self.time: list[float] = []
        self.cpu: list[float] = []
        self.postgres: list[float] = []
        self.p99: list[float] = []

    def turn(self) -> None:
        web, postgres = cpu(self.pid), cpu(self.here.postgres)
        done = load.fire(self.port, TURN)
        self.cpu.append(1000 * (cpu(self.pid) - web) / done.requests)
        self.postgres.append(1000 * (cpu(self.here.postgres) - postgres) / done.requests)
        self.time.append(1000 * done.time)
        self.p99.append(1000 * done.p99)


def measure(here: Services, *, quick: bool) -> list[Figure]:
    rounds = 5 if quick else 20
    with psycopg.connect(here.database, autocommit=True) as db, contextlib.ExitStack() as stack:
        db.execute(web.SCHEMA)
        sides = {name: _started(here, command, stack) for name, command in SIDES.items()}
        for side in sides.values():
            load.fire(side.port, 1 if quick else 2)
        for _ in range(rounds):
            for side in sides.values():
                db.execute("VACUUM")  # nobody pays for the rows that the one before has left dead
                side.turn()
    return _figures(**sides)


def _started(here: Services, command: list[str], stack: contextlib.ExitStack) -> Side:
    port = free_port()
    words = [word.format(port=port) for word in command]
    url = f"http://127.0.0.1:{port}/wechat/callback"
    pid = stack.enter_context(running([sys.executable, "-m", *words], here.environment, url=url))
    return Side(here, port, pid)


def _figures(floor: Side, gthread: Side, asgi: Side) -> list[Figure]:
    return [
        Figure("gthread: time per request", "ms", gthread.time, floor.time, goal=1.5),
        Figure("gthread: web CPU per request", "ms", gthread.cpu, floor.cpu, goal=1.5),
        Figure("gthread: Postgres CPU per request", "ms", gthread.postgres, floor.postgres),
        Figure("gthread: p99", "ms", gthread.p99, floor.p99, goal=1.5),
        Figure("ASGI with pool: time per request", "ms", asgi.time, floor.time, goal=2.5),
        Figure("ASGI with pool: web CPU per request", "ms", asgi.cpu, floor.cpu, goal=2.5),
        Figure("ASGI with pool: p99", "ms", asgi.p99, floor.p99, goal=2.5),
    ]

"""Beside the traffic: every so often a process, a worker with all its processes, the broker or the database dies."""

import contextlib
import random
import threading
from collections import Counter
from collections.abc import Iterator

from redis import Redis

from benchmarks.rig import Services
from tests.processes.fleet import Fleet

KINDS = {"worker": 3, "process of a pool": 3, "web process": 2, "clock": 1, "broker flushed": 2, "database crashed": 1}


@contextlib.contextmanager
def killing(here: Services, fleet: Fleet, *, every: float, seed: int) -> Iterator[Counter]:
    """Real seconds; 0: nobody dies. What died so far, by kind."""
    killed: Counter[str] = Counter()
    over, draw = threading.Event(), random.Random(seed)

    def strike() -> None:
        while not over.wait(every * draw.uniform(0.5, 1.5)):
            kind = draw.choices(list(KINDS), list(KINDS.values()))[0]
            _strike(kind, here, fleet, draw)
            killed[kind] += 1

    thread = threading.Thread(target=strike, daemon=True)
    if every:
        thread.start()
    try:
        yield killed
    finally:
        over.set()
        if every:
            thread.join()


def _strike(kind: str, here: Services, fleet: Fleet, draw: random.Random) -> None:
    match kind:
        case "worker" | "clock":
            name = "beat" if kind == "clock" else draw.choice(["batches", "others"])
            fleet.kill(name)
            fleet.back(name)
        case "process of a pool":
            fleet.kill_child(draw.choice(["batches", "others"]), draw)
        case "web process":
            fleet.kill_child("web", draw)
        case "broker flushed":
            with Redis.from_url(here.environment["REDIS_URL"]) as broker:
                broker.flushall()
        case "database crashed":
            here.crash()

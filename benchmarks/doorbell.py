"""From a ring to a claim, beside Celery's own publish-to-begin, on one real worker; and what an empty ring costs it."""

import sys
import time

import psycopg
import redis

from benchmarks.figures import Figure
from benchmarks.rig import Services, cpu, running

WORKER = [sys.executable, "-m", "celery", "-A", "benchmarks.floors.queue", "worker", "-c", "1", "-l", "ERROR"]
QUEUES = ["-Q", "batches,bench", "--without-gossip", "--without-mingle"]
CLAIMED = "SELECT extract(epoch FROM claimed_at)::float FROM webhook_batch WHERE id = %s AND status = 'DONE'"
PATIENCE = 30  # seconds for one answer of the worker
PAUSE = 0.25  # seconds before each ring: one of its own, not gathered with the last, to a worker that rests


def measure(here: Services, *, quick: bool) -> list[Figure]:
    import django

    django.setup()
    rounds, runs, rings = (3, 10, 100) if quick else (5, 30, 200)
    with (
        running([*WORKER, *QUEUES], here.environment) as pid,
        Bench(here, pid) as bench,
    ):
        bench.begun("bench")  # waits for the worker
        bench.claim(), bench.empty(5), bench.nothing(5)
        claims, begins, empties, nothings = [], [], [], []
        for _ in range(rounds):
            begins.append(_median([bench.begun("bench", pause=PAUSE) for _ in range(runs)]))
            claims.append(_median([bench.claim() for _ in range(runs)]))
            nothings.append(bench.nothing(rings))
            empties.append(bench.empty(rings))
    return [
        Figure("ring → claim ÷ Celery's publish → begin", "ms", claims, begins, goal=1.5),
        Figure("worker CPU of an empty ring ÷ of a task that does nothing", "ms", empties, nothings, goal=1.5),
    ]


class Bench:
    """The publisher: this process, with the product's own doorbell."""

    def __init__(self, here: Services, pid: int) -> None:
        self.pid = pid
        self.redis = redis.Redis.from_url(here.environment["REDIS_URL"], socket_timeout=PATIENCE + 5)
        self.db = psycopg.connect(here.database, autocommit=True)

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *exc: object) -> None:
        self.redis.close()
        self.db.close()

    def begun(self, queue: str, *, pause: float = 0) -> float:
        """Milliseconds from publishing a task to its beginning; whatever waits before it in its queue is done then."""
        from benchmarks.floors.queue import AT, begin

        time.sleep(pause)
        start = time.time()
        begin.apply_async(queue=queue)
        answer = self.redis.blpop([AT], timeout=PATIENCE)
        assert answer, "the worker does not answer"
        return 1000 * (float(answer[1]) - start)

    def claim(self) -> float:
        """Milliseconds from ringing to the claim that the row itself records."""
        from benchmarks.product import Stored, batch
        from planner.doorbell import Queue, ring

        made = batch("doorbell", analysis=Stored.analysis)
        time.sleep(PAUSE)
        start = time.time()
        ring(Queue.BATCHES)
        deadline = time.monotonic() + PATIENCE
        while (found := self.db.execute(CLAIMED, (made.pk,)).fetchone()) is None:
            assert time.monotonic() < deadline, "the batch was not done"
            time.sleep(0.005)
        self.begun("batches")  # the ring that follows each claim must not wait before the next one
        return 1000 * (found[0] - start)

    def nothing(self, times: int) -> float:
        from benchmarks.floors.queue import nothing

        return self.cpu(times, lambda: nothing.apply_async(queue="batches"))

    def empty(self, times: int) -> float:
        from planner.doorbell import Queue, publish

        return self.cpu(times, lambda: publish(Queue.BATCHES, 0))

    def cpu(self, times: int, send: object) -> float:
        """Milliseconds of the worker's CPU for each of `times` messages."""
        before = cpu(self.pid)
        for _ in range(times):
            send()  # type: ignore[operator]
        self.begun("batches")
        return 1000 * (cpu(self.pid) - before) / times


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]

"""Doorbells: a Celery message says "look", nothing more. It may be lost, early or doubled; the rows are the truth.

`ring` never fails and never waits for the broker: a thread beside the caller publishes, and rings that pile up while
one is being published become one. Whatever is lost with the process, the next sweep rings again.
"""

import atexit
import contextlib
import logging
import os
import queue
import sys
import threading
import time
from enum import StrEnum
from typing import Any

from celery import current_app
from django.db import transaction

from planner.crashpoints import outside

log = logging.getLogger(__name__)


GATHER_SECONDS = 0.2  # a queue's ring right after its last one waits so long: under load, many become one


class Queue(StrEnum):
    BATCHES = "batches"
    TRANSCRIPTION = "transcription"
    OUTBOUND = "outbound"
    REMINDERS = "reminders"
    MAINTENANCE = "maintenance"


TASKS = {
    Queue.BATCHES: "agent.tasks.work",
    Queue.TRANSCRIPTION: "transcription.tasks.hear",
    Queue.OUTBOUND: "webhook.tasks.deliver",
    Queue.REMINDERS: "reminders.tasks.scan",
    Queue.MAINTENANCE: "webhook.tasks.sweep",
}


def is_worked_here(name: Queue) -> bool:
    """Whether this worker's command names the queue, or none and so all: then it loads before it forks."""
    queues = " ".join(sys.argv)
    return name in queues or "-Q" not in queues


def ring(name: Queue, *, after: float = 0) -> None:
    """Once the current transaction has committed (at once outside one): somebody look at this queue in `after` s."""
    transaction.on_commit(lambda: _rung(name, after))


def _rung(name: Queue, after: float) -> None:
    with outside("doorbell"):
        _publisher.put(name, after)


class _Publisher:
    """One thread per process, started with the first ring, started anew in a forked child."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pid = 0
        self.rings: queue.SimpleQueue[tuple[Queue, float]] = queue.SimpleQueue()
        self.gathered = Gathered()

    def put(self, name: Queue, after: float) -> None:
        if self.pid != os.getpid():
            self._start()
        margin = 0.05 if after else 0.0  # what rounding may take off: a look too early finds nothing
        self.rings.put((name, time.monotonic() + after + margin))

    def _start(self) -> None:
        with self.lock:
            if self.pid == os.getpid():
                return
            self.rings, self.gathered, self.pid = queue.SimpleQueue(), Gathered(), os.getpid()
            threading.Thread(target=self._run, args=(self.rings,), name="doorbell", daemon=True).start()
            atexit.register(self._drain)

    def _run(self, rings: "queue.SimpleQueue[tuple[Queue, float]]") -> None:
        while True:
            with contextlib.suppress(queue.Empty):
                self.gathered.add(*rings.get(timeout=self.gathered.wait(time.monotonic())))
            self._publish(time.monotonic())

    def _drain(self) -> None:
        """At exit: what was rung and not published, what is still being gathered included."""
        with contextlib.suppress(queue.Empty):
            while True:
                self.gathered.add(*self.rings.get_nowait())
        self._publish(float("inf"))

    def _publish(self, until: float) -> None:
        """What goes out by then, on the monotonic clock."""
        for name, due in self.gathered.ready(until):
            publish(name, max(0.0, due - time.monotonic()))


class Gathered:
    """What waits to be published. A queue's first ring goes out at once, those right after it together. For several
    threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.dues: dict[Queue, set[float]] = {}
        self.last: dict[Queue, float] = {}

    def add(self, name: Queue, due: float) -> None:
        """`due`: seconds on the monotonic clock; those that differ by less than a tenth are one."""
        with self.lock:
            self.dues.setdefault(name, set()).add(round(due, 1))

    def ready(self, now: float) -> list[tuple[Queue, float]]:
        """What is to be published now, and is no longer waited with."""
        with self.lock:
            names = [name for name in self.dues if self._goes_out(name) <= now]
            self.last.update(dict.fromkeys(names, now))
            return [(name, due) for name in names for due in sorted(self.dues.pop(name))]

    def wait(self, now: float) -> float | None:
        """Seconds until something is ready; None if nothing waits."""
        with self.lock:
            return max(0.0, min(map(self._goes_out, self.dues)) - now) if self.dues else None

    def _goes_out(self, name: Queue) -> float:
        return self.last.get(name, float("-inf")) + GATHER_SECONDS


def publish(name: Queue, after: float) -> None:
    options: dict[str, Any] = {"countdown": after} if after > 0.05 else {}
    try:
        current_app.send_task(TASKS[name], queue=name.value, retry=False, expires=after + 60, **options)
    except Exception as error:  # noqa: BLE001 - whatever the broker's client raises, the sweep rings again
        log.warning("doorbell not rung", extra={"queue": name.value, "error": type(error).__name__})


_publisher = _Publisher()

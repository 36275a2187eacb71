"""A thread beside the work renews the leases' heartbeats, so that a dead worker is known within a minute.

It renews none whose work makes no progress: a step that declared a deadline and is past it is taken for hung.
"""

import logging
import os
import threading
import time
from types import TracebackType
from typing import Self

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from planner.leases import Lease

log = logging.getLogger(__name__)
STEP_SECONDS = 60.0


class Heartbeat:
    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        now = time.monotonic()
        self.deadline = now + STEP_SECONDS
        self.due = now + settings.HEARTBEAT_SECONDS

    def step(self, seconds: float = STEP_SECONDS) -> None:
        """The work goes on: the next step takes at most `seconds`."""
        self.deadline = time.monotonic() + seconds

    def __enter__(self) -> Self:
        _pulse.add(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        _pulse.remove(self)

    def beat(self) -> bool:
        """False: there is nothing more to renew."""
        try:
            beats = time.monotonic() <= self.deadline and self.lease.beat()
        except DatabaseError as error:  # the database is away: the silence is what tells the others
            log.warning("heartbeat lost", extra={"row": self.lease.pk, "error": type(error).__name__})
            return False
        if not beats:
            log.warning("heartbeat stopped", extra={"row": self.lease.pk})
        self.due = time.monotonic() + settings.HEARTBEAT_SECONDS
        return beats


class _Pulse:
    """One thread of a process for all that it has in hand: one for each batch would cost more than the beat."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.alive: set[Heartbeat] = set()
        self.wakes = float("inf")
        self.running = False

    def add(self, heartbeat: Heartbeat) -> None:
        with self.changed:
            self.alive.add(heartbeat)
            if not self.running:
                self.running = True
                threading.Thread(target=self._run, name="heartbeat", daemon=True).start()
            elif heartbeat.due < self.wakes:
                self.changed.notify()

    def remove(self, heartbeat: Heartbeat) -> None:
        with self.changed:
            self.alive.discard(heartbeat)

    def _run(self) -> None:
        while True:
            for heartbeat in self._due():
                if not heartbeat.beat():
                    self.remove(heartbeat)
            connection.close()

    def _due(self) -> list[Heartbeat]:
        """Waits until at least one is due. What is added meanwhile is due later than the next look, or wakes it."""
        with self.changed:
            while True:
                now = time.monotonic()
                if due := [heartbeat for heartbeat in self.alive if heartbeat.due <= now]:
                    return due
                self.wakes = min((h.due for h in self.alive), default=now + settings.HEARTBEAT_SECONDS)
                self.changed.wait(self.wakes - now)


def _after_fork() -> None:
    """A child has none of its parent's threads, and maybe a lock that one of them held."""
    global _pulse
    _pulse = _Pulse()


_pulse = _Pulse()
os.register_at_fork(after_in_child=_after_fork)

"""A thread beside the work renews the lease's heartbeat, so that a dead worker is known within a minute.

It stops when the work makes no progress: a step that declared a deadline and is past it is taken for hung.
"""

import logging
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
        self.stopped = threading.Event()
        self.deadline = time.monotonic() + STEP_SECONDS
        self.thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def step(self, seconds: float = STEP_SECONDS) -> None:
        """The work goes on: the next step takes at most `seconds`."""
        self.deadline = time.monotonic() + seconds

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.stopped.set()
        self.thread.join(timeout=5)

    def _run(self) -> None:
        try:
            while not self.stopped.wait(settings.HEARTBEAT_SECONDS):
                if time.monotonic() > self.deadline or not self.lease.beat():
                    log.warning("heartbeat stopped", extra={"row": self.lease.pk})
                    return
        except DatabaseError as error:  # the database is away: the silence is what tells the others
            log.warning("heartbeat lost", extra={"row": self.lease.pk, "error": type(error).__name__})
        finally:
            if self.thread is threading.current_thread():
                connection.close()

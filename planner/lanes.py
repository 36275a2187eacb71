"""Lanes: how many of one worker's places each class of work may hold, so that none keeps another from its turn.

urgent   sends, reminders, the sweep: every place
NORMAL   batches, voice: all but one, where the same worker has urgent work too
LOW      retention, erasure: one, for LOW_SECONDS at a time, then it goes behind whatever waits

Workers with queues of their own need none of this. A place is a locked file: it is free as soon as its holder is gone.
"""

import fcntl
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import celeryd_after_setup

from planner.doorbell import Queue

LOW_SECONDS = 1.0
BUSY_SECONDS = 1.0  # who found no place looks again then
URGENT = frozenset({Queue.OUTBOUND, Queue.REMINDERS, Queue.MAINTENANCE})
LONG = frozenset({Queue.BATCHES, Queue.TRANSCRIPTION})


class Lane:
    """Before a worker has set it up, and in no worker at all, it has room for everybody."""

    def __init__(self) -> None:
        self._places: list[str] | None = None

    def open(self, folder: str | None, places: int) -> None:
        """Before the fork; `folder` None: no limit."""
        self._places = [os.path.join(folder, str(n)) for n in range(places)] if folder else None

    def take(self, work: Callable[[], Any]) -> bool:
        """Does the work if there is a place for it, and says whether there was."""
        with self._place() as there_is_one:
            if there_is_one:
                work()
        return there_is_one

    @contextmanager
    def _place(self) -> Iterator[bool]:
        if self._places is None:
            yield True
            return
        held = next((place for path in self._places if (place := _locked(path)) is not None), None)
        try:
            yield held is not None
        finally:
            if held is not None:
                os.close(held)


def _locked(path: str) -> int | None:
    place = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(place)
        return None
    return place


NORMAL, LOW = Lane(), Lane()
_folders: list[tempfile.TemporaryDirectory[str]] = []


@celeryd_after_setup.connect
def set_up(instance: Any, **kwargs: object) -> None:
    """Before the fork: its children share the places."""
    queues = {Queue(name) for name in instance.app.amqp.queues.consume_from if name in list(Queue)}
    _folders[:] = [tempfile.TemporaryDirectory(prefix="planner-lanes-") for _ in range(2)]
    mixed = bool(queues & URGENT and queues & LONG)
    NORMAL.open(_folders[0].name if mixed else None, max(1, instance.concurrency - 1))
    LOW.open(_folders[1].name, 1)

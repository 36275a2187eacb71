"""Holding a delivery until its answer is ready. Under ASGI it has neither thread nor connection while it waits.

A delivery that is not the last and has waited in vain is not answered at all: WeChat cuts it off and delivers again,
which joins the hold. Only where the account can push, or at the last delivery, waiting in vain ends with what there is.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from planner import counters
from webhook.passive import Undecided, decide, ready_among

log = logging.getLogger(__name__)
LOOK_SECONDS = 0.2
SLOTS = 4  # so many threads of a WSGI process may wait; beyond them nobody is held
_slots = threading.BoundedSemaphore(SLOTS)


def silence() -> float:
    """From a delivery's beginning until WeChat has surely cut it off."""
    return settings.WECHAT_ANSWER_SECONDS + 0.5


def look(ids: list[int]) -> set[int]:
    try:
        return ready_among(ids)
    except DatabaseError as error:
        log.warning("cannot look", extra={"error": type(error).__name__})
        connection.close()
        return set()


def hold_in_thread(held: Undecided) -> str | None:
    """The answer; None: say nothing at all. With no slot free it is decided at once."""
    if not held.seconds or not _slots.acquire(blocking=False):
        return decided(held)
    began, pause = time.monotonic(), threading.Event()
    try:
        while not (ready := held.id in look([held.id])) and time.monotonic() - began < held.seconds:
            pause.wait(LOOK_SECONDS)
        if ready or held.is_last:
            return _counted(held, ready)
        pause.wait(max(0.0, silence() - (time.monotonic() - began)))
        return _counted(held, ready)
    finally:
        _slots.release()


def _counted(held: Undecided, ready: bool) -> str | None:
    counters.count("holds", outcome="ready" if ready else "late" if held.is_last else "redelivered")
    return decided(held) if ready or held.is_last else None


def decided(held: Undecided) -> str | None:
    """Once more on a fresh connection: where only the commit's answer was lost, what it decided is found there. None
    when that fails as well: what was handed over must be shown, so WeChat is to deliver the message again."""
    for _ in range(2):
        try:
            return decide(held)
        except DatabaseError as error:
            log.error("passive answer not decided", extra={"error": type(error).__name__})
            connection.close()
    return None


InThread = Callable[..., Awaitable[Any]]


class Holds:
    """Everybody whom this process holds: one task looks for all of them, and ends when nobody waits."""

    def __init__(self, in_thread: InThread) -> None:
        self.in_thread = in_thread
        self.waiting: dict[asyncio.Future[bool], int] = {}
        self.watch: asyncio.Task[None] | None = None

    async def hold(self, held: Undecided, gone: asyncio.Future[Any]) -> str | None:
        """As `hold_in_thread`; ends, with None, when the peer is `gone`."""
        began = time.monotonic()
        ready = bool(held.seconds) and await self._wait(held, gone)
        if held.seconds and not (ready or held.is_last):
            await asyncio.wait({gone}, timeout=max(0.0, silence() - (time.monotonic() - began)))
        if gone.done() and held.seconds:
            return None  # the next delivery shall have it
        answer: str | None = await self.in_thread(*((_counted, held, ready) if held.seconds else (decided, held)))
        return answer

    async def _wait(self, held: Undecided, gone: asyncio.Future[Any]) -> bool:
        mine: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self.waiting[mine] = held.id
        if self.watch is None or self.watch.done():
            self.watch = asyncio.create_task(self._look_for_all())
        try:
            await asyncio.wait({mine, gone}, timeout=held.seconds, return_when=asyncio.FIRST_COMPLETED)
            return mine.done()
        finally:
            del self.waiting[mine]
            mine.cancel()

    async def _look_for_all(self) -> None:
        while self.waiting:
            ready = await self.in_thread(look, sorted(set(self.waiting.values())))
            for future, message_id in self.waiting.items():
                if message_id in ready and not future.done():
                    future.set_result(True)
            await asyncio.sleep(LOOK_SECONDS)

"""Doorbell and clock of the queue `reminders`."""

import time
from collections.abc import Callable
from functools import cache

from celery import shared_task
from celery.signals import worker_init

from planner.doorbell import Queue, is_worked_here, ring
from reminders.look import look

SCAN_SECONDS = 20.0  # then the rest is another task's: a morning's rush keeps no send from its place


@cache
def verbs() -> tuple[Callable[[], int], Callable[[], bool]]:
    """(scan_next, digest_next). The plan with its schemas is 10 MB: loaded where there is work for it."""
    from reminders.digest import digest_next  # noqa: PLC0415 - see above
    from reminders.scan import scan_next  # noqa: PLC0415 - as above

    return scan_next, digest_next


@worker_init.connect
def warm(**kwargs: object) -> None:
    """Before the fork, where reminders are worked."""
    if is_worked_here(Queue.REMINDERS):
        verbs()


@shared_task(name="reminders.tasks.scan", time_limit=300)
def scan() -> None:
    reminder, digest = look()
    if not (reminder or digest):
        return
    scan_next, digest_next = verbs()
    until = time.monotonic() + SCAN_SECONDS
    while (reminder and scan_next()) or (digest and digest_next()):
        if time.monotonic() > until:
            ring(Queue.REMINDERS)
            break

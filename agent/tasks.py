"""Doorbells of the queue `batches`, and the clock's look for expired questions and long waits."""

from collections.abc import Callable
from functools import cache

from celery import shared_task
from celery.signals import worker_init
from django.conf import settings

from agent.waiting import tell_next
from planner import sql
from planner.doorbell import Queue, is_worked_here, ring
from planner.lanes import BUSY_SECONDS, NORMAL
from webhook.sweep import look, submit_quiet

_EXPIRED = "SELECT 1 FROM webhook_batch WHERE status = 'WAITING' AND question_expires_at <= app_now() LIMIT 1"


@cache
def verbs() -> tuple[Callable[[], bool], Callable[[], bool]]:
    """(run_next, expire_next). Operations with their schemas are 10 MB: loaded where there is work for them."""
    from agent.questions import expire_next  # noqa: PLC0415 - see above
    from agent.worker import run_next  # noqa: PLC0415 - as above

    return run_next, expire_next


@worker_init.connect
def warm(**kwargs: object) -> None:
    """Loaded before the fork, so that children share it and no first message waits; only where batches are worked."""
    if is_worked_here(Queue.BATCHES):
        from agent import client  # noqa: PLC0415 - as above
        from planner import when  # noqa: PLC0415 - as above

        verbs()
        when.warm()
        client.engine()[0].compiled()
        client.model()


@shared_task(
    name="agent.tasks.work",
    soft_time_limit=int(min(settings.AGENT_TIMEOUT_SECONDS + 5, settings.BATCH_LEASE_SECONDS)),
    time_limit=int(settings.BATCH_LEASE_SECONDS) + 30,
)
def work() -> None:
    quiet, submitted = look()
    if quiet:
        submit_quiet()
    if quiet or submitted:
        run_next, _ = verbs()
        if not NORMAL.take(run_next):
            ring(Queue.BATCHES, after=BUSY_SECONDS)


@shared_task(name="agent.tasks.expire", time_limit=60)
def expire() -> None:
    while sql.row(_EXPIRED):
        _, expire_next = verbs()
        if not expire_next():
            break
    while tell_next():
        continue

"""Doorbells of the queue `batches`, and the clock's look for expired questions."""

import sys

from celery import shared_task
from celery.signals import worker_init
from django.conf import settings

from agent import client
from agent.questions import expire_next
from agent.worker import run_next
from webhook.sweep import look, submit_quiet


@worker_init.connect
def warm(**kwargs: object) -> None:
    """Loaded before the fork, so that children share it and no first message waits; only where batches are worked."""
    queues = " ".join(sys.argv)
    if "batches" in queues or "-Q" not in queues:
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
        run_next()


@shared_task(name="agent.tasks.expire", time_limit=60)
def expire() -> None:
    while expire_next():
        continue

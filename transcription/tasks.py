"""Doorbells of the queue `transcription`."""

import threading
from functools import cache

from celery import shared_task
from celery.signals import worker_init
from django.conf import settings

from planner.doorbell import Queue, is_worked_here, ring
from planner.lanes import BUSY_SECONDS, NORMAL
from transcription.worker import hear_next, recogniser
from webhook.media import Media
from webhook.wechat import WeChat

AT_ONCE = 2  # per process: where batches share the lane's places, a slow recogniser must not take them all
_slots = threading.BoundedSemaphore(AT_ONCE)


@worker_init.connect
def warm(**kwargs: object) -> None:
    """Loaded before the fork; only where clips are heard, and only with keys."""
    if settings.TENCENT_SECRET_ID and is_worked_here(Queue.TRANSCRIPTION):
        recogniser()


@cache
def media() -> Media:
    return Media(WeChat())


@shared_task(
    name="transcription.tasks.hear",
    time_limit=int(settings.BATCH_LEASE_SECONDS) + 30,
)
def hear() -> None:
    if not _slots.acquire(blocking=False):
        ring(Queue.TRANSCRIPTION, after=1)
        return
    try:
        if not NORMAL.take(lambda: hear_next(media(), recogniser())):
            ring(Queue.TRANSCRIPTION, after=BUSY_SECONDS)
    finally:
        _slots.release()

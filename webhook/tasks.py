"""Doorbells of the queues `outbound` and `maintenance`, and the clock's looks for what is to be erased."""

from functools import cache

from celery import Task, shared_task
from django.conf import settings

from planner import sql
from planner.doorbell import Queue
from planner.lanes import BUSY_SECONDS, LOW, LOW_SECONDS
from webhook.delivery import deliver_next
from webhook.forgetting import erase_next
from webhook.retention import retain as retain_now
from webhook.sweep import sweep as sweep_now
from webhook.wechat import WeChat

_TO_ERASE = "SELECT 1 FROM webhook_erasure WHERE status = 'PENDING' AND available_at <= app_now() LIMIT 1"


@cache
def wechat() -> WeChat:
    return WeChat()


@shared_task(name="webhook.tasks.deliver", time_limit=int(settings.OUTBOUND_LEASE_SECONDS))
def deliver() -> None:
    deliver_next(wechat())


@shared_task(name="webhook.tasks.sweep", time_limit=60)
def sweep() -> None:
    sweep_now()


@shared_task(name="webhook.tasks.retain", time_limit=600, bind=True)
def retain(self: Task) -> None:
    rows = 0

    def piece() -> None:
        nonlocal rows
        rows = retain_now(seconds=LOW_SECONDS)

    if not LOW.take(piece) or rows:
        _go_on(self)


@shared_task(name="webhook.tasks.erase", time_limit=600, bind=True)
def erase(self: Task) -> None:
    """Without a place: whoever has it goes on, or the clock's next."""
    if sql.row(_TO_ERASE) and LOW.take(lambda: erase_next(seconds=LOW_SECONDS)) and sql.row(_TO_ERASE):
        _go_on(self)


def _go_on(task: Task) -> None:
    """Behind whatever waits. If it is lost, the clock's next one goes on."""
    task.apply_async(queue=Queue.MAINTENANCE.value, countdown=BUSY_SECONDS, expires=60, retry=False)

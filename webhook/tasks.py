"""Doorbells of the queues `outbound` and `maintenance`, and the clock's looks for what is to be erased."""

from functools import cache

from celery import shared_task
from django.conf import settings

from planner import sql
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


@shared_task(name="webhook.tasks.retain", time_limit=600)
def retain() -> None:
    retain_now()


@shared_task(name="webhook.tasks.erase", time_limit=600)
def erase() -> None:
    while sql.row(_TO_ERASE) and erase_next():
        continue

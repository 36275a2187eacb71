"""Doorbells of the queues `outbound` and `maintenance`."""

from functools import cache

from celery import shared_task
from django.conf import settings

from webhook.delivery import deliver_next
from webhook.sweep import sweep as sweep_now
from webhook.wechat import WeChat


@cache
def wechat() -> WeChat:
    return WeChat()


@shared_task(name="webhook.tasks.deliver", time_limit=int(settings.OUTBOUND_LEASE_SECONDS))
def deliver() -> None:
    deliver_next(wechat())


@shared_task(name="webhook.tasks.sweep", time_limit=60)
def sweep() -> None:
    sweep_now()

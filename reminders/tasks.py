"""Doorbell and clock of the queue `reminders`."""

from celery import shared_task

from reminders.digest import digest_next
from reminders.scan import look, scan_next


@shared_task(name="reminders.tasks.scan", time_limit=300)
def scan() -> None:
    reminder, digest = look()
    while reminder and scan_next():
        continue
    while digest and digest_next():
        continue

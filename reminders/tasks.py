"""Doorbell and clock of the queue `reminders`."""

from celery import shared_task

from reminders.scan import scan_next


@shared_task(name="reminders.tasks.scan", time_limit=300)
def scan() -> None:
    while scan_next():
        continue

"""The Celery application: which tasks, and what the clock rings. Composition root."""

import os
import sys

from planner import loading

if "celery" in sys.argv[0] and {"worker", "beat"} & set(sys.argv):  # `loaded` ends it, just before the first child
    loading.begin()

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.settings")
# Django's checks load every view, which no worker and no clock needs; `manage.py` and `doctor` run them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

from celery import Celery, Task
from celery.signals import beat_init, celeryd_after_setup, setup_logging, task_postrun, task_prerun
from django.conf import settings
from django.db import close_old_connections

from planner.doorbell import TASKS, Queue


@setup_logging.connect
def leave_logs_alone(**kwargs: object) -> None:
    """Django has set them up; without a receiver Celery's own -l, WARNING if not given, would overrule LOG_LEVEL."""


@celeryd_after_setup.connect
@beat_init.connect
def loaded(**kwargs: object) -> None:
    loading.end()


app = Celery("planner")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["agent", "webhook", "reminders", "transcription"])
# Celery would close the database before and after every task, and opening it costs more than most of them.
app.conf.CELERY_DB_REUSE_MAX = sys.maxsize


@task_prerun.connect
@task_postrun.connect
def keep_usable(sender: Task, **kwargs: object) -> None:
    """As Django does around a request: a connection that has failed is looked at, and goes if it is dead."""
    if not sender.request.is_eager:
        close_old_connections()


# A tick that finds the last one still waiting is worthless: it expires. Two clocks only look twice as often.
app.conf.beat_schedule = {
    "sweep": {
        "task": TASKS[Queue.MAINTENANCE],
        "schedule": settings.SWEEP_SECONDS,
        "options": {"queue": Queue.MAINTENANCE.value, "expires": max(30.0, settings.SWEEP_SECONDS)},
    },
    "expire questions": {
        "task": "agent.tasks.expire",
        "schedule": settings.SWEEP_SECONDS,
        "options": {"queue": Queue.MAINTENANCE.value, "expires": max(30.0, settings.SWEEP_SECONDS)},
    },
    "erase": {
        "task": "webhook.tasks.erase",
        "schedule": settings.SWEEP_SECONDS,
        "options": {"queue": Queue.MAINTENANCE.value, "expires": max(30.0, settings.SWEEP_SECONDS)},
    },
    "retain": {
        "task": "webhook.tasks.retain",
        "schedule": 3600,
        "options": {"queue": Queue.MAINTENANCE.value, "expires": 1800},
    },
    "scan reminders": {
        "task": TASKS[Queue.REMINDERS],
        "schedule": settings.REMINDER_SCAN_SECONDS,
        "options": {"queue": Queue.REMINDERS.value, "expires": max(30.0, settings.REMINDER_SCAN_SECONDS)},
    },
}

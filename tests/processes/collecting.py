"""The product's Celery application with one task more, which says how its process collects cycles."""

import gc

import redis
from django.conf import settings

from planner.celery import app

AT = "tests:collecting"


@app.task(name="tests.collecting")
def collecting() -> None:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.rpush(AT, f"{gc.isenabled()} {gc.get_freeze_count() > 0}")

"""The product's Celery application with two tasks more: one that does nothing, one that says when it began."""

import time

import redis
from django.conf import settings

from planner.celery import app

AT = "bench:began"


@app.task(name="bench.nothing")
def nothing() -> None:
    return


@app.task(name="bench.begin")
def begin() -> None:
    at = time.time()
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.rpush(AT, at)

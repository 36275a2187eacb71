"""Counters shared by all processes: added up here, flushed to Redis once a second, read by /metrics.

A count is never worth waiting for: nothing on a request's path talks to Redis. Without Redis there is one process, and
its own memory is the store. A flushed Redis starts them at zero, which Prometheus understands.
"""

import atexit
import logging
import os
import threading
from collections import Counter

import redis
from django.conf import settings

log = logging.getLogger(__name__)
KEY = "planner:counters"
FLUSH_SECONDS = 1.0


class _Counters:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.pending: Counter[str] = Counter()
        self.pid = 0
        self.client: redis.Redis | None = None

    def add(self, name: str, amount: float) -> None:
        with self.lock:
            self.pending[name] += amount  # type: ignore[assignment]
        if settings.REDIS_URL and self.pid != os.getpid():
            self._start()

    def _start(self) -> None:
        with self.lock:
            if self.pid == os.getpid():
                return
            self.pid = os.getpid()
            self.client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
            threading.Thread(target=self._run, name="counters", daemon=True).start()
            atexit.register(self.flush)

    def _run(self) -> None:
        pause = threading.Event()
        while not pause.wait(FLUSH_SECONDS):
            self.flush()

    def flush(self) -> None:
        with self.lock:
            taken, self.pending = self.pending, Counter()
        if not taken or self.client is None:
            with self.lock:
                self.pending.update(taken)
            return
        try:
            pipeline = self.client.pipeline(transaction=False)
            for name, amount in taken.items():
                pipeline.hincrbyfloat(KEY, name, amount)
            pipeline.execute()
        except redis.RedisError as error:
            log.warning("counters not flushed", extra={"error": type(error).__name__})
            with self.lock:
                self.pending.update(taken)

    def read(self) -> dict[str, float]:
        if not settings.REDIS_URL:
            with self.lock:
                return dict(self.pending)
        self._start()
        self.flush()
        assert self.client is not None
        stored = self.client.hgetall(KEY)
        return {name.decode(): float(value) for name, value in stored.items()}  # type: ignore[union-attr]


_counters = _Counters()


def count(name: str, amount: float = 1, **labels: str) -> None:
    """`count("operations", outcome="replayed")` → planner_operations_total{outcome="replayed"}."""
    tags = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    _counters.add(f"{name}{{{tags}}}", amount)


def read() -> dict[str, float]:
    """All counters as `name{label="value"}` → total. Raises redis.RedisError."""
    return _counters.read()

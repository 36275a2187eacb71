"""Where the states live: in Redis for all processes, in this process without Redis or while it is away.

A state is replaced only if it is still the one that was read, so the machine's decisions are atomic wherever they are
made. Redis' own clock is everybody's. Losing it all loses history, never work: the next calls find out anew.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from planner import clock
from planner.upstreams.machine import State

log = logging.getLogger(__name__)
T = TypeVar("T")
Change = Callable[[State, float], tuple[State, T]]
TRIES = 50
KEPT_SECONDS = 24 * 3600
AWAY_SECONDS = 5.0  # a Redis that did not answer is not asked again for so long
ANSWER_SECONDS = 0.5

_SWAP = """
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1"""
# One moment per upstream: when its bucket is full again. A bucket nobody remembers starts empty, not full.
_TAKE = """
local t, step, burst = redis.call('TIME'), tonumber(ARGV[1]), tonumber(ARGV[2])
local now = t[1] + t[2] / 1e6 + ARGV[3]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now + burst), now)
if full - now > burst + 1e-6 then return tostring(full - now - burst) end
redis.call('SET', KEYS[1], string.format('%.6f', full + step), 'EX', ARGV[4])
return '0'"""


class Store(Protocol):
    def read(self, names: Sequence[str]) -> tuple[list[State], float]:
        """The states and the store's now."""

    def update(self, name: str, change: Change[T]) -> T:
        """`change(state, now)` gives the next state and a result; it may be called more than once."""

    def take(self, name: str, step: float, burst: float) -> float:
        """One call out of the bucket: 0, or the seconds to wait. In seconds: `step` one call, `burst` the credit."""


class Local:
    """One process. Time is the machine's, moved with the tests' clock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.states: dict[str, State] = {}
        self.full: dict[str, float] = {}

    def read(self, names: Sequence[str]) -> tuple[list[State], float]:
        return [self.states.get(name, State()) for name in names], _now()

    def update(self, name: str, change: Change[T]) -> T:
        with self.lock:
            self.states[name], result = change(self.states.get(name, State()), _now())
        return result

    def take(self, name: str, step: float, burst: float) -> float:
        with self.lock:
            now = _now()
            full = max(self.full.get(name, now + burst), now)
            if full - now > burst + 1e-6:
                return full - now - burst
            self.full[name] = full + step
        return 0.0

    def clear(self) -> None:
        with self.lock:
            self.states, self.full = {}, {}


class Shared:
    """All processes. Raises redis.RedisError."""

    def __init__(self, url: str) -> None:
        once = Retry(NoBackoff(), 1)  # a kept connection may be dead; a server that is away must not be waited for
        timeout = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
        self.client = redis.Redis.from_url(url, retry=once, **timeout)
        self.swap, self.taking = self.client.register_script(_SWAP), self.client.register_script(_TAKE)

    def read(self, names: Sequence[str]) -> tuple[list[State], float]:
        texts, now = self._read(names)
        return [_loaded(text) for text in texts], now

    def _read(self, names: Sequence[str]) -> tuple[list[bytes | None], float]:
        pipeline = self.client.pipeline(transaction=False)
        pipeline.mget([_key(name) for name in names])
        pipeline.time()
        texts, (seconds, micros) = pipeline.execute()
        return texts, seconds + micros / 1e6 + clock.OFFSET.total_seconds()

    def update(self, name: str, change: Change[T]) -> T:
        for _ in range(TRIES):
            (text,), now = self._read([name])
            before = _loaded(text)
            after, result = change(before, now)
            if after == before or self.swap(keys=[_key(name)], args=[text or b"", after.dumps(), KEPT_SECONDS]):
                return result
        raise redis.RedisError(f"{name}: always changed by somebody else")

    def take(self, name: str, step: float, burst: float) -> float:
        shift = clock.OFFSET.total_seconds()
        return float(self.taking(keys=[_key(name) + ":bucket"], args=[step, burst, shift, KEPT_SECONDS]))

    def clear(self) -> None:
        for key in self.client.scan_iter(_key("*")):
            self.client.delete(key)


class Fallback:
    """The shared store; while it is away, this process's own. No work waits for Redis."""

    def __init__(self, url: str) -> None:
        self.shared, self.local = Shared(url), Local()
        self.away_until = 0.0

    def read(self, names: Sequence[str]) -> tuple[list[State], float]:
        return self._try(lambda store: store.read(names))

    def update(self, name: str, change: Change[T]) -> T:
        return self._try(lambda store: store.update(name, change))

    def take(self, name: str, step: float, burst: float) -> float:
        return self._try(lambda store: store.take(name, step, burst))

    def _try(self, call: Callable[[Store], T]) -> T:
        if time.monotonic() >= self.away_until:
            try:
                return call(self.shared)
            except redis.RedisError as error:
                self.away_until = time.monotonic() + AWAY_SECONDS
                log.warning("upstream states are this process's own", extra={"error": type(error).__name__})
        return call(self.local)

    @property
    def is_shared(self) -> bool:
        return time.monotonic() >= self.away_until

    def clear(self) -> None:
        self.local.clear()
        self.shared.clear()


def _key(name: str) -> str:
    return f"planner:upstream:{name}"


def _loaded(text: bytes | None) -> State:
    """What another version wrote is history that we can do without."""
    try:
        return State.loads(text.decode()) if text else State()
    except (ValueError, TypeError, KeyError):
        return State()


def _now() -> float:
    return time.time() + clock.OFFSET.total_seconds()


_stores: dict[tuple[int, str], Local | Fallback] = {}


def store() -> Local | Fallback:
    """This process's, made with its first use: a connection does not survive a fork."""
    key = (os.getpid(), settings.REDIS_URL)
    if key not in _stores:
        _stores[key] = Fallback(settings.REDIS_URL) if settings.REDIS_URL else Local()
    return _stores[key]

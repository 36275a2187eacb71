"""How fast one openid may write or one key may ask: buckets in this process's memory, asked before the database is.

Each web process has its own, so with two of them the bound is between once and twice the setting. That is enough: it
keeps one's flood from the others; the daily cap in the follower's row is exact.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache

KNOWN = 10_000  # buckets kept; whoever is forgotten starts with a full one


class Buckets:
    """`burst` at once, refilled with `burst` a minute."""

    def __init__(self, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.burst, self.clock = burst, clock
        self.lock = threading.Lock()
        self.levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admits(self, who: str) -> bool:
        now = self.clock()
        with self.lock:
            level, seen = self.levels.pop(who, (float(self.burst), now))
            level = min(float(self.burst), level + (now - seen) * self.burst / 60)
            admitted = level >= 1
            self.levels[who] = (level - 1 if admitted else level, now)
            if len(self.levels) > KNOWN:
                self.levels.popitem(last=False)
        return admitted


@cache
def buckets(purpose: str, burst: int) -> Buckets:
    """This process's, one set for each purpose."""
    return Buckets(burst)

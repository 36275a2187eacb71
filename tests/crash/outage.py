"""The model is away for ten minutes, and five hundred batches wait: nobody is asked, nobody is forgotten."""

import time
from dataclasses import dataclass, field

from tests.crash.live import Live

_OPEN = "SELECT count(*) FROM webhook_batch WHERE status IN ('COLLECTING', 'SUBMITTED', 'RUNNING')"
_STATES = "SELECT status, count(*) FROM webhook_batch GROUP BY 1"
_REVIEWS = "SELECT kind, count(*) FROM planner_review GROUP BY 1"
_TOLD = """
    SELECT coalesce(max(n), 0), count(*) FROM (SELECT count(*) AS n FROM webhook_outboundmessage
    WHERE purpose = 'held' GROUP BY follower_id) t"""
_UNSENT = """
    SELECT count(*) FROM webhook_outboundmessage WHERE status IN ('SENDING', 'FAILED', 'UNKNOWN')
    OR (status = 'PENDING' AND NOT waiting)"""


@dataclass
class Outage:
    batches: int
    minutes: float
    after: float = 0.0  # seconds from its end until the last batch was done
    states: dict[str, int] = field(default_factory=dict)
    reviews: dict[str, int] = field(default_factory=dict)
    told: tuple[int, int] = (0, 0)  # notices to one follower at most, followers
    calls: dict[str, int] = field(default_factory=dict)
    unsent: int = 0


def outage(live: Live, *, batches: int, minutes: float) -> Outage:
    found = Outage(batches, minutes)
    live.stage.clear()
    live.model("away", away=True)
    began = time.monotonic()
    for _ in range(batches):
        assert live.deliver(live.follower())
    live.rest(max(0.0, minutes * 60 - (time.monotonic() - began) * live.speed))
    found.told = live.stage.rows(_TOLD)[0]
    live.model("away", away=False)
    ended = time.monotonic()
    live.until(lambda: not live.stage.rows(_OPEN)[0][0], 900)
    found.after = (time.monotonic() - ended) * live.speed
    live.until(lambda: not live.stage.rows(_UNSENT)[0][0], 120)
    found.states, found.reviews = dict(live.stage.rows(_STATES)), dict(live.stage.rows(_REVIEWS))
    found.calls, found.unsent = live.model("truth"), live.stage.rows(_UNSENT)[0][0]
    return found

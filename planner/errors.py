"""What can go wrong outside, on two axes: may it be tried again, and may it have taken effect?

Each outside system has one table from its answers to this pair: `webhook/wechat.py`, `agent/llm.py`. An unknown effect
is never repeated unless the other side removes doubles.
"""

from enum import StrEnum
from typing import Any


class Retry(StrEnum):
    NEVER = "never"  # the same request will never work
    NOW = "now"  # once, after a token refresh
    LATER = "later"  # with back-off; Retry-After is a floor
    QUOTA = "quota"  # when the day's or month's quota turns
    USER = "user"  # once the follower writes again
    OPERATOR = "operator"  # only after a person has changed something


class Effect(StrEnum):
    NONE = "none"
    UNKNOWN = "unknown"
    DONE = "done"


class Failure(Exception):
    """One answer of an outside system, classified. `reason` is for operators: no secret, no message text.

    `upstream` names who answered: one of planner.upstreams, or agent, tools. `down` tells an outage of the upstream
    (refused, 429, 503) from a failure of this request: an outage spends no claim. `sick`: its breaker counts it.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry: Retry,
        effect: Effect,
        code: str = "",
        retry_after: float | None = None,
        down: bool = False,
        sick: bool | None = None,
        upstream: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry
        self.effect = effect
        self.code = code
        self.retry_after = retry_after
        self.down = down
        self.sick = down if sick is None else sick
        self.shut = False  # the upstream's breaker is open now: what needs it waits until it closes
        self.upstream = upstream
        self.usage: dict[str, Any] | None = None  # what the failed run has cost

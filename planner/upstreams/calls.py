"""Going out to an upstream: the bucket and the breaker let a call through, and learn from how it ends."""

import logging
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from django.conf import settings
from django.db import Error as DatabaseError

from planner import counters
from planner.alarms import close_alarms
from planner.errors import Effect, Failure, Retry
from planner.upstreams import machine
from planner.upstreams.machine import Limits, Phase, Shut, State, Ticket
from planner.upstreams.names import LABELS, WAITING, Upstream
from planner.upstreams.stores import store

log = logging.getLogger(__name__)
SHUT, DRY = "shut", "dry"  # codes of a call that was not let through
MARGIN = 5.0  # a probe that is over its time by so much is not coming back
QUOTA_SECONDS = 3600.0  # a day's quota used up: one call an hour finds out whether the day has turned
PACE_SECONDS, PACES = 0.25, 3
HELD_SECONDS = 5.0  # what waits for a person looks again soon after he has said that it is mended


def shut(*names: Upstream) -> frozenset[Upstream]:
    """Those of `names` that nobody may call now: what needs them is not claimed."""
    return frozenset(name for name, _ in _shut(names))


def down(*names: Upstream) -> frozenset[Upstream]:
    """As `shut`, but for those that a person has to mend."""
    return frozenset(name for name, state in _shut(names) if state.phase is not Phase.STOPPED)


def _shut(names: Sequence[Upstream]) -> list[tuple[Upstream, State]]:
    states, now = store().read(names)
    return [(name, state) for name, state in zip(names, states, strict=True) if state.waits(now) > 0]


def states() -> dict[Upstream, State]:
    """All of them, for people and figures."""
    return dict(zip(Upstream, store().read(list(Upstream))[0], strict=True))


def resume(name: Upstream) -> bool:
    """An operator's word: the next call goes at once. False when only this process could be told (Redis is away)."""
    known = store()
    known.update(name, lambda state, now: (machine.resumed(state), None))
    return getattr(known, "is_shared", True)


@contextmanager
def calling(name: Upstream, *, seconds: float, low: bool = False) -> Iterator[None]:
    """Around one request that takes at most `seconds`. `low`: work that nobody waits for leaves half the bucket.

    Raises Failure (down, effect none) instead of calling while the breaker is open or the bucket dry. A Failure raised
    inside is counted, and becomes `down`, an outage that spends no claim, if it was the probe's or opened the breaker.
    """
    ticket = _enter(name, seconds, low=low)
    try:
        yield
    except Failure as failure:
        _learn(name, ticket, failure)
        raise
    except BaseException:
        _change(name, lambda state, now: machine.abandoned(state, ticket))
        raise
    _change(name, lambda state, now: machine.answered(state, ticket))


def _enter(name: Upstream, seconds: float, *, low: bool) -> Ticket:
    entered = store().update(name, lambda state, now: machine.enter(state, now, seconds + MARGIN))
    if isinstance(entered, Shut):
        wait = min(entered.seconds, HELD_SECONDS) if entered.by_person else entered.seconds
        raise _refused(name, SHUT, f"{WAITING}：{LABELS[name]}", wait)
    if wait := _paced(name, low=low):
        _change(name, lambda state, now: machine.abandoned(state, entered))
        raise _refused(name, DRY, f"{LABELS[name]}：请求太密，稍后再发", wait)
    return entered


def _paced(name: Upstream, *, low: bool) -> float:
    """0 once the bucket has given a call; a moment's wait is spent here, a longer one is the row's."""
    rate = settings.UPSTREAM_RATES[name]
    burst = max(rate, 1.0) - 1
    for _ in range(PACES):
        wait = store().take(name, 1 / rate, (burst / 2 if low else burst) / rate)
        if not 0 < wait <= PACE_SECONDS:
            return wait
        threading.Event().wait(wait)
    return wait


def _refused(name: Upstream, code: str, reason: str, wait: float) -> Failure:
    spread = wait + random.uniform(0.0, max(0.5, 0.2 * wait))  # noqa: S311 - they must not come back in step
    failure = Failure(
        reason, retry=Retry.LATER, effect=Effect.NONE, code=code, retry_after=spread, down=True, upstream=name
    )
    failure.shut = code == SHUT
    return failure


def _learn(name: Upstream, ticket: Ticket, failure: Failure) -> None:
    """What the failure says of the upstream. A request of ours that it refused is an answer like any other."""
    failure.upstream = failure.upstream or name
    reason, rest = failure.reason[:200], failure.retry_after or 0.0

    def change(state: State, now: float) -> State:
        match failure.retry:
            case Retry.OPERATOR:
                return machine.stopped(state, ticket, now, limits(), reason)
            case Retry.QUOTA:
                return machine.failed(state, ticket, now, limits(), reason, rest or QUOTA_SECONDS)
            case _ if failure.sick:
                return machine.failed(state, ticket, now, limits(), reason, rest)
        return machine.answered(state, ticket)

    failure.shut = _change(name, change).phase is not Phase.CLOSED
    if (failure.shut or ticket.probe) and failure.retry is not Retry.NEVER:
        failure.down = True


def _change(name: Upstream, change: Callable[[State, float], State]) -> State:
    """The next state, told to people when its phase is another."""

    def both(state: State, now: float) -> tuple[State, tuple[State, State]]:
        after = change(state, now)
        return after, (state, after)

    before, after = store().update(name, both)
    if after.phase is not before.phase:
        log.warning("breaker", extra={"upstream": name.value, "phase": after.phase.value, "reason": after.reason})
        counters.count("breaker", upstream=name.value, to=after.phase.value)
        if before.phase is Phase.STOPPED:
            _mended(name)
    return after


def _mended(name: Upstream) -> None:
    try:
        close_alarms(name)
    except DatabaseError as error:  # the call itself went well; the alarm can be closed by hand
        log.warning("alarm not closed", extra={"upstream": name.value, "error": type(error).__name__})


def limits() -> Limits:
    return Limits(
        failures=settings.BREAKER_FAILURES,
        window=settings.BREAKER_WINDOW_SECONDS,
        in_a_row=settings.BREAKER_IN_A_ROW,
        open_for=settings.BREAKER_OPEN_SECONDS,
        stop_for=settings.BREAKER_STOPPED_SECONDS,
    )

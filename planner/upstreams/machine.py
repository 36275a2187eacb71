"""The breaker as a state machine: pure, the same for one process and for many. docs/decisions/breaker.md says why.

CLOSED   calls go. `failures` in a window or `in_a_row` of them open it; an answer that asks for rest does at once.
OPEN     nobody calls until `until`; then one call, the probe, goes. Its success closes, its failure opens anew. A probe
         that is never heard of again (a killed worker) makes room for the next when its own time is over.
STOPPED  a person must change something. As OPEN, with probes at a slow and slower pace; `resumed` lets one go at once.

A call carries the ticket it went with. An answer to a call that went before the last opening says nothing of now.
"""

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum

SLOWEST = 900.0  # between two probes of a stopped upstream
LONGEST = 24 * 3600.0  # no rest is longer: a clock that was set back must not shut an upstream for ever


class Phase(StrEnum):
    CLOSED = "closed"
    OPEN = "open"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Limits:
    """Seconds, but for the two counts."""

    failures: int = 20
    window: float = 30
    in_a_row: int = 5
    open_for: float = 10
    stop_for: float = 60


@dataclass(frozen=True)
class Ticket:
    """What a call may go with. `probe` 0: an ordinary call of a closed breaker."""

    round: int
    probe: int = 0


@dataclass(frozen=True)
class Shut:
    """Nobody may call for `seconds` more, or until a person has mended it."""

    seconds: float
    by_person: bool = False


@dataclass(frozen=True)
class State:
    """Moments are seconds since the epoch. `probe` counts the probes ever sent; one is out until `probe_until`."""

    phase: Phase = Phase.CLOSED
    round: int = 0
    failures: tuple[float, ...] = ()
    streak: int = 0
    since: float = 0.0
    until: float = 0.0
    probe: int = 0
    probe_until: float = 0.0
    stops: int = 0
    reason: str = ""

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> "State":
        values = json.loads(text)
        values |= {"phase": Phase(values["phase"]), "failures": tuple(values["failures"])}
        return cls(**values)

    def waits(self, now: float) -> float:
        """Seconds until a call may go; 0 when one may."""
        if self.phase is Phase.CLOSED:
            return 0.0
        return next((left for left in (self.until - now, self.probe_until - now) if 0 < left <= LONGEST), 0.0)


def enter(state: State, now: float, seconds: float) -> tuple[State, Ticket | Shut]:
    """`seconds`: how long the call may take; so long a probe keeps all others out."""
    if state.phase is Phase.CLOSED:
        return state, Ticket(state.round)
    if (wait := state.waits(now)) > 0:
        return state, Shut(wait, state.phase is Phase.STOPPED)
    probing = replace(state, probe=state.probe + 1, probe_until=now + seconds)
    return probing, Ticket(state.round, probing.probe)


def answered(state: State, ticket: Ticket) -> State:
    """The upstream works."""
    if not _counts(state, ticket):
        return state
    if state.phase is Phase.CLOSED:
        return replace(state, streak=0) if state.streak else state
    return State(round=state.round, probe=state.probe)


def failed(state: State, ticket: Ticket, now: float, limits: Limits, reason: str, rest: float = 0.0) -> State:
    """The upstream is in trouble. `rest`: it asked to be left alone for so many seconds."""
    if not _counts(state, ticket):
        return state
    if state.phase is not Phase.CLOSED:
        return _probe_failed(state, now, rest or limits.open_for, reason)
    recent = tuple(at for at in (*state.failures, now) if now - limits.window < at <= now)
    counted = replace(state, failures=recent[-limits.failures :], streak=state.streak + 1)
    if rest or len(counted.failures) >= limits.failures or counted.streak >= limits.in_a_row:
        return _opened(counted, now, rest or limits.open_for, reason)
    return counted


def stopped(state: State, ticket: Ticket, now: float, limits: Limits, reason: str) -> State:
    """A person must mend it. Each probe that says so again makes the next one wait twice as long."""
    if not _counts(state, ticket):
        return state
    wait = min(limits.stop_for * 2.0 ** min(state.stops, 10), max(SLOWEST, limits.stop_for))
    since = state.since if state.phase is Phase.STOPPED else now
    return replace(_opened(state, now, wait, reason), phase=Phase.STOPPED, stops=state.stops + 1, since=since)


def abandoned(state: State, ticket: Ticket) -> State:
    """The call was never made, or told nothing: the next may probe."""
    return replace(state, probe_until=0.0) if _is_probe(state, ticket) else state


def resumed(state: State) -> State:
    """A person says it is mended: the next call finds out."""
    return state if state.phase is Phase.CLOSED else replace(state, until=0.0, probe_until=0.0)


def _is_probe(state: State, ticket: Ticket) -> bool:
    return ticket.probe > 0 and (ticket.round, ticket.probe) == (state.round, state.probe)


def _counts(state: State, ticket: Ticket) -> bool:
    """A call of this round while it is closed; the one probe that is out, else."""
    if state.phase is Phase.CLOSED:
        return ticket.round == state.round
    return _is_probe(state, ticket)


def _opened(state: State, now: float, wait: float, reason: str) -> State:
    return State(
        phase=Phase.OPEN,
        round=state.round + 1,
        since=now,
        until=now + min(wait, LONGEST),
        probe=state.probe,
        reason=reason,
    )


def _probe_failed(state: State, now: float, wait: float, reason: str) -> State:
    """Open since the same moment as before; a stopped one stays stopped, for nobody has said that it is mended."""
    anew = replace(_opened(state, now, wait, reason), since=state.since)
    if state.phase is Phase.STOPPED:
        return replace(anew, phase=Phase.STOPPED, stops=state.stops, reason=state.reason)
    return anew

"""What a lone message could be by its words, before anybody looks at what was rung or planned a moment ago."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from agent.analysis import Said
from agent.rules import clause, deeds, going_on, snoozes
from agent.rules.clause import Clause

_SHORT = 20


def may_answer_a_ring(said: Said, *, zone: ZoneInfo) -> bool:
    """Whether it says a little while and nothing else, which after a reminder puts it off, or that something is done."""
    return len(said.text) <= _SHORT and _fits(said, zone, lambda c: snoozes.rung(c) is not None or deeds.may_be_it(c.flat))


def may_go_on(said: Said, *, zone: ZoneInfo) -> bool:
    """Whether it could be more of what was planned a moment ago, and nothing else."""
    return len(said.text) <= going_on.LONGEST and _fits(said, zone, going_on.fits)


def _fits(said: Said, zone: ZoneInfo, look: Callable[[Clause], bool]) -> bool:
    try:
        return look(clause.message(said.text, said.sent_at, zone))
    except OverflowError:  # beyond the last day of the calendar, which `analyse` says
        return False

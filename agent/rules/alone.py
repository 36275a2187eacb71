"""What a lone message could be by its words, before anybody looks at what was rung or planned a moment ago."""

from zoneinfo import ZoneInfo

from agent.analysis import Said
from agent.rules import clause, deeds, going_on, snoozes

_SHORT = 20


def may_answer_a_ring(said: Said, *, zone: ZoneInfo) -> bool:
    """Whether it says a little while and nothing else, which after a reminder puts it off, or that something is done."""
    whole = clause.message(said.text, said.sent_at, zone)
    return len(said.text) <= _SHORT and (snoozes.rung(whole) is not None or deeds.may_be_it(whole.flat))


def may_go_on(said: Said, *, zone: ZoneInfo) -> bool:
    """Whether it could be more of what was planned a moment ago, and nothing else."""
    return len(said.text) <= going_on.LONGEST and going_on.fits(clause.message(said.text, said.sent_at, zone))

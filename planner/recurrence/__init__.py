"""Rules of RFC 5545 → occurrences, by the wall clock, in bounded steps. Pure: naive local datetimes in and out.

Beyond the RFC's letter: a day that a month lacks is its last one (RFC 7529's SKIP=BACKWARD, always); `RSCALE=CHINESE`
counts lunar months (RFC 7529); `X-WORKDAYS=CN` means the days really worked in China, make-up days included.
"""

from planner.recurrence.occurrences import occurrences, settled
from planner.recurrence.rule import BadRule, Rule, parse

__all__ = ["BadRule", "Rule", "occurrences", "parse", "settled"]

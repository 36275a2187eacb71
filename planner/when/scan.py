"""Finds the parts of time expressions: every table's patterns, reached by the character they begin with."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from planner.when import (
    clocks,
    days,
    english,
    feasts,
    lengths,
    lookalikes,
    parts,
    periods,
    repeats,
    within,
    years,
)
from planner.when.atoms import Atom, Now

Build = Callable[[re.Match[str], Now], Atom | None]


@dataclass(frozen=True)
class Rule:
    """Compiled on first use: all of them take 60 ms, which no process should pay that reads no message."""

    name: str
    starts: str
    source: str
    build: Build

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.source)


_MODULES = (english, lookalikes, repeats, feasts, clocks, lengths, days, periods, years, parts)
# Where two fit at one place the first wins.
_ORDER = (
    "word", "a_bit", "little", "ordinal", "quoted", "fraction", "weekly", "span_daily", "month_nth", "monthly",
    "month_last", "month_first", "workdays", "weekends", "daily", "every_other", "quarterly", "plainly", "lunar",
    "lunar_named", "lunar_twenty", "numeric", "compact", "year_last", "monthday", "of_month", "nth_weekday", "month_part", "feast",
    "year_part", "decade", "century", "two_years", "short_year", "short_of", "short_after", "about", "decimal", "clock_range", "clock",
    "colon", "meridiem", "en_later", "en_length", "en_date_first", "same_clock", "workdays_ahead", "year_month", "year", "length", "day_list", "bare_day", "short_date",
    "weekday", "no_weekday", "paren_weekday", "weekend", "week", "quarter", "month", "two_days", "relative", "lunar_first",
    "season", "school", "part", "present", "en_every", "en_every_part", "en_day", "en_part", "en_noon", "en_weekday", "en_period",
    "en_ahead", "en_date", "en_clock",
)


def _rules() -> list[Rule]:
    told = {row[0]: Rule(*row) for module in _MODULES for row in module.RULES}
    return [told[name] for name in _ORDER]


RULES = _rules()
# Read only inside a month or year that was named just before.
INSIDE = [Rule(*row) for row in within.RULES]
_CHARS = sorted({char for rule in RULES for char in rule.starts})
_BY_CHAR = {char: [rule for rule in RULES if char in rule.starts] for char in _CHARS}
_ROW = re.compile("[0-9零一二三四五六七八九十百千万两]{21,}")
_START = re.compile("[" + re.escape("".join(_CHARS)) + "]")


def warm() -> None:
    """Compiles every pattern, for a worker that is about to take messages."""
    for rule in [*RULES, *INSIDE]:
        _ = rule.pattern


def _hit(text: str, place: int) -> tuple[Rule, re.Match[str]] | None:
    if place < len(text):
        for rule in _BY_CHAR.get(text[place], ()):
            if match := rule.pattern.match(text, place):
                return rule, match
    return None


def search(text: str, place: int) -> int | None:
    """Where the next part, or word that looks like one, begins. A long row of numerals is none."""
    while start := _START.search(text, place):
        if row := _ROW.match(text, start.start()):
            place = row.end()
            continue
        if _hit(text, start.start()):
            return start.start()
        place = start.end()
    return None


def at(text: str, place: int, now: Now) -> tuple[Atom, int] | None:
    """The part that begins exactly here, and where it ends. Raises `Impossible` for one that does not exist."""
    hit = (_inside(text, place) if now.span else None) or _hit(text, place)
    if hit is None:
        return None
    if now.trace is not None:
        now.trace.append(f"{hit[0].name} «{hit[1][0]}»")
    atom = hit[0].build(hit[1], now)
    return (atom, hit[1].end()) if atom else None


def _inside(text: str, place: int) -> tuple[Rule, re.Match[str]] | None:
    found = ((rule, rule.pattern.match(text, place)) for rule in INSIDE if text[place : place + 1] in rule.starts)
    return next(((rule, match) for rule, match in found if match and match[0]), None)


def past(text: str, place: int) -> int:
    """Behind the one thing that begins here."""
    hit = _hit(text, place)
    return hit[1].end() if hit else place + 1


def past_all(text: str, place: int) -> int:
    """Behind what begins here and all that touches it."""
    end = place
    while hit := _hit(text, end):
        end = hit[1].end()
    return max(end, place + 1)

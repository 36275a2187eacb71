"""Finds the parts of time expressions: every table's patterns, reached by the character they begin with."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

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
    routines,
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


_MODULES = (english, lookalikes, repeats, routines, feasts, clocks, lengths, days, periods, years, parts)
# Where two fit at one place the first wins.
_ORDER = (
    "all_but", "meals", "word", "a_bit", "little", "nth_day", "ordinal", "quoted", "fraction", "fives", "minute_and_half", "once_every", "weekly", "span_daily", "month_nth", "month_workday", "lunar_monthly", "quarter_edge", "monthly",
    "month_back", "quarter_nth", "month_last", "month_first", "workdays", "weekends", "daily", "parity", "every_other", "quarterly", "hours_sharp", "plainly", "lunar",
    "lunar_named", "lunar_twenty", "day_run", "whole_day", "numeric", "compact", "year_last", "short_year_date", "monthday", "day_from", "month_from", "year_from", "of_month", "nth_weekday", "month_part", "feast", "break",
    "decade", "year_part", "century", "two_years", "short_year", "short_of", "short_after", "about", "decimal", "clock_range", "twelfth", "clock",
    "en_between", "colon", "meridiem", "en_within", "en_later", "en_after", "en_length", "en_date_first", "minute", "same_clock", "workdays_ahead", "bare_quarter_edge", "quarter", "year_month", "year", "length", "day_list", "bare_day", "short_date",
    "weekday", "no_weekday", "paren_weekday", "weekend", "week", "month", "two_days", "these_days", "bare_inside", "relative", "lunar_first",
    "season", "school", "part_shifted", "part", "present", "en_every", "en_every_part", "en_adverb", "en_end", "en_day_over", "en_day", "en_part", "en_noon", "en_weekday", "en_period",
    "en_ahead", "en_date", "en_clock",
)


# One of these characters stands somewhere in whatever the rule reads.
_NEEDS = {
    **dict.fromkeys(["lunar_named", "monthday", "of_month", "nth_weekday", "month_part", "month"], "月"),
    **dict.fromkeys(["month_nth", "month_workday", "month_back", "month_last", "month_first"], "月"),
    **dict.fromkeys(["quarter_edge", "quarter_nth", "quarterly", "bare_quarter_edge"], "季"),
    **dict.fromkeys(["short_year", "year", "year_part", "two_years"], "年"),
    **dict.fromkeys(["day_list", "bare_day"], "日号"),
    **dict.fromkeys(["about", "decimal", "clock_range"], "点"),
    **dict.fromkeys(["short_of", "short_after"], "差"),
    **dict.fromkeys(["numeric", "year_month"], "-/. "),
    **dict.fromkeys(["en_length", "en_later", "en_after"], "mMhHdDwWyY"),
    **dict.fromkeys(["weekday", "no_weekday", "week"], "周星礼"),
    "weekend": "末",
    "part": "前后饭餐班学休早晨朝午昼晚五舞无晌昏黑明亮白晓夜",
    "once_every": "次回趟遍",
    "part_shifted": "时刻钟",
    "meals": "饭餐次回遍顿",
    "clock": "点时",
    "twelfth": "踏搭字昼",
    "colon": ":",
    "meridiem": "mMpP",
    "year_last": "/",
    "short_date": "./·-",
    "decade": "代",
    "century": "世",
    "quarter": "季qQ",
    "workdays_ahead": "日",
    "en_date_first": "aAeEoOuU",
    "en_clock": "tTkK",
    "fraction": "/.",
    "break": "前后",
    "monthly": "日号",
    "lunar_monthly": "农阴初",
    "weekends": "末双",
    "every_other": "隔双",
    "hours_sharp": "整",
    "season": "天季年",
    "whole_day": "天",
    "en_within": "nN",
    "parity": "单双奇偶",
}


def _rules() -> list[Rule]:
    told = {row[0]: Rule(*row) for module in _MODULES for row in module.RULES}
    return [told[name] for name in _ORDER]


RULES = _rules()
# Read only inside a month or year that was named just before.
INSIDE = [Rule(*row) for row in within.RULES]
_CHARS = sorted(set("".join(rule.starts for rule in RULES)))
_ROW = re.compile("[0-9零一二三四五六七八九十百千万两]{21,}")
_TO = ("到", "至", "~", "-")
_START = re.compile("[" + re.escape("".join(_CHARS)) + "]")


@cache
def _starting(char: str) -> list[tuple[Rule, frozenset[str]]]:
    """With what each needs besides."""
    return [(rule, frozenset(_NEEDS.get(rule.name, ""))) for rule in RULES if char in rule.starts]


def warm() -> None:
    for rule in [*RULES, *INSIDE]:
        _ = rule.pattern
    for char in _CHARS:
        _starting(char)


Hit = tuple[Rule, re.Match[str]] | None


class _Able(dict[str, list[Rule]]):
    """By first character, the rules that a text can fulfil at all: most need a character that it does not have."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.hits: dict[int, Hit] = {}
        self.chars = frozenset(text)

    def __missing__(self, char: str) -> list[Rule]:
        able = [rule for rule, needs in _starting(char) if not needs or not needs.isdisjoint(self.chars)]
        self[char] = able
        return able


@lru_cache(maxsize=4)
def _able(text: str) -> _Able:
    return _Able(text)


def _hit(text: str, place: int) -> Hit:
    able = _able(text)
    if place not in able.hits:
        able.hits[place] = _first(able, text, place) if place < len(text) else None
    return able.hits[place]


def _first(able: _Able, text: str, place: int) -> Hit:
    for rule in able[text[place]]:
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
    if hit is None or (now.budget and now.budget.left <= 0):
        return None
    if now.budget:
        now.budget.left -= 1
    if now.trace is not None:
        now.trace.append(f"{hit[0].name} «{hit[1][0]}»")
    atom = hit[0].build(hit[1], now)
    return (atom, hit[1].end()) if atom else None


def _inside(text: str, place: int) -> Hit:
    found = ((rule, rule.pattern.match(text, place)) for rule in INSIDE if text[place : place + 1] in rule.starts)
    return next(((rule, match) for rule, match in found if match and match[0]), None)


def past(text: str, place: int) -> int:
    """Behind the one thing that begins here."""
    hit = _hit(text, place)
    return hit[1].end() if hit else place + 1


def past_all(text: str, place: int) -> int:
    """Behind what begins here and all that touches it."""
    end = place
    while hit := _hit(text, end) or (_hit(text, end + 1) if end > place and text[end : end + 1] in _TO else None):
        end = hit[1].end()
    return max(end, place + 1)

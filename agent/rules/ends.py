"""Where a series stops, said after other words: «每天九点提醒我打卡到年底», «每天吃药，连续七天»."""

import re
from dataclasses import replace
from datetime import timedelta

from agent.rules.clause import Clause
from planner.when import Found, When

_UP_TO = re.compile(r"^[^,]*?(?P<words>(?:一?直)?(?:持续|坚持)?[到至])$|(?P<after>,\s*(?:一?直)?(?:持续|坚持)?[到至])$")
_FOR = re.compile(r"[,\s]*(?:一共|总共|共计?|持续|连续|连着|坚持|为期)$")
_OVER = re.compile(r"\s*(?:为止|结束|止)?(?=$|[,。;!])")
_BREAK = re.compile(r"[。;!?\n]")
_FURTHEST = 20
_DAY = timedelta(days=1)


def ended(clause: Clause) -> Clause:
    """The end goes into the rule, its words out of the clause."""
    for first, second in zip(clause.times, clause.times[1:], strict=False):
        place, until = _end(clause, first, second)
        over = _OVER.match(clause.flat, second.end) if until else None
        if over and isinstance(first.when, When):
            named = replace(first, when=replace(first.when, rrule=f"{first.when.rrule};UNTIL={until}"))
            told = replace(clause, times=tuple(named if each is first else each for each in clause.times))
            return ended(told.without(place, over.end()))
    return clause


def _end(clause: Clause, first: Found, second: Found) -> tuple[int, str]:
    """Where the words for it begin, and the value of UNTIL; "" where `second` ends nothing."""
    series, last = first.when, second.when
    between = clause.flat[first.end : second.start]
    if not isinstance(series, When) or not isinstance(last, When) or not _endless(series) or _BREAK.search(between):
        return 0, ""
    if len(between) > _FURTHEST or not (match := (_FOR if last.kind == "duration" else _UP_TO).search(between)):
        return 0, ""
    place = first.end + match.start(match.lastgroup or 0)
    return place, _after(series, last) if last.kind == "duration" else _upto(last)


def _endless(series: When) -> bool:
    return bool(series.rrule) and not re.search("UNTIL|COUNT", series.rrule or "")


def _upto(last: When) -> str:
    end = last.end - _DAY if last.all_day and last.end and last.kind != "recurrence" else None
    return f"{end:%Y%m%d}T235959" if end else ""


def _after(series: When, last: When) -> str:
    if series.start is None or not last.seconds:
        return ""
    end = series.start + timedelta(seconds=last.seconds)
    return f"{end - _DAY:%Y%m%d}T235959" if last.seconds % _DAY.total_seconds() == 0 else f"{end:%Y%m%dT%H%M%S}"

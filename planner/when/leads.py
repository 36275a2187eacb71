"""How long before the start a reminder is wanted."""

import re
from dataclasses import dataclass
from datetime import timedelta

from planner.when import lengths
from planner.when.lazy import Lazy
from planner.when.text import plain

_LENGTH = rf"(?P<length>{lengths.LENGTH}|[一1]?个?(?:小时|钟头|星期|礼拜|月))"
_AHEAD = Lazy(rf"(?:提前|提早)(?:个|大概|至少|差不多)?{_LENGTH}")
_BEFORE = Lazy("[之以]?前(?=再?(?:各|都)?(?:提醒|叫|喊|通知|告诉))")
_UP_TO = Lazy(rf"{_LENGTH}[之以]?前$")
_ON_TIME = Lazy("(?:准时|到点|到时候?|按时)(?=就?(?:提醒|叫|喊|通知))")
_FURTHEST = 24


@dataclass(frozen=True, slots=True)
class Lead:
    before: timedelta
    words: str
    start: int
    end: int


def leads(text: str) -> list[Lead]:
    """Every lead in a text, with its place."""
    flat = plain(text)
    found = [_lead(match, text) for match in _AHEAD.finditer(flat)]
    for before in _BEFORE.finditer(flat):
        match = _UP_TO.search(flat, max(0, before.start() - _FURTHEST), before.end())
        if match and not any(told.start < match.end() and match.start() < told.end for told in found):
            found.append(_lead(match, text))
    found += [Lead(timedelta(0), text[m.start() : m.end()], m.start(), m.end()) for m in _ON_TIME.finditer(flat)]
    return sorted(found, key=lambda told: told.start)


def _lead(match: re.Match[str], text: str) -> Lead:
    length = lengths.parse(match["length"])
    return Lead(timedelta(seconds=length.total), text[match.start() : match.end()], match.start(), match.end())


def lead(words: str) -> timedelta | None:
    """«提前10分钟», «提前一天», «准时»; None where the words name no lead."""
    found = leads(words) or leads(f"{words}提醒")
    return found[0].before if found else None

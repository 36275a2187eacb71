"""How long before the start a reminder is wanted."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from planner.when import lengths
from planner.when.lazy import Lazy
from planner.when.numerals import CN
from planner.when.text import plain, tight

_RING = "(?=(?:再|各|都|就|请|来|你|帮我|给我)*(?:提醒|叫|喊|通知|告诉|吱一?声|说一?声|设|响|闹))"
_BEGINNING = "开始|开场|开课|开赛|开考|出发|出门|起飞|发车|登机|到期|截止"
# «15min», «1h»
_UNITS = {"m": "分钟", "h": "小时", "d": "天"}
_ENGLISH = r"\d{1,3}\s?(?:[mM]in(?:ute)?s?|[hH](?:(?:ou)?rs?)?|[dD]ays?)(?![A-Za-z])"
_LENGTH = rf"(?P<length>{_ENGLISH}|{lengths.LENGTH}|[一1]?个?(?:小时|钟头|星期|礼拜|月))"
_AHEAD = Lazy(rf"(?:提前|提早)(?:个|大概|至少|差不多|约)?\s?{_LENGTH}")
_EARLY = Lazy(rf"(?<![最尽一明今清大])早(?=\s?[\d{CN}半])(?:个|大概|至少|差不多|约)?\s?{_LENGTH}{_RING}")
_FROM_START = Lazy(rf"(?:{_BEGINNING})?(?<!提)[之以]?(?<!提)前\s?{_LENGTH}\s?{_RING}")
_BEFORE = Lazy(f"[之以]?前{_RING}")
_UP_TO = Lazy(rf"{_LENGTH}[之以]?前$")
_AND = Lazy(rf"(?:和|跟|及|、|,|以及|还有){_LENGTH}(?:[之以]?前)?{_RING}")
_AHEAD_OF = Lazy(rf"(?P<length>{_ENGLISH})\s+(?i:before|early|earlier|ahead|in advance)(?![A-Za-z])")
_ON_TIME = Lazy("(?:准时|到点|到时候?|按时)(?=就?(?:提醒|叫|喊|通知|催))")
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
    if places := tight(flat):
        told = leads("".join(text[place] for place in places[:-1]))
        return [replace(each, start=places[each.start], end=places[each.end - 1] + 1) for each in told]
    patterns = (_AHEAD, _EARLY, _FROM_START, _AHEAD_OF)
    found = [_lead(match, text) for pattern in patterns for match in pattern.finditer(flat)]
    for before in _BEFORE.finditer(flat):
        match = _UP_TO.search(flat, max(0, before.start() - _FURTHEST), before.end())
        if match and not any(told.start < match.end() and match.start() < told.end for told in found):
            found.append(_lead(match, text))
    found += [again for told in found if (again := _second(told, flat))]
    found += [Lead(timedelta(0), text[m.start() : m.end()], m.start(), m.end()) for m in _ON_TIME.finditer(flat)]
    return sorted(found, key=lambda told: told.start)


def _second(told: Lead, flat: str) -> Lead | None:
    """«提前30分钟和10分钟»."""
    match = _AND.match(flat, told.end)
    if match is None:
        return None
    return Lead(_before(match["length"]), f"提前{match['length']}", match.start("length"), match.end("length"))


def _lead(match: re.Match[str], text: str) -> Lead:
    return Lead(_before(match["length"]), text[match.start() : match.end()], match.start(), match.end())


def _before(words: str) -> timedelta:
    chinese = re.sub(r"\s?[A-Za-z]+", lambda unit: _UNITS[unit[0].strip()[0].lower()], words)
    return timedelta(seconds=lengths.parse(chinese).total)


def lead(words: str) -> timedelta | None:
    """«提前10分钟», «提前一天», «准时»; None where the words name no lead."""
    found = leads(words) or leads(f"{words}提醒")
    return found[0].before if found else None

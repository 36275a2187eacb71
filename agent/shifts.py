"""«推后一小时», «提前两天»: how far a task is moved, read from the follower's words."""

import re
from collections.abc import Sequence

from agent.analysis import Said
from agent.spoken import literal
from planner.when.lengths import LENGTH, parse
from planner.when.text import plain

_LENGTH = re.compile(LENGTH)
_SHIFT = re.compile(
    rf"(?:(?P<earlier>提前|提早|往前|向前|早)|推|延|顺|往后|向后|晚)[^,。!\d]{{0,3}}?(?P<length>{LENGTH})"
    "(?![之以]?[后内前])(?!再?.{0,2}(?:提醒|叫|喊|通知))"
)


def lengths(text: str) -> list[int]:
    """Every length in the text, in seconds."""
    return [parse(match[0]).total for match in _LENGTH.finditer(plain(text))]


def shift(words: str | None, told: int | None, said: Sequence[Said]) -> int | None:
    """Seconds; None when the follower has not shifted anything. The model's number only chooses among his own."""
    if told is None and not (words and literal(words, said) and _SHIFT.search(plain(words))):
        return None
    found = [_seconds(match) for message in said for match in _SHIFT.finditer(plain(message.text))]
    return told if told in found else next(iter(found), None)


def _seconds(match: re.Match[str]) -> int:
    total = int(parse(match["length"]).total)
    return -total if match["earlier"] else total

"""Are these words the follower's own, and where do they stand? Spaces, width and traditional forms do not matter."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.analysis import Said
from planner.when.text import plain

PIECES = 3
SHORTEST = 2


@dataclass(frozen=True)
class Place:
    """`start` and `end` are offsets into the text of the message."""

    message: Said
    start: int
    end: int


def literal(words: str, said: Sequence[Said]) -> list[Place]:
    """Everywhere the words stand as they are."""
    needle, _ = _squeezed(words)
    found = []
    for message in said if needle else ():
        hay, places = _squeezed(message.text)
        for match in re.finditer(re.escape(needle), hay):
            found.append(Place(message, places[match.start()], places[match.end() - 1] + 1))
    return found


def scattered(words: str, said: Sequence[Said]) -> Said | None:
    """The message that holds them in a few pieces, in order: «明天…下午三点»; across messages, the one that begins."""
    needle, _ = _squeezed(words)
    hays = [_squeezed(message.text)[0] for message in said]
    for message, hay in zip(said, hays, strict=True):
        if _in_pieces(needle, hay) is not None:
            return message
    start = _in_pieces(needle, "\n".join(hays))
    return _at(start, said, hays) if start is not None else None


def _squeezed(text: str) -> tuple[str, list[int]]:
    kept = [(char.lower(), place) for place, char in enumerate(plain(text)) if not char.isspace()]
    return "".join(char for char, _ in kept), [place for _, place in kept]


def _in_pieces(needle: str, hay: str) -> int | None:
    """Offset of the first piece; each is taken as long as it can be."""
    first, place = None, 0
    for _ in range(PIECES):
        size = next((n for n in range(len(needle), SHORTEST - 1, -1) if hay.find(needle[:n], place) >= 0), 0)
        if not size:
            return None
        at = hay.find(needle[:size], place)
        first, place, needle = at if first is None else first, at + size, needle[size:]
        if not needle:
            return first
    return None


def _at(place: int, said: Sequence[Said], hays: Sequence[str]) -> Said:
    for message, hay in zip(said, hays, strict=True):
        if place <= len(hay):
            return message
        place -= len(hay) + 1
    return said[-1]

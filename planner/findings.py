"""What `doctor` says: one finding a line, each with what to do."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    OK = "ok"
    NOTE = "note"  # an optional feature is off
    BAD = "bad"  # the service could not work


@dataclass(frozen=True)
class Finding:
    level: Level
    subject: str
    text: str


def ok(subject: str, text: str) -> Finding:
    return Finding(Level.OK, subject, text)


def note(subject: str, text: str) -> Finding:
    return Finding(Level.NOTE, subject, text)


def bad(subject: str, text: str) -> Finding:
    return Finding(Level.BAD, subject, text)

"""The small parts of a time expression, before they are put together."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Roll = Literal["", "week", "month", "year"]
Half = Literal["dawn", "am", "noon", "pm", "evening", "night"]

# Without «上午/下午» an hour means the coming one inside the waking day.
WAKING = range(7, 23)


class Impossible(ValueError):
    """The words name a day or an hour that does not exist; the message is for the follower."""


@dataclass(frozen=True, slots=True)
class Now:
    """`floor` is where «the coming …» starts to look: today, or the start of a range for its end."""

    ref: datetime
    floor: date

    @property
    def today(self) -> date:
        return self.ref.date()


@dataclass(frozen=True, slots=True)
class Day:
    """One day, or several up to `last` (exclusive). `roll` is the step to the next one when this is past.

    `weekday`, `month`, `monthday` are what was said, for repeats; `also` are the other days of a list. A `feast` moves from
    year to year, as lunar days do.
    """

    first: date
    last: date | None = None
    roll: Roll = ""
    certain: bool = True
    weekday: int | None = None
    month: int | None = None
    monthday: int | None = None
    anchored: bool = False
    named: bool = False
    feast: bool = False
    also: tuple["Day", ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day in minutes from midnight: its default point and its window."""

    name: str
    point: int
    begins: int
    ends: int
    half: Half
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """`fixed`: written so that only one reading is left (15:30, 08:05, 3pm). `upto` is the second of «七八点»."""

    hour: int
    minute: int = 0
    second: int = 0
    fixed: bool = False
    upto: int | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """Whole days count by the calendar, the rest by the clock. `by_clock`: a unit below the day was said."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    by_clock: bool = False

    @property
    def total(self) -> int:
        return (self.months // 12 * 365 + self.months % 12 * 30 + self.days) * 86400 + self.seconds


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment counted from now («半小时后»), or a window that starts or ends now («未来一周»)."""

    start: datetime
    end: datetime | None = None
    deadline: bool = False
    all_day: bool = False


@dataclass(frozen=True, slots=True)
class SameClock:
    """«这个点», «同一时间»: the time of day of the message."""


@dataclass(frozen=True, slots=True)
class Repeat:
    freq: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    nth: int | None = None
    monthdays: tuple[int, ...] = ()
    month: int | None = None
    certain: bool = True
    until: date | None = None
    since: date | None = None


Atom = Day | Part | Clock | Length | Instant | SameClock | Repeat

# A row: name, the characters it may begin with, pattern, and what it makes of a match; None for what is no time.
Rules = list[tuple[str, str, str, Callable[[re.Match[str], Now], Atom | None]]]

"""The small parts of a time expression, before they are put together."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

Roll = Literal["", "week", "month", "year"]
Half = Literal["dawn", "am", "noon", "pm", "evening", "night"]

# Without «上午/下午» an hour means the coming one inside the waking day.
WAKING = range(7, 23)


class Impossible(ValueError):
    """The words name a day or an hour that does not exist; the message is for the follower."""


@dataclass(slots=True)
class Budget:
    """How many parts may still be read: what nobody writes must not cost more than a message."""

    left: int


@dataclass(frozen=True, slots=True)
class Now:
    """`floor` is where «the coming …» starts to look: today, or the start of a range for its end.

    `span` is the year, month or week that was named just before («去年» + «九月»), `anchor` a day in it that stands for
    today («一周后的今天»); `zoned`: the text may name a time zone; `trace` gathers what was read,
    by which rule.
    """

    ref: datetime
    floor: date
    span: tuple[date, date] | None = None
    anchor: date | None = None
    trace: list[str] | None = None
    zoned: bool = False
    budget: "Budget | None" = None

    @property
    def today(self) -> date:
        return self.ref.date()

    @property
    def year(self) -> int:
        return self.span[0].year if self.span else self.today.year

    @property
    def whole_year(self) -> bool:
        return self.span is not None and self.span[1] - self.span[0] >= timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Day:
    """One day, or several up to `last` (exclusive). `roll` is the step to the next one when this is past.

    `weekday`, `month`, `monthday` are what was said, for repeats; `also` are the other days of a list. A `feast` moves from
    year to year, as lunar days do. `moment`: counted from now to the second, for a range that ends now; `around`: the week,
    month or year from which it was counted; `loose`: what the day stands for, as the last week of the month for «月底». `name`:
    of a feast. `other`: another day that may be meant. `behind`: may stand behind its clock time.
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
    moment: datetime | None = None
    around: tuple[date, date] | None = None
    loose: tuple[date, date] | None = None
    lunar: tuple[int, int] | None = None
    name: str = ""
    other: date | None = None
    behind: bool = False

    @property
    def wide(self) -> bool:
        """A month or more, in which a day may be named next."""
        return self.last is not None and self.last - self.first >= timedelta(days=28)

    def holds(self, day: "Day") -> bool:
        return self.last is not None and self.first <= day.first < self.last


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
    """`fixed`: written so that only one reading is left (15:30, 08:05, 3pm); `to_second`: even the second was said.
    `upto` is the second of «七八点»."""

    hour: int
    minute: int = 0
    second: int = 0
    fixed: bool = False
    to_second: bool = False
    upto: int | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """Whole days count by the calendar, the rest by the clock. `by_clock`: a unit below the day was said. `about`: not
    to the unit («两三天», «二十多分钟»)."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    by_clock: bool = False
    about: bool = False

    @property
    def total(self) -> int:
        days = self.months // 12 * 365 if self.months % 12 == 0 else self.months * 30
        return (days + self.days) * 86400 + self.seconds


@dataclass(frozen=True, slots=True)
class Instant:
    """A moment counted from now («半小时后»), or a window that starts or ends now («未来一周»)."""

    start: datetime
    end: datetime | None = None
    deadline: bool = False
    all_day: bool = False
    present: bool = False
    certain: bool = True


@dataclass(frozen=True, slots=True)
class SameClock:
    """«这个点», «同一时间»: the time of day of the message."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """`workdays`: the days really worked, of which `nth` counts. `minute`: of each hour. `lasting` and `count` end it.
    `at`: its clocks, where the words name them together («三餐后»)."""

    freq: str
    interval: int = 1
    weekdays: tuple[int, ...] = ()
    nth: int | None = None
    monthdays: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    certain: bool = True
    until: date | None = None
    since: date | None = None
    lunar: bool = False
    workdays: bool = False
    minute: int | None = None
    lasting: Length | None = None
    at: tuple[tuple[int, int], ...] = ()
    count: int | None = None


Atom = Day | Part | Clock | Length | Instant | SameClock | Repeat

# A row: name, the characters it may begin with, pattern, and what it makes of a match; None for what is no time.
Rules = list[tuple[str, str, str, Callable[[re.Match[str], Now], Atom | None]]]

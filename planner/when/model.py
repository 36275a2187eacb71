"""What a time expression says, once it is resolved against the moment it was written."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Kind = Literal["day", "instant", "span", "duration", "deadline", "recurrence"]


@dataclass(frozen=True, slots=True)
class When:
    """`end` is exclusive. A deadline starts at its last day, or at its instant, and ends with it.

    A part of the day («明天傍晚») is a span without a clock; `point` is the one moment in it at which to plan.
    `certain` is False where another reading is near enough to be said back to the follower; `others` are the starts of
    such readings, as far as they can be named. `loose` is the stretch that the words may mean as well where a day stands
    for it: the last week of the month for «月底», the year for «三年后».
    """

    words: str
    kind: Kind
    start: datetime | None = None
    end: datetime | None = None
    all_day: bool = False
    seconds: int | None = None
    rrule: str | None = None
    certain: bool = True
    has_clock: bool = False
    has_day: bool = False
    point: datetime | None = None
    others: tuple[datetime, ...] = ()
    loose: tuple[datetime, datetime] | None = None

    @property
    def at(self) -> datetime | None:
        return self.point or self.start


@dataclass(frozen=True, slots=True)
class Refused:
    """The words name a time that does not exist; `reason` is a Chinese sentence for the follower."""

    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """`start` and `end` are offsets into the text as it was given. A list of days («周一三五») gives one for each."""

    when: When | Refused
    start: int
    end: int

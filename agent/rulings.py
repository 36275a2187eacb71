"""What a model's time words are worth: the follower's or not, and what the resolver reads in them.

Words are read where they stand, in the whole message and at the time it was sent, so that a day named before holds for
a clock time after it. A time without words of the follower is no time.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from agent.analysis import Said
from agent.spoken import literal, scattered
from planner import counters
from planner.when import Found, Refused, When, find, resolve

log = logging.getLogger(__name__)
HORIZON = timedelta(days=5 * 366)


@dataclass(frozen=True)
class Ruling:
    """`words` are the follower's, or None. `by_model` is the model's instant, where only the model can read them."""

    words: str | None = None
    when: When | Refused | None = None
    message: Said | None = None
    by_model: datetime | None = None

    @property
    def moment(self) -> When | None:
        """A point or stretch of the calendar."""
        return self.when if isinstance(self.when, When) and self.when.kind != "duration" else None

    def at(self) -> datetime | None:
        if isinstance(self.when, When) and self.when.seconds and self.message:
            return self.message.sent_at + timedelta(seconds=self.when.seconds)
        return self.moment.at if self.moment else self.by_model


NOTHING = Ruling()


class Rulings:
    def __init__(self, said: Sequence[Said], zone: ZoneInfo) -> None:
        self.said, self.zone = said, zone

    def of(self, words: str | None, told: datetime | None) -> Ruling:
        """`told` is the model's instant: it decides where the same words stand twice, or nobody else can read them."""
        if not words:
            return self._by_instant(told)
        found = self._where(words)
        if found is None:
            noted("when", "dropped")
            return NOTHING
        message, hits = found
        if hits:
            when = _chosen(hits, told)
            if told and isinstance(when, When) and told not in (when.start, when.at):
                noted("when", "resolver")
            return Ruling(words, when, message)
        if told and message.sent_at < told < message.sent_at + HORIZON:
            noted("when", "model")
            return Ruling(words, None, message, told)
        return Ruling(words, None, message)

    def _by_instant(self, told: datetime | None) -> Ruling:
        """The model forgot to copy the words: an instant that a message does name is as good."""
        if told is None:
            return NOTHING
        for message in self.said:
            for found in self._find(message):
                if isinstance(found.when, When) and found.when.at == told:
                    return Ruling(found.when.words, found.when, message)
        noted("when", "dropped")
        return NOTHING

    def _where(self, words: str) -> tuple[Said, list[When | Refused]] | None:
        """The message that says it, and what it reads there; None when no message does."""
        if places := literal(words, self.said):
            message = places[0].message
            hits = [
                found.when
                for place in places
                for found in self._find(place.message)
                if found.start < place.end and place.start < found.end
            ]
            return message, hits or self._read(words, message)
        if scattered_in := scattered(words, self.said):
            return scattered_in, self._read(words, scattered_in)
        for message in self.said:
            meant = self._read(words, message)
            if same := [found.when for found in self._find(message) if meant and _same(found.when, meant[0])]:
                return message, same
        return None

    def _find(self, message: Said) -> list[Found]:
        return find(message.text, message.sent_at, self.zone)

    def _read(self, words: str, message: Said) -> list[When | Refused]:
        when = resolve(words, message.sent_at, self.zone)
        return [when] if when else []


def _chosen(hits: Sequence[When | Refused], told: datetime | None) -> When | Refused:
    whens = [hit for hit in hits if isinstance(hit, When)]
    same = [when for when in whens if told and told in (when.at, when.start)]
    clocked = [when for when in whens if when.has_clock]
    return next(iter([*same, *clocked, *hits]))


def _same(one: When | Refused, other: When | Refused) -> bool:
    """«15:00» for «下午三点»: other words, the same time."""
    if not isinstance(one, When) or not isinstance(other, When):
        return False
    return (one.kind, one.start, one.end, one.seconds, one.rrule) == (
        other.kind, other.start, other.end, other.seconds, other.rrule,
    )  # fmt: skip


def noted(field: str, verdict: str) -> None:
    log.info("model overruled", extra={"field": field, "verdict": verdict})
    counters.count("referee", field=field, verdict=verdict)

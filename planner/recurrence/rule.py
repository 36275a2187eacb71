"""What follows «RRULE:», read and checked. A rule may come from a model: what is not known here is refused."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any

FREQS = ("MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
SHORT = {"MINUTELY": 1, "HOURLY": 60}  # minutes
WORKWEEK = ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4))  # Monday to Friday, as `weekdays`
CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
SHORTEST_MINUTES = 10
_BYDAY = re.compile(r"^([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$")


class BadRule(ValueError):
    """Not a rule that this planner carries out; the message names the part and is not for followers."""


@dataclass(frozen=True, slots=True)
class Rule:
    """`weekdays` are (nth, weekday), nth 0 for each one; `position` is BYSETPOS among the days of a period; `until`
    is inclusive and by the wall clock, wherever the follower lives."""

    freq: str
    interval: int = 1
    months: tuple[int, ...] = ()
    monthdays: tuple[int, ...] = ()
    weekdays: tuple[tuple[int, int], ...] = ()
    hours: tuple[int, ...] = ()
    minutes: tuple[int, ...] = ()
    position: int = 0
    count: int | None = None
    until: datetime | None = None
    lunar: bool = False
    workdays: bool = False

    @property
    def clocks(self) -> list[time]:
        return [time(hour, minute) for hour in self.hours or (0,) for minute in self.minutes or (0,)]

    def __str__(self) -> str:
        fields = {
            "RSCALE": "CHINESE" if self.lunar else "",
            "FREQ": self.freq,
            "INTERVAL": self.interval if self.interval > 1 else "",
            "BYMONTH": _joined(self.months),
            "BYDAY": _joined([f"{nth or ''}{CODES[day]}" for nth, day in self.weekdays]),
            "BYMONTHDAY": _joined(self.monthdays),
            "BYHOUR": _joined(self.hours),
            "BYMINUTE": _joined(self.minutes),
            "BYSETPOS": self.position or "",
            "COUNT": self.count or "",
            "UNTIL": f"{self.until:%Y%m%dT%H%M%S}" if self.until else "",
            "X-WORKDAYS": "CN" if self.workdays else "",
        }
        return ";".join(f"{name}={value}" for name, value in fields.items() if value != "")


def _joined(values: Any) -> str:
    return ",".join(map(str, values))


def parse(text: str) -> Rule:
    """Raises BadRule. WKST and SKIP are taken and have no say; a Z behind UNTIL is the wall clock's all the same."""
    fields = _fields(text)
    values: dict[str, Any] = {}
    for part, value in fields.items():
        if part not in _PARTS:
            raise BadRule(f"{part}: not used here")
        name, read = _PARTS[part]
        try:
            values[name] = read(value)
        except (ValueError, OverflowError):
            raise BadRule(f"{part}: {value[:40]}") from None
    values.pop("", None)
    if "freq" not in values:
        raise BadRule("FREQ: missing")
    return _checked(Rule(**values))


def _fields(text: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.strip().upper().removeprefix("RRULE:").split(";") if part.strip()]
    fields = {name.strip(): value.strip() for name, _, value in parts}
    if len(fields) != len(parts) or not all(fields.values()):
        raise BadRule("each part is NAME=VALUE, and stands once")
    return fields


def _choice(*allowed: str) -> Callable[[str], str]:
    return lambda value: allowed[allowed.index(value)]


def _whole(least: int, most: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        number = int(value) if len(value) < 6 else most + 1
        if not least <= number <= most or (number == 0 and least < 0):
            raise ValueError(value)
        return number

    return read


def _wholes(least: int, most: int) -> Callable[[str], tuple[int, ...]]:
    one = _whole(least, most)
    return lambda value: tuple(sorted({one(part) for part in value.split(",")}))


def _weekdays(value: str) -> tuple[tuple[int, int], ...]:
    found = [_BYDAY.match(part) for part in value.split(",")]
    if not all(found):
        raise ValueError(value)
    return tuple(sorted({(int(day[1] or 0), CODES.index(day[2])) for day in found if day}))


def _until(value: str) -> datetime:
    text = value.removesuffix("Z")
    return datetime.strptime(text if "T" in text else f"{text}T235959", "%Y%m%dT%H%M%S")  # noqa: DTZ007 - wall clock


_PARTS: dict[str, tuple[str, Callable[[str], Any]]] = {
    "FREQ": ("freq", _choice(*FREQS)),
    "INTERVAL": ("interval", _whole(1, 1000)),
    "COUNT": ("count", _whole(1, 1000)),
    "UNTIL": ("until", _until),
    "BYMONTH": ("months", _wholes(1, 12)),
    "BYMONTHDAY": ("monthdays", _wholes(-31, 31)),
    "BYDAY": ("weekdays", _weekdays),
    "BYHOUR": ("hours", _wholes(0, 23)),
    "BYMINUTE": ("minutes", _wholes(0, 59)),
    "BYSETPOS": ("position", _whole(-31, 31)),
    "RSCALE": ("lunar", lambda value: _choice("GREGORIAN", "CHINESE")(value) == "CHINESE"),
    "X-WORKDAYS": ("workdays", lambda value: _choice("CN")(value) == "CN"),
    "WKST": ("", str),
    "SKIP": ("", str),
}


def _checked(rule: Rule) -> Rule:
    wrong = {
        "COUNT: not together with UNTIL": rule.count and rule.until,
        "BYMONTHDAY: needs DAILY, MONTHLY or YEARLY": rule.monthdays and rule.freq in ("WEEKLY", *SHORT),
        "BYDAY: counts from 1 in MONTHLY and YEARLY alone": rule.freq not in ("MONTHLY", "YEARLY")
        and any(nth for nth, _ in rule.weekdays),
        "BYDAY: needs BYMONTH in YEARLY": rule.freq == "YEARLY" and rule.weekdays and not rule.months,
        "BYSETPOS: needs days to choose from": rule.position
        and (rule.freq in ("DAILY", *SHORT) or not (rule.weekdays or rule.monthdays or rule.workdays)),
        "X-WORKDAYS: needs DAILY, WEEKLY, or MONTHLY with BYSETPOS": rule.workdays
        and not (rule.freq in ("DAILY", "WEEKLY") or (rule.freq == "MONTHLY" and rule.position)),
        "RSCALE: needs MONTHLY or YEARLY days of the month": rule.lunar
        and (rule.freq not in ("MONTHLY", "YEARLY") or rule.weekdays or rule.workdays or rule.position),
        f"FREQ: at least {SHORTEST_MINUTES} minutes": rule.freq == "MINUTELY" and rule.interval < SHORTEST_MINUTES,
        "FREQ: only BYHOUR and BYDAY go with it": rule.freq in SHORT and (rule.months or rule.minutes),
    }
    for reason, is_wrong in wrong.items():
        if is_wrong:
            raise BadRule(reason)
    return rule

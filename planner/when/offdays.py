"""The official calendar: days off, and the weekend days worked instead. From tyme4py, as far as it is published."""

import re
from datetime import date, timedelta
from functools import cache
from importlib import import_module

_SATURDAY = 5
_ENTRY = re.compile(r"(\d{4})(\d\d)(\d\d)([01])\d[+-]\d\d")
_LONGEST = 16


@cache
def _moved() -> dict[date, bool]:
    """Day, then whether it is worked. Loaded at its first use: few messages ask for it."""
    data = import_module("tyme4py.holiday").LegalHoliday.DATA
    return {date(int(y), int(m), int(d)): off == "0" for y, m, d, off in _ENTRY.findall(data)}


@cache
def _years() -> frozenset[int]:
    return frozenset(day.year for day in _moved())


def known(year: int) -> bool:
    return year in _years()


def works(day: date) -> bool:
    """By the published calendar; Monday to Friday for a year that has none yet."""
    return _moved().get(day, day.weekday() < _SATURDAY)


def following(day: date, count: int) -> date:
    """The day `count` working days after `day`."""
    while count:
        day += timedelta(days=1)
        count -= works(day)
    return day


def preceding(day: date, count: int) -> date:
    """The day `count` working days before `day`."""
    while count:
        day -= timedelta(days=1)
        count -= works(day)
    return day


def around(feast: date) -> tuple[date, date] | None:
    """The published break that holds a feast, half open; None where the year has none yet, or no such break."""
    if _moved().get(feast, True):
        return None
    first = last = feast
    while not works(first - timedelta(days=1)) and (feast - first).days < _LONGEST:
        first -= timedelta(days=1)
    while not works(last) and (last - feast).days < _LONGEST:
        last += timedelta(days=1)
    return first, last

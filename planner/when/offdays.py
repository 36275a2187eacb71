"""The official calendar: days off, and the weekend days worked instead. From tyme4py, as far as it is published."""

import re
from datetime import date, timedelta
from functools import cache
from importlib import import_module

from planner.when import lunar, terms

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
    """By the published calendar; for a year that has none yet Monday to Friday, without the feasts that the law names."""
    told = _moved().get(day)
    return (day.weekday() < _SATURDAY and day not in _legal(day.year)) if told is None else told


@cache
def _legal(year: int) -> frozenset[date]:
    """The days off that need no calendar: of the Spring Festival four, the National Day three, Labour Day two, else one."""
    if known(year):
        return frozenset()
    fixed = [date(year, month, day) for month, day in ((1, 1), (5, 1), (5, 2), (10, 1), (10, 2), (10, 3))]
    feasts = [lunar.last_day(year - 1), terms.of_year("清明", year)]
    feasts += [lunar.civil(year, *each) for each in ((1, 1), (1, 2), (1, 3), (5, 5), (8, 15))]
    return frozenset([*fixed, *(day for day in feasts if day)])


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

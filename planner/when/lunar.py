"""The Chinese lunar calendar from 1900 to 2100, both ways."""

from bisect import bisect_right
from datetime import date, timedelta

_FIRST_YEAR = 1900
_FIRST_DAY = date(1900, 1, 31)

# A year in one number: bit 16 tells a long leap month, bits 15 to 4 the long months from the first to the twelfth,
# the last digit the leap month (0: none). Computed from the official calendar, GB/T 33661.
_CODES = """
    04bd8 04ae0 0a570 054d5 0d260 0d950 16554 056a0 09ad0 055d2 04ae0 0a5b6 0a4d0 0d250 1d255 0b540 0d6a0 0ada2 095b0
    14977 04970 0a4b0 0b4b5 06a50 06d40 1ab54 02b60 09570 052f2 04970 06566 0d4a0 0ea50 16a95 05ad0 02b60 186e3 092e0
    1c8d7 0c950 0d4a0 1d8a6 0b550 056a0 1a5b4 025d0 092d0 0d2b2 0a950 0b557 06ca0 0b550 15355 04da0 0a5b0 14573 052b0
    0a9a8 0e950 06aa0 0aea6 0ab50 04b60 0aae4 0a570 05260 0f263 0d950 05b57 056a0 096d0 04dd5 04ad0 0a4d0 0d4d4 0d250
    0d558 0b540 0b6a0 195a6 095b0 049b0 0a974 0a4b0 0b27a 06a50 06d40 0af46 0ab60 09570 04af5 04970 064b0 074a3 0ea50
    06b58 05ac0 0ab60 096d5 092e0 0c960 0d954 0d4a0 0da50 07552 056a0 0abb7 025d0 092d0 0cab5 0a950 0b4a0 0baa4 0ad50
    055d9 04ba0 0a5b0 15176 052b0 0a930 07954 06aa0 0ad50 05b52 04b60 0a6e6 0a4e0 0d260 0ea65 0d530 05aa0 076a3 096d0
    04afb 04ad0 0a4d0 1d0b6 0d250 0d520 0dd45 0b5a0 056d0 055b2 049b0 0a577 0a4b0 0aa50 1b255 06d20 0ada0 14b63 09370
    049f8 04970 064b0 168a6 0ea50 06b20 1a6c4 0aae0 092e0 0d2e3 0c960 0d557 0d4a0 0da50 05d55 056a0 0a6d0 055d4 052d0
    0a9b8 0a950 0b4a0 0b6a6 0ad50 055a0 0aba4 0a5b0 052b0 0b273 06930 07337 06aa0 0ad50 14b55 04b60 0a570 054e4 0d160
    0e968 0d520 0daa0 16aa6 056d0 04ae0 0a9d4 0a2d0 0d150 0f252 0d520"""
_YEARS = [int(code, 16) for code in _CODES.split()]

Month = tuple[int, int, bool]


def _months() -> tuple[list[int], list[Month], list[int]]:
    starts: list[int] = []
    names: list[Month] = []
    lengths: list[int] = []
    day = _FIRST_DAY.toordinal()
    for offset, code in enumerate(_YEARS):
        for month, leap, length in _year_months(code):
            starts.append(day)
            names.append((_FIRST_YEAR + offset, month, leap))
            lengths.append(length)
            day += length
    return starts, names, lengths


def _year_months(code: int) -> list[tuple[int, bool, int]]:
    months = []
    for month in range(1, 13):
        months.append((month, False, 30 if code & (1 << (16 - month)) else 29))
        if month == code & 0xF:
            months.append((month, True, 30 if code & 0x10000 else 29))
    return months


_STARTS, _NAMES, _LENGTHS = _months()
_PLACES = {name: place for place, name in enumerate(_NAMES)}


def civil(year: int, month: int, day: int, *, leap: bool = False) -> date | None:
    """The civil date of a lunar one; None where that month has no such day, or the table no such year."""
    place = _PLACES.get((year, month, leap))
    if place is None or not 1 <= day <= _LENGTHS[place]:
        return None
    return date.fromordinal(_STARTS[place] + day - 1)


def coming(month: int, day: int, floor: date, *, leap: bool = False) -> date | None:
    """The first such lunar day on or after `floor`. The thirtieth of the twelfth month is the year's last day."""
    for year in range(floor.year - 1, floor.year + 3):
        found = last_day(year) if (month, day) == (12, 30) else civil(year, month, day, leap=leap)
        if found and found >= floor:
            return found
    return None


def coming_day(day: int, floor: date) -> date | None:
    """The first «初三» on or after `floor`, in whatever month."""
    place = bisect_right(_STARTS, floor.toordinal()) - 1
    for start in _STARTS[max(place, 0) : place + 2]:
        found = date.fromordinal(start + day - 1)
        if found >= floor:
            return found
    return None


def last_day(year: int) -> date | None:
    """New Year's Eve, which ends that lunar year."""
    first = civil(year + 1, 1, 1)
    return first - timedelta(days=1) if first else None


def month_days(year: int, month: int, *, leap: bool = False) -> tuple[date, date] | None:
    """A lunar month as a half-open span of civil days."""
    place = _PLACES.get((year, month, leap))
    if place is None:
        return None
    first = date.fromordinal(_STARTS[place])
    return first, first + timedelta(days=_LENGTHS[place])


def place(day: date) -> int:
    """The number of the lunar month that holds this day, counted from the table's first."""
    return bisect_right(_STARTS, day.toordinal()) - 1


def of(day: date) -> tuple[int, int, int]:
    """Lunar year, month and day; a leap month by its number."""
    found = place(day)
    year, month, _ = _NAMES[found]
    return year, month, day.toordinal() - _STARTS[found] + 1


def month_at(found: int) -> tuple[date, date] | None:
    """The lunar month of that number as a half-open span; None beyond the table."""
    if not 0 <= found < len(_STARTS):
        return None
    first = date.fromordinal(_STARTS[found])
    return first, first + timedelta(days=_LENGTHS[found])

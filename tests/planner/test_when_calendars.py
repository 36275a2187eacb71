"""Our tables beside the library's: lunar months, solar terms, the days worked."""

from datetime import date, timedelta

import pytest
from tyme4py.holiday import LegalHoliday
from tyme4py.lunar import LunarDay
from tyme4py.solar import SolarTerm

from planner.when import lunar, offdays, terms


@pytest.mark.parametrize("year", range(1901, 2100, 22))
def test_lunar_days_are_the_librarys(year):
    for month in range(1, 13):
        theirs = LunarDay.from_ymd(year, month, 29).get_solar_day()

        assert lunar.civil(year, month, 29) == date(theirs.get_year(), theirs.get_month(), theirs.get_day())


@pytest.mark.parametrize("year", range(1900, 2101, 10))
def test_solar_terms_are_the_librarys(year):
    for place, name in enumerate(terms.NAMES, start=1):
        theirs = SolarTerm.from_index(year + place // 24, place % 24).get_julian_day().get_solar_day()

        assert terms.of_year(name, year) == date(theirs.get_year(), theirs.get_month(), theirs.get_day())


def test_the_days_worked_in_2026_are_the_librarys():
    for step in range(365):
        day = date(2026, 1, 1) + timedelta(days=step)
        theirs = LegalHoliday.from_ymd(day.year, day.month, day.day)

        assert offdays.works(day) == (theirs.is_work() if theirs else day.weekday() < 5)


def test_a_year_without_a_calendar_works_monday_to_friday():
    assert not offdays.known(2099)
    assert offdays.following(date(2099, 1, 2), 1) == date(2099, 1, 5)

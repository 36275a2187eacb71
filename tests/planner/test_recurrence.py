"""Rules → occurrences: RFC 5545 where it speaks, stated conventions where it does not, and an end to every search."""

from datetime import datetime, timedelta
from itertools import islice

import pytest
from dateutil.rrule import rrulestr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.recurrence import BadRule, occurrences, parse, settled

D = datetime


def days(text: str, start: datetime, n: int = 4, *, all_day: bool = True, since: datetime | None = None) -> list[str]:
    rule = settled(parse(text), start, all_day=all_day)
    form = "%Y-%m-%d" if all_day else "%m-%d %H:%M"
    return [f"{moment:{form}}" for moment in islice(occurrences(rule, start, since=since), n)]


MONTH_ENDS = {
    "FREQ=MONTHLY;BYMONTHDAY=31": ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"],
    "FREQ=MONTHLY;BYMONTHDAY=-1": ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"],
    "FREQ=MONTHLY;BYMONTHDAY=30,31": ["2026-01-30", "2026-01-31", "2026-02-28", "2026-03-30"],
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29": ["2026-02-28", "2027-02-28", "2028-02-29", "2029-02-28"],
    "FREQ=MONTHLY;BYDAY=-1FR": ["2026-01-30", "2026-02-27", "2026-03-27", "2026-04-24"],
    "FREQ=MONTHLY;BYDAY=5FR": ["2026-01-30", "2026-05-29", "2026-07-31", "2026-10-30"],
    "FREQ=MONTHLY;BYSETPOS=-1;X-WORKDAYS=CN": ["2026-01-30", "2026-02-28", "2026-03-31", "2026-04-30"],
}


@pytest.mark.parametrize(("rule", "expected"), MONTH_ENDS.items(), ids=list(MONTH_ENDS))
def test_a_day_that_a_month_lacks_is_its_last(rule, expected):
    assert days(rule, D(2026, 1, 15)) == expected


LUNAR = {
    "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15": ["2026-09-25", "2027-09-15", "2028-10-03", "2029-09-22"],
    "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=30": ["2026-02-16", "2027-02-05", "2028-01-25", "2029-02-12"],
    "RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1": ["2026-01-19", "2026-02-17", "2026-03-19", "2026-04-17"],
}


@pytest.mark.parametrize(("rule", "expected"), LUNAR.items(), ids=list(LUNAR))
def test_lunar_days_are_found_every_year(rule, expected):
    assert days(rule, D(2026, 1, 15)) == expected


def test_a_lunar_rule_without_a_day_takes_that_of_its_start():
    assert str(settled(parse("RSCALE=CHINESE;FREQ=YEARLY"), D(2026, 9, 25), all_day=True)) == (
        "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15"
    )


def test_work_days_leave_out_holidays_and_take_make_up_days():
    worked = days("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;X-WORKDAYS=CN", D(2026, 9, 19), 14)

    assert "2026-09-20" in worked  # a Sunday worked for the days off in October
    assert "2026-09-25" not in worked  # Mid-Autumn
    assert not [day for day in worked if "2026-10-01" <= day <= "2026-10-07"]
    assert "2026-10-10" in worked


def test_work_days_of_a_year_not_yet_published_are_monday_to_friday():
    assert days("FREQ=DAILY;X-WORKDAYS=CN", D(2031, 3, 7), 3) == ["2031-03-07", "2031-03-10", "2031-03-11"]


def test_a_count_becomes_the_last_moment_it_reaches():
    rule = settled(parse("FREQ=DAILY;COUNT=3"), D(2026, 12, 2, 9, 30), all_day=False)

    assert str(rule) == "FREQ=DAILY;BYHOUR=9;BYMINUTE=30;UNTIL=20261204T093000"


def test_until_is_inclusive_and_a_date_lasts_to_its_end():
    assert days("FREQ=DAILY;UNTIL=20261204", D(2026, 12, 2, 21), 9, all_day=False) == [
        "12-02 21:00", "12-03 21:00", "12-04 21:00"
    ]  # fmt: skip


def test_every_other_week_keeps_its_phase_from_any_of_its_turns():
    whole = days("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", D(2026, 9, 16), 8)

    assert days("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", D.fromisoformat(whole[3]), 5) == whole[3:]


def test_half_hours_within_office_hours():
    found = days("FREQ=MINUTELY;INTERVAL=30;BYHOUR=9,10", D(2026, 12, 1, 9), 5, all_day=False)

    assert found == ["12-01 09:00", "12-01 09:30", "12-01 10:00", "12-01 10:30", "12-02 09:00"]


REFUSED = [
    "", "FREQ", "FREQ=SECONDLY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=99999", "FREQ=MINUTELY",
    "FREQ=MINUTELY;INTERVAL=9", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYEASTER=1", "FREQ=WEEKLY;BYDAY=1MO",
    "FREQ=WEEKLY;BYMONTHDAY=3", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=YEARLY;BYDAY=MO",
    "FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=3;UNTIL=20270101", "FREQ=DAILY;UNTIL=tomorrow", "FREQ=DAILY;BYHOUR=24",
    "FREQ=DAILY;BYSETPOS=1", "RSCALE=HEBREW;FREQ=YEARLY", "RSCALE=CHINESE;FREQ=WEEKLY", "FREQ=MONTHLY;X-WORKDAYS=CN",
]  # fmt: skip


@pytest.mark.parametrize("text", REFUSED)
def test_a_rule_that_is_not_known_is_refused(text):
    with pytest.raises(BadRule):
        parse(text)


NEVER = ["FREQ=DAILY;UNTIL=20200101", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=1,2;BYDAY=MO;INTERVAL=1000"]


@pytest.mark.parametrize("text", NEVER)
def test_a_rule_that_never_occurs_is_refused_after_a_bounded_search(text):
    with pytest.raises(BadRule):
        settled(parse(text), D(2026, 1, 1), all_day=True)


@pytest.mark.parametrize("year", [1990, 2100, 9999])
def test_a_start_beyond_the_calendars_is_refused(year):
    with pytest.raises(BadRule):
        settled(parse("FREQ=DAILY"), D(year, 1, 1), all_day=True)


RULES = st.one_of(
    st.builds("FREQ=DAILY;INTERVAL={}".format, st.integers(1, 40)),
    st.builds("FREQ=WEEKLY;INTERVAL={};BYDAY={}".format, st.integers(1, 6), st.sampled_from(["MO", "SU", "TU,TH,SA"])),
    st.builds("FREQ=MONTHLY;INTERVAL={};BYMONTHDAY={}".format, st.integers(1, 14), st.sampled_from([1, 28, -1, "3,15"])),
    st.builds("FREQ=MONTHLY;BYDAY={}".format, st.sampled_from(["1MO", "-1FR", "2TU,4TU", "5WE"])),
    st.builds("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS={}".format, st.sampled_from([1, -1, 3])),
    st.builds("FREQ=YEARLY;BYMONTH={};BYMONTHDAY={}".format, st.integers(1, 12), st.integers(1, 28)),
    st.builds("FREQ=HOURLY;INTERVAL={}".format, st.integers(1, 30)),
)
STARTS = st.datetimes(D(2024, 1, 1), D(2030, 1, 1)).map(lambda moment: moment.replace(second=0, microsecond=0))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rule=RULES, start=STARTS, later=st.timedeltas(timedelta(0), timedelta(days=900)))
def test_where_the_rfc_speaks_another_implementation_agrees(rule, start, later):
    ours = occurrences(settled(parse(rule), start, all_day=False), start, since=start + later)

    theirs = rrulestr(rule, dtstart=start).xafter(start + later, count=6, inc=True)
    assert list(islice(ours, 6)) == list(theirs)


@settings(max_examples=200, deadline=2000)
@given(text=st.text(alphabet="FREQ=DAILYWKMONTHUBS;,-+0123456789", max_size=60), start=STARTS)
def test_whatever_is_written_ends_in_a_rule_or_a_refusal(text, start):
    try:
        rule = settled(parse(text), start, all_day=False)
    except BadRule:
        return
    assert parse(str(rule)) == rule
    assert next(occurrences(rule, start)) >= start

"""Readings that only the task itself settles."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.actions import Changes
from planner.operations.readings import nearer_half, renamed, same_week

ZONE = ZoneInfo("Asia/Shanghai")


def at(day: int, hour: int) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=ZONE)


@pytest.mark.parametrize(("was", "said", "meant"), [(10, 21, 9), (20, 21, 21), (15, 16, 16), (8, 19, 7)])
def test_a_bare_clock_is_in_the_half_of_the_day_nearer_to_what_was(was, said, meant):
    assert nearer_half(at(12, was), at(12, said)) == at(12, meant)


@pytest.mark.parametrize(("was", "said", "meant"), [(18, 12, 19), (18, 17, 17), (22, 16, 16), (16, 15, 22)])
def test_a_corrected_weekday_is_of_the_week_that_was_said(was, said, meant):
    assert same_week(at(was, 15), at(said, 0), ZONE) == at(meant, 0)


RENAMES = {
    ("李总", "王总", "和王总开会"): "和李总开会",
    ("和李总开会", "", "和王总开会"): "和李总开会",
    ("给表姐回信", "给表哥", "给表哥回信"): "给表姐回信",
    ("李总", "王总", "写周报"): "李总",
}


@pytest.mark.parametrize(("told", "title"), RENAMES.items(), ids=["a part", "the whole", "with what follows", "a part that is not there"])
def test_a_title_changes_where_it_was_wrong(told, title):
    new, instead_of, old = told

    assert renamed(old, Changes(title=new, instead_of=instead_of)) == title

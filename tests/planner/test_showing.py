"""How answers to questions read."""

from datetime import UTC, datetime, timedelta

import pytest

from planner import texts
from planner.actions import Create, Query
from planner.models import Task
from planner.operations import apply
from tests.builders import planned, scope

pytestmark = pytest.mark.django_db(transaction=True)


def asked(who, **query) -> str:
    return apply("query", Query(**query), scope(who), key="test:query:1").summary


def noon(days: int) -> datetime:
    return datetime.now(UTC).replace(hour=4, minute=0, second=0, microsecond=0) + timedelta(days=days)


def test_a_list_has_a_heading_for_each_day_and_numbers_throughout(mei):
    planned(mei, "开会", noon(2))
    planned(mei, "面试", noon(2) + timedelta(hours=2))
    planned(mei, "交报告", noon(3))
    planned(mei, "买菜")

    lines = asked(mei).splitlines()

    day, next_day = texts.day(noon(2), mei.zone), texts.day(noon(3), mei.zone)
    assert lines == ["共 4 件：", day, "1. 12:00 开会", "2. 14:00 面试", next_day, "3. 12:00 交报告", "没定时间", "4. 买菜"]


def test_a_list_of_one_day_names_it_once(mei):
    planned(mei, "开会", noon(2))
    start = noon(2).astimezone(mei.zone).replace(hour=0)

    text = asked(mei, range="后天", start=start, end=start + timedelta(days=1))

    assert text.splitlines() == [f"后天（{texts.day(start, mei.zone)}）共 1 件：", "1. 12:00 开会"]


def test_what_should_have_been_done_is_marked(mei):
    Task.objects.create(follower=mei, title="开会", start=datetime.now(UTC) - timedelta(hours=2))

    assert "开会（已过）" in asked(mei)


def test_free_hours_are_said_with_what_is_planned(mei):
    planned(mei, "开会", noon(2), end=noon(2) + timedelta(hours=1))
    start = noon(2) - timedelta(hours=1)

    text = asked(mei, range="后天中午", start=start, end=start + timedelta(hours=4), free=True)

    assert text == f"{texts.day(start, mei.zone)}：11:00–12:00、13:00–15:00 有空（有 12:00 开会）"


def test_a_clash_is_mentioned_and_both_are_kept(mei):
    planned(mei, "开会", noon(2), end=noon(2) + timedelta(hours=1))

    made = apply("create", Create(title="面试", start=noon(2) + timedelta(minutes=40)), scope(mei), key="test:create:1")

    assert "和 12:00 开会 时间撞了" in made.summary
    assert Task.objects.filter(status=Task.OPEN).count() == 2


@pytest.mark.parametrize("wanted", [{}, {"start": noon(2)}, {"start": noon(2), "remind": ["准时"]}, {"rrule": "FREQ=DAILY"}])
def test_what_is_said_twice_is_kept_twice_and_the_first_is_mentioned(mei, wanted):
    first = apply("create", Create(title="吃药", **wanted), scope(mei), key="test:create:1")

    again = apply("create", Create(title="吃药", **wanted), scope(mei), key="test:create:2")

    assert "已经有一件一样的" in again.summary
    assert "已经有" not in first.summary
    assert Task.objects.filter(status=Task.OPEN).count() == 2


@pytest.mark.parametrize("other", [{"title": "吃饭"}, {"title": "吃药", "start": noon(3)}, {"title": "吃药", "rrule": "FREQ=DAILY"}])
def test_another_name_time_or_rule_is_no_twin(mei, other):
    apply("create", Create(title="吃药"), scope(mei), key="test:create:1")

    made = apply("create", Create(**other), scope(mei), key="test:create:2")

    assert "已经有" not in made.summary


@pytest.mark.parametrize(("minutes", "remind"), [(60, []), (-40, []), (10, ["准时"])])
def test_what_only_touches_or_is_a_bare_reminder_is_no_clash(mei, minutes, remind):
    planned(mei, "开会", noon(2), end=noon(2) + timedelta(hours=1))
    wanted = Create(title="喝水", start=noon(2) + timedelta(minutes=minutes), remind=remind)

    made = apply("create", wanted, scope(mei), key="test:create:1")

    assert "撞" not in made.summary


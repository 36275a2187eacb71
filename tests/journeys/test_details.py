"""Talks that go on with details: places, numbers, who else comes, what is to be done before, the same once more."""

from datetime import timedelta

import pytest

from planner.models import Reminder, Task
from tests.journeys.talk import Talk, at_ten, hour, only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    return at_ten(Talk(mei, wechat, clock))


@pytest.mark.parametrize(
    ("detail", "noted"),
    [
        ("在学校礼堂", "在学校礼堂"),
        ("参会的有老王和小李", "参会的有老王和小李"),
        ("会议号 123 456", "会议号 123 456"),
        ("号码是13800138000", "号码是13800138000"),
        ("带队的叫张老师，备注一下", "带队的叫张老师"),
        ("换到五号会议室", "地点：五号会议室"),
        ("提醒我带户口本", "提醒我带户口本"),
        ("会改线上了", "线上"),
    ],
)
def test_a_detail_that_follows_a_plan_is_noted_with_it(mei_talks, mei, detail, noted):
    mei_talks.says("周五下午三点开会")

    assert "改好了" in mei_talks.says(detail)
    assert only(mei).notes == noted


def test_what_is_to_be_done_the_evening_before_rings_then(mei_talks, mei):
    mei_talks.says("下周三下午两点面试")

    mei_talks.says("提前一天晚上提醒我收拾东西")

    task = only(mei)
    ring = Reminder.objects.get(task=task, status=Reminder.PENDING)
    assert ring.due_at == task.start - timedelta(hours=18)
    assert task.notes == "收拾东西"


def test_what_is_to_be_done_days_before_is_a_lead_of_the_plan(mei_talks, mei):
    mei_talks.says("下下周三我妈生日")

    assert "提前3天提醒（买蛋糕）" in mei_talks.says("提前三天买蛋糕")
    assert only(mei).title == "我妈生日"


def test_until_when_is_the_end_of_what_has_begun(mei_talks):
    mei_talks.says("后天晚上八点加班")

    assert "20:00–22:00" in mei_talks.says("到十点")


def test_the_same_on_another_day_is_a_task_of_its_own(mei_talks, mei):
    mei_talks.says("后天晚上八点加班")

    said = mei_talks.says("大后天也是")

    assert "20:00 加班" in said
    assert [task.title for task in Task.objects.filter(follower=mei)] == ["加班", "加班"]


def test_when_it_is_may_be_asked_without_its_name(mei_talks):
    mei_talks.says("后天下午四点家长会")

    assert "16:00 家长会" in mei_talks.says("几点来着")


def test_with_nothing_planned_lately_the_clock_is_asked_about(mei_talks):
    assert "现在是" in mei_talks.says("几点来着")


def test_the_part_of_a_day_that_was_planned_is_its_time(mei_talks, mei):
    mei_talks.says("后天交电费")

    mei_talks.says("后天早上")

    assert hour(only(mei)) == 8


def test_a_weekend_that_is_skipped_takes_both_turns_out(mei_talks, mei):
    mei_talks.says("每天早上六点半跑步")

    said = mei_talks.says("跑步下周末不跑了")

    assert "删掉了 2 件" in said
    assert len(only(mei).exdates) == 2


def test_all_of_it_undone_brings_both_turns_back(mei_talks, mei):
    mei_talks.says("每天早上六点半跑步")
    mei_talks.says("跑步下周末不跑了")

    mei_talks.says("撤销")

    assert only(mei).exdates == []


def test_a_series_that_is_stopped_is_gone(mei_talks, mei):
    mei_talks.says("每天早上六点半跑步")

    mei_talks.says("把跑步停了")

    assert not Task.objects.filter(follower=mei, status=Task.OPEN).exists()


def test_dropping_everything_asks_first(mei_talks, mei):
    mei_talks.says("后天下午三点开会，大后天聚餐")

    assert "确定吗" in mei_talks.says("都取消")
    assert Task.objects.filter(follower=mei, status=Task.OPEN).count() == 2

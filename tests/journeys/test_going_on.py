"""Talks that go on: what follows a plan adds to it, without its name."""

import pytest

from planner.models import Task
from tests.journeys.talk import Talk, at_ten, hour, only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    return at_ten(Talk(mei, wechat, clock))


@pytest.mark.parametrize(
    ("planned", "more", "at"),
    [
        ("下周一家长会", "下午两点", 14),
        ("周五晚上聚餐", "七点", 19),
        ("记得拿快递", "今天下班后", 18),
        ("下周一家长会", "改成三点吧", 15),
    ],
)
def test_a_clock_that_follows_is_that_of_the_plan(mei_talks, mei, planned, more, at):
    mei_talks.says(planned)

    said = mei_talks.says(more)

    assert "改好了" in said
    assert hour(only(mei)) == at


def test_a_bare_day_asks_and_a_day_that_is_settled_on_tells(mei_talks, mei):
    mei_talks.says("买菜")

    assert "没有安排" in mei_talks.says("明天")
    assert "买菜 改好了" in mei_talks.says("就明天吧")


def test_a_clock_after_a_plan_that_has_its_own_is_asked_about(mei_talks, mei):
    mei_talks.says("明天下午三点开会")

    assert "七点要做什么" in mei_talks.says("七点")
    assert hour(only(mei)) == 15


def test_a_clock_after_two_plans_is_asked_about(mei_talks):
    mei_talks.says("下周一家长会，下周二体检")

    assert "下午两点要做什么" in mei_talks.says("下午两点")


def test_long_afterwards_a_clock_alone_is_asked_about(mei_talks):
    mei_talks.says("下周一家长会")
    mei_talks.later(minutes=40)

    assert "下午两点要做什么" in mei_talks.says("下午两点")


def test_a_place_and_company_become_notes_and_keep_each_other(mei_talks, mei):
    mei_talks.says("周五晚上七点聚餐")

    mei_talks.says("在海底捞")
    mei_talks.says("和老同学")
    mei_talks.says("备注带礼物")

    assert only(mei).notes == "在海底捞；和老同学；带礼物"


def test_with_somebody_to_do_something_is_a_plan_of_its_own(mei_talks, mei):
    mei_talks.says("周五晚上七点聚餐")

    mei_talks.says("和客户开会")

    assert Task.objects.filter(follower=mei).count() == 2


def test_one_more_lead_is_added_and_a_lead_alone_replaces(mei_talks, mei):
    mei_talks.says("下周一下午三点家长会")

    assert "提前1小时提醒" in mei_talks.says("提前一小时")
    assert "提前1天、提前1小时提醒" in mei_talks.says("再提前一天也提醒一次")
    assert "提前2小时提醒" in mei_talks.says("提前两小时提醒我")


@pytest.mark.parametrize(
    ("planned", "rule"),
    [
        ("老婆生日3月8号", "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8"),
        ("妈妈生日农历八月十五", "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15"),
    ],
)
def test_a_rhythm_that_follows_repeats_the_plan(mei_talks, mei, planned, rule):
    mei_talks.says(planned)

    mei_talks.says("每年都提醒")

    assert only(mei).rrule.startswith(rule)


def test_an_end_that_follows_ends_the_series(mei_talks, mei):
    mei_talks.says("每周三下午三点例会")

    mei_talks.says("到明年六月底为止")

    assert "UNTIL=" in only(mei).rrule


def test_what_is_no_name_does_not_answer_the_question_for_one(mei_talks, mei):
    mei_talks.says("明天下午三点开会")
    assert "七点要做什么" in mei_talks.says("七点")

    assert "不客气" in mei_talks.says("好的谢谢")
    assert "开会 改好了" in mei_talks.says("提前一小时叫我")
    assert [task.title for task in Task.objects.filter(follower=mei)] == ["开会"]


def test_the_duty_before_a_trip_is_a_task_of_its_own(mei_talks, mei):
    mei_talks.says("下周一早上九点出差，下周三晚上回来，出差前一天晚上提醒我收拾行李")

    packing = Task.objects.get(follower=mei, title="收拾行李")
    assert (packing.start.astimezone(mei.zone).weekday(), hour(packing)) == (6, 20)


def test_whether_an_hour_is_free_is_answered_for_that_hour(mei_talks):
    mei_talks.says("明天下午两点到四点面试")

    assert "排满了（有 14:00 面试）" in mei_talks.says("明天三点我有空吗")
    assert "都有空" in mei_talks.says("明天五点我有空吗")


def test_where_something_is_shows_its_notes(mei_talks):
    mei_talks.says("下周一下午三点家长会")
    mei_talks.says("在三楼会议室")

    assert "在三楼会议室" in mei_talks.says("家长会在哪")


def test_how_the_settings_stand_can_be_asked(mei_talks):
    mei_talks.says("每天早上七点半发早报")
    mei_talks.says("默认提前一天提醒")

    said = mei_talks.says("我的设置")

    assert "早报 每天 07:30" in said
    assert "默认提醒 提前1天" in said


def test_two_days_of_one_month_are_both_monthly(mei_talks, mei):
    mei_talks.says("每月10号还房贷，25号还信用卡")

    assert set(Task.objects.filter(follower=mei).values_list("rrule", flat=True)) == {
        "FREQ=MONTHLY;BYMONTHDAY=10",
        "FREQ=MONTHLY;BYMONTHDAY=25",
    }


def test_a_length_alone_is_that_of_the_plan(mei_talks):
    mei_talks.says("明天下午两点开会")

    assert "14:00–15:30" in mei_talks.says("一个半小时")


def test_the_same_thing_with_a_clock_is_no_second_one(mei_talks, mei):
    mei_talks.says("后天交报告")

    said = mei_talks.says("报告上午交")

    assert "交报告 改好了" in said
    assert hour(only(mei)) == 9


def test_what_is_noted_is_said_back(mei_talks):
    assert "空腹" in mei_talks.says("后天下午三点体检，记得空腹")

"""Talks that go on: what follows a plan adds to it, without its name."""

from datetime import timedelta

import pytest

from planner.clock import app_now
from planner.models import Task
from tests.journeys.talk import Talk

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    """At ten in the morning: no hour of the night makes «明天» doubtful."""
    now = app_now().astimezone(mei.zone)
    ten = (now + timedelta(days=1)).replace(hour=10, minute=0, second=0, microsecond=0)
    clock.forward(seconds=(ten - now).total_seconds())
    return Talk(mei, wechat, clock)


def only(who) -> Task:
    return Task.objects.get(follower=who, status=Task.OPEN)


def hour(task: Task) -> int:
    assert task.start
    return task.start.astimezone(task.follower.zone).hour


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


def test_done_by_its_verb_alone(mei_talks, mei):
    mei_talks.says("记得拿快递")

    assert "完成：拿快递" in mei_talks.says("拿了")


def test_the_duty_before_a_trip_is_a_task_of_its_own(mei_talks, mei):
    mei_talks.says("下周一早上九点出差，下周三晚上回来，出差前一天晚上提醒我收拾行李")

    packing = Task.objects.get(follower=mei, title="收拾行李")
    assert (packing.start.astimezone(mei.zone).weekday(), hour(packing)) == (6, 20)


def test_taking_back_the_last_thing_needs_no_name(mei_talks, mei):
    mei_talks.says("周五晚上七点聚餐")

    assert "删掉了：聚餐" in mei_talks.says("取消吧")
    assert "还在" in mei_talks.says("恢复")


def test_of_a_day_with_two_turns_the_one_meant_is_named(mei_talks):
    mei_talks.says("每天早上八点晚上八点吃药")

    said = mei_talks.says("明天早上的不吃了")

    assert "08:00）" in said
    assert "下一次" in said


def test_whether_an_hour_is_free_is_answered_for_that_hour(mei_talks):
    mei_talks.says("明天下午两点到四点面试")

    assert "排满了（有 14:00 面试）" in mei_talks.says("明天三点我有空吗")
    assert "都有空" in mei_talks.says("明天五点我有空吗")


def test_where_something_is_shows_its_notes(mei_talks):
    mei_talks.says("下周一下午三点家长会")
    mei_talks.says("在三楼会议室")

    assert "在三楼会议室" in mei_talks.says("家长会在哪")


@pytest.mark.parametrize("second_thought", ["算了八点吧", "还是八点", "我是说八点", "对就是八点"])
def test_a_second_thought_moves_what_was_planned(mei_talks, mei, second_thought):
    mei_talks.says("明天早上七点起床")

    mei_talks.says(second_thought)

    assert (only(mei).title, hour(only(mei))) == ("起床", 8)


def test_what_has_rung_is_done_by_its_name_alone(mei_talks, mei):
    mei_talks.says("十分钟后叫我出门")
    assert "⏰ 出门" in mei_talks.later(minutes=11)

    assert "完成：出门" in mei_talks.says("出门了")


def test_an_end_alone_keeps_the_start(mei_talks):
    mei_talks.says("明天下午两点到五点培训")

    assert "14:00–18:00" in mei_talks.says("培训到六点")


def test_the_sunday_of_the_week_that_was_named(mei_talks):
    mei_talks.says("每周六上午十点带孩子上钢琴课")

    said = mei_talks.says("下周的改到周日")

    was, becomes = said.split(" → ")
    assert ("周六" in was, "周日" in becomes) == (True, True)
    assert int(becomes.split("月")[1].split("日")[0]) - int(was.split("月")[1].split("日")[0]) in (1, -29, -30)


def test_of_a_list_one_is_put_to_a_day(mei_talks, mei):
    mei_talks.says("买菜", "洗衣服")
    mei_talks.says("待办")

    assert "洗衣服 改好了" in mei_talks.says("最后一个明天做")


def test_a_turn_that_is_not_held_is_left_out(mei_talks):
    mei_talks.says("每周三下午三点例会")

    assert "取消了这一次：例会" in mei_talks.says("下下周三不开例会")


def test_how_the_settings_stand_can_be_asked(mei_talks):
    mei_talks.says("每天早上七点半发早报")
    mei_talks.says("默认提前一天提醒")

    said = mei_talks.says("我的设置")

    assert "早报 每天 07:30" in said
    assert "默认提醒 提前1天" in said


def test_a_run_of_days_keeps_its_length_when_it_is_put_off(mei_talks):
    mei_talks.says("下周一到下周三去上海出差")

    said = mei_talks.says("出差推迟一天")

    assert ("周二" in said.split(" → ")[1], "周四" in said.split(" → ")[1]) == (True, True)


def test_what_comes_every_day_can_be_kept_to_workdays(mei_talks, mei):
    mei_talks.says("每天早上八点吃药")

    mei_talks.says("只在工作日提醒")

    assert "工作日" in only(mei).repeat
    assert hour(only(mei)) == 8


@pytest.mark.parametrize("said", ["又说周四不行，周五同一时间", "周四不行，周五吧"])
def test_of_two_days_the_possible_one_is_taken(mei_talks, mei, said):
    mei_talks.says("周四下午三点看牙医")

    mei_talks.says(said)

    start = only(mei).start.astimezone(mei.zone)
    assert (start.weekday(), start.hour) == (4, 15)


def test_two_days_of_one_month_are_both_monthly(mei_talks, mei):
    mei_talks.says("每月10号还房贷，25号还信用卡")

    assert set(Task.objects.filter(follower=mei).values_list("rrule", flat=True)) == {
        "FREQ=MONTHLY;BYMONTHDAY=10",
        "FREQ=MONTHLY;BYMONTHDAY=25",
    }


def test_giving_up_names_nothing(mei_talks):
    mei_talks.says("周四下午三点看牙医")

    assert "删掉了：看牙医" in mei_talks.says("算了不看了")


def test_a_length_alone_is_that_of_the_plan(mei_talks):
    mei_talks.says("明天下午两点开会")

    assert "14:00–15:30" in mei_talks.says("一个半小时")


def test_the_same_thing_with_a_clock_is_no_second_one(mei_talks, mei):
    mei_talks.says("后天交报告")

    said = mei_talks.says("报告上午交")

    assert "交报告 改好了" in said
    assert hour(only(mei)) == 9


def test_two_of_one_name_are_both_said_to_be_gone(mei_talks):
    mei_talks.says("后天上午九点开会")
    mei_talks.says("后天下午三点开会")
    mei_talks.says("删除开会")

    assert "删掉了：开会（共 2 件）" in mei_talks.says("两个都删")


def test_an_english_move_names_nothing_new(mei_talks, mei):
    mei_talks.says("meeting tomorrow 3pm")

    mei_talks.says("move it to 4pm")

    assert (only(mei).title, hour(only(mei))) == ("meeting", 16)


def test_how_it_is_held_is_a_note(mei_talks, mei):
    mei_talks.says("明天下午三点产品会议")

    mei_talks.says("会议改成线上")

    assert (only(mei).title, only(mei).notes) == ("产品会议", "线上")


def test_done_after_a_late_ring_is_the_turn_that_it_spoke_of(mei_talks):
    mei_talks.says("每天早上八点晚上八点吃药")
    assert "08:00" in mei_talks.later(hours=22)  # nobody rang at eight in the evening

    said = mei_talks.says("吃了")

    assert "08:00）。下一次" in said
    assert said.endswith("20:00")


def test_of_a_turn_and_its_series_the_one_that_is_said_is_meant(mei_talks, mei):
    mei_talks.says("每周三下午三点例会")
    mei_talks.says("下下周三的例会改到周四")
    mei_talks.says("例会取消")

    mei_talks.says("以后每次")

    assert not Task.objects.filter(follower=mei, status=Task.OPEN).exclude(rrule="").exists()


def test_what_is_noted_is_said_back(mei_talks):
    assert "空腹" in mei_talks.says("后天下午三点体检，记得空腹")


def test_a_bare_rhythm_keeps_day_and_clock(mei_talks, mei):
    mei_talks.says("每两周的周五下午三点交周报")

    assert "每周五 15:00" in mei_talks.says("改成每周")


def test_what_was_deleted_comes_back_by_its_name(mei_talks, mei):
    mei_talks.says("后天下午三点会议")
    mei_talks.says("取消会议")

    assert "重新打开：会议" in mei_talks.says("恢复会议")
    assert hour(only(mei)) == 15


def test_the_one_in_the_evening_is_found_on_any_day(mei_talks, mei):
    mei_talks.says("后天上午十点见客户，后天晚上七点和家人吃饭")

    assert "和家人吃饭 改好了" in mei_talks.says("晚上那个改到周六")

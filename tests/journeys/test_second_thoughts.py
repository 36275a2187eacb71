"""Second thoughts: what was planned is moved, ended, done, taken back or brought back, without its whole name."""

from datetime import timedelta

import pytest

from planner.models import Task
from tests.journeys.talk import Talk, at_ten, hour, only

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    return at_ten(Talk(mei, wechat, clock))


def test_done_by_its_verb_alone(mei_talks, mei):
    mei_talks.says("记得拿快递")

    assert "完成：拿快递" in mei_talks.says("拿了")


def test_taking_back_the_last_thing_needs_no_name(mei_talks, mei):
    mei_talks.says("周五晚上七点聚餐")

    assert "删掉了：聚餐" in mei_talks.says("取消吧")
    assert "还在" in mei_talks.says("恢复")


def test_of_a_day_with_two_turns_the_one_meant_is_named(mei_talks):
    mei_talks.says("每天早上八点晚上八点吃药")

    said = mei_talks.says("明天早上的不吃了")

    assert "08:00）" in said
    assert "下一次" in said


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
    moved = Task.objects.exclude(turn_at=None).get()
    assert ("周六" in was, "周日" in becomes) == (True, True)
    assert moved.start - moved.turn_at == timedelta(days=1)


def test_of_a_list_one_is_put_to_a_day(mei_talks, mei):
    mei_talks.says("买菜", "洗衣服")
    mei_talks.says("待办")

    assert "洗衣服 改好了" in mei_talks.says("最后一个明天做")


def test_a_turn_that_is_not_held_is_left_out(mei_talks):
    mei_talks.says("每周三下午三点例会")

    assert "取消了这一次：例会" in mei_talks.says("下下周三不开例会")


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


def test_giving_up_names_nothing(mei_talks):
    mei_talks.says("周四下午三点看牙医")

    assert "删掉了：看牙医" in mei_talks.says("算了不看了")


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

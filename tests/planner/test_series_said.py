"""What is said of a task that repeats: this turn, that day's, or the whole series — understood, asked, done, undone."""

from datetime import timedelta

import pytest

from planner import texts
from planner.clock import app_now
from planner.models import Reminder, Task
from tests.journeys.talk import Talk

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    talk = Talk(mei, wechat, clock)
    assert "记下了：每天 21:00 吃药" in talk.says("每天晚上九点提醒我吃药")
    return talk


def open_tasks() -> list[str]:
    return list(Task.objects.filter(status=Task.OPEN).values_list("title", flat=True))


def test_a_day_that_is_named_means_that_turn(mei_talks):
    said = mei_talks.says("取消后天的吃药")

    assert "取消了这一次：吃药" in said
    assert open_tasks() == ["吃药"]
    assert len(Task.objects.get().exdates) == 1


def test_without_a_day_it_is_asked_and_the_number_decides(mei_talks):
    asked = mei_talks.says("取消吃药")
    assert "1. 只这一次" in asked
    assert "2. 以后每次（每天 21:00）" in asked

    assert "删掉了：吃药" in mei_talks.says("2")
    assert open_tasks() == []
    assert "撤销了" in mei_talks.says("撤销")
    assert open_tasks() == ["吃药"]


def test_the_first_option_skips_one_turn(mei_talks):
    mei_talks.says("取消吃药")

    assert "取消了这一次" in mei_talks.says("1")
    assert open_tasks() == ["吃药"]


@pytest.mark.parametrize("words", ["删除吃药的整个系列", "每天的吃药不用了"])
def test_words_for_the_whole_series_need_no_question(mei_talks, words):
    assert "删掉了：吃药" in mei_talks.says(words)
    assert open_tasks() == []


def test_this_turn_alone_needs_no_question(mei_talks):
    assert "取消了这一次" in mei_talks.says("取消这次的吃药")
    assert open_tasks() == ["吃药"]


def test_a_new_clock_for_all_is_said_with_its_rhythm(mei_talks):
    said = mei_talks.says("吃药以后都改到晚上十点")

    assert "每天 22:00" in said
    assert Reminder.objects.filter(status=Reminder.PENDING).count() == 1


def test_done_after_it_rang_says_when_it_comes_next(mei_talks):
    rung = mei_talks.later(days=1)
    assert "⏰ 吃药" in rung

    said = mei_talks.says("完成")

    assert "完成：吃药" in said
    assert "下一次" in said
    assert open_tasks() == ["吃药"]


def test_ten_minutes_later_it_rings_again(mei_talks):
    mei_talks.later(days=1)

    assert "再提醒：吃药" in mei_talks.says("10分钟后再提醒")

    assert "⏰ 吃药" in mei_talks.later(minutes=11)


def test_a_flood_of_one_follower_is_one_message(mei_talks, mei, wechat):
    tomorrow = texts.day(app_now() + timedelta(days=1), mei.zone).split()[0]
    for n in range(3):
        mei_talks.says(f"{tomorrow}上午九点做第{n}件事")
    mei_talks.says(f"{tomorrow}上午九点交报告", f"{tomorrow}上午九点开会")
    before = len(wechat.received(mei.openid))

    mei_talks.later(hours=34)

    assert len(wechat.received(mei.openid)) == before + 1

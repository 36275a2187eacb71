"""Talks in which the follower corrects, points, chooses and changes his mind."""

import pytest

from planner.models import Task
from tests.journeys.talk import Talk
from webhook.models import Batch

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def mei_talks(mei, wechat, clock) -> Talk:
    return Talk(mei, wechat, clock)


def hour(who, title: str) -> int:
    return Task.objects.get(follower=who, title=title).start.astimezone(who.zone).hour


def open_titles(who) -> set[str]:
    return set(Task.objects.filter(follower=who, status=Task.OPEN).values_list("title", flat=True))


def test_a_correction_is_about_what_was_said_last(mei_talks, mei):
    mei_talks.says("大后天下午三点面试，后天下午两点开会")

    mei_talks.says("把面试改到大后天下午四点")
    mei_talks.says("不对，是下午五点")

    assert (hour(mei, "面试"), hour(mei, "开会")) == (17, 14)


def test_a_bare_clock_stays_in_its_half_of_the_day(mei_talks, mei):
    mei_talks.says("后天上午十点开会")

    mei_talks.says("开会改到九点")

    assert hour(mei, "开会") == 9


def test_all_but_one_are_done(mei_talks, mei):
    mei_talks.says("买菜", "洗车", "交房租")

    mei_talks.says("除了洗车都做完了")

    assert open_titles(mei) == {"洗车"}


def test_what_names_no_task_is_asked_with_options(mei_talks, mei):
    mei_talks.says("买菜", "洗车")

    assert "1. " in mei_talks.says("删除任务")
    assert "删掉了：洗车" in mei_talks.says("洗车那个")
    assert open_titles(mei) == {"买菜"}


def test_one_of_two_days_is_chosen_by_its_number(mei_talks, mei):
    assert "1. 大后天\n2. 后天" in mei_talks.says("大后天或后天聚餐")

    assert "记下了" in mei_talks.says("2")
    assert open_titles(mei) == {"聚餐"}


def test_what_nobody_can_read_is_said_and_the_rest_is_done(mei_talks, mei):
    answer = mei_talks.says("后天下午三点开会，要是明天下雨的话怎么办")

    assert "记下了：" in answer
    assert "“要是明天下雨的话怎么办”这句没看懂，没有办" in answer
    assert open_titles(mei) == {"开会"}


def test_a_while_after_a_reminder_puts_it_off(mei_talks, mei):
    mei_talks.says("10分钟后提醒我喝水")
    mei_talks.later(minutes=11)

    assert "再提醒：喝水" in mei_talks.says("过20分钟")
    assert "⏰ 喝水" in mei_talks.later(minutes=21)


def test_a_while_without_a_reminder_is_asked_about(mei_talks):
    assert "要做什么" in mei_talks.says("20分钟后")


def test_done_after_a_reminder_is_about_it(mei_talks, mei):
    mei_talks.says("买菜", "10分钟后提醒我喝水", "交房租")
    mei_talks.later(minutes=11)

    assert "完成：喝水" in mei_talks.says("完成")

    assert open_titles(mei) == {"买菜", "交房租"}


def test_a_question_is_dropped_by_a_never_mind_in_other_words(mei_talks, mei):
    mei_talks.says("买菜", "洗车")
    mei_talks.says("删除所有任务")

    assert "好，不删了" in mei_talks.says("都别删")
    assert open_titles(mei) == {"买菜", "洗车"}
    assert not Batch.objects.filter(status=Batch.WAITING).exists()

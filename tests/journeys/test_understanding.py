"""Talks in which the follower corrects, points, chooses and changes his mind."""

import pytest

from planner.models import OperationResult, Task
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


def test_both_of_the_options_are_meant_and_taken_back_together(mei_talks, mei):
    mei_talks.says("产品会后天十点", "部门会大后天下午两点", "大后天买花")
    mei_talks.says("把会取消")

    answer = mei_talks.says("都取消")

    assert "删掉了：产品会\n删掉了：部门会" in answer
    assert open_titles(mei) == {"买花"}
    keys = OperationResult.objects.filter(op="delete").order_by("id").values_list("operation_key", flat=True)
    assert [key.split(":")[-1] for key in keys] == ["1", "1.2"]
    assert "“部门会”还在" in mei_talks.says("撤销")
    assert open_titles(mei) == {"产品会", "部门会", "买花"}


def test_some_of_the_options_are_done(mei_talks, mei):
    mei_talks.says("后天写产品周报", "后天写部门周报", "后天写销售周报")
    mei_talks.says("周报改到大后天")

    mei_talks.says("1和3")

    moved = {task.title for task in Task.objects.filter(follower=mei) if task.version > 1}
    assert moved == {"写产品周报", "写销售周报"}


def test_all_turns_are_meant_in_other_words_than_the_option(mei_talks, mei):
    mei_talks.says("每天晚上九点背单词")
    mei_talks.says("背单词改到八点")

    assert "每天 20:00" in mei_talks.says("以后都改")


def test_a_move_into_something_else_says_so(mei_talks):
    mei_talks.says("大后天下午三点开会", "大后天下午五点看牙医")

    assert "和 15:00 开会 时间撞了" in mei_talks.says("牙医改到下午三点")


def test_another_day_for_what_has_no_clock_leaves_it_without_one(mei_talks, mei):
    mei_talks.says("后天开会")

    mei_talks.says("改成大后天")

    assert Task.objects.get(follower=mei).all_day


def test_an_undo_says_what_is_as_it_was(mei_talks):
    mei_talks.says("大后天下午三点开会")
    mei_talks.says("开会改到下午五点")

    assert "“开会”改回" in (moved := mei_talks.says("撤销"))
    assert "15:00" in moved
    assert "撤销了：不记“开会”了。" in mei_talks.says("撤销")


def test_a_reminder_by_the_day_of_a_task_that_is_there(mei_talks, mei):
    mei_talks.says("大后天上午九点体检")

    mei_talks.says("体检当天早上七点提醒我")
    mei_talks.says("体检前一天晚上九点提醒我")

    assert Task.objects.get(follower=mei).leads == [720, 120]


def test_the_other_one_renames_nothing(mei_talks, mei):
    mei_talks.says("后天产品会", "后天部门会")
    mei_talks.says("把会取消")

    assert "是哪一件" in mei_talks.says("不是这个，是另外那个")
    assert open_titles(mei) == {"产品会", "部门会"}


def test_what_has_no_time_is_mentioned_where_a_day_is_empty(mei_talks):
    mei_talks.says("买菜", "洗车")

    assert "没定时间的有 2 件" in mei_talks.says("后天有什么安排")


def test_a_place_without_a_name_is_that_of_the_last_task(mei_talks, mei):
    mei_talks.says("买菜")
    mei_talks.says("后天开会")

    mei_talks.says("地点在三楼")

    assert Task.objects.get(follower=mei, title="开会").notes == "地点：三楼"

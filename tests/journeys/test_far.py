"""Times that lie beyond the calendar: said to be too far, at whatever place of a talk, and never a failed batch."""

import pytest

from planner.models import Task
from tests.journeys.talk import Talk
from webhook.models import Batch

pytestmark = pytest.mark.django_db(transaction=True)
FAR = ["九千年后", "推迟九千年", "9999年后提醒我喝水", "往后推八十万个月", "改到12345年", "提前九千年", "过九千九百年再说", "每九千年一次", "提前九千年提醒我"]


@pytest.fixture
def talk(mei, wechat, clock) -> Talk:
    talk = Talk(mei, wechat, clock)
    assert "记下了" in talk.says("明天下午三点和客户开会")
    return talk


@pytest.mark.parametrize("words", [*FAR, "把开会推迟九千年", "把开会改到九千年后", "开会提前九千年提醒我"])
def test_right_after_a_plan_it_changes_nothing(talk, words):
    before = Task.objects.values_list("title", "start").get()

    assert talk.says(words)

    assert Task.objects.values_list("title", "start").order_by("id").first() == before
    assert not Batch.objects.exclude(status=Batch.DONE).exclude(status=Batch.WAITING).exists()


def test_a_new_plan_whose_ring_lies_beyond_it_is_not_made(talk):
    assert "日历上没有" in talk.says("后天上午交报告，提前九千年提醒我")

    assert Task.objects.count() == 1


@pytest.mark.parametrize("words", FAR)
def test_as_the_answer_to_a_question_it_fails_nothing(talk, words):
    assert "什么时候" in talk.says("提醒我交房租")

    assert talk.says(words)

    assert not Batch.objects.exclude(status=Batch.DONE).exclude(status=Batch.WAITING).exists()

"""A whole day on an account that can never speak first: everything comes with the follower's own messages."""

import itertools

import pytest

from agent.questions import expire_next
from agent.worker import run_next
from planner.models import Task
from reminders.scan import scan_next
from tests.builders import heard, post, say, xml
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage
from webhook.sweep import submit_quiet, sweep

pytestmark = pytest.mark.django_db(transaction=True)
scenes = itertools.count()


@pytest.fixture(autouse=True)
def mute(settings):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    settings.BATCH_QUIET_SECONDS = 0


class Quiet:
    """What is said is worked on after the delivery has been answered, so it comes with the next one."""

    def __init__(self, who, wechat) -> None:
        self.who, self.api = who, wechat.client()

    def says(self, text: str) -> str:
        say(self.who, text)
        self.work()
        return self.nudges()

    def nudges(self) -> str:
        return heard(post(xml(self.who.openid, MsgType="event", Event="SCAN", EventKey=str(next(scenes)))))

    def work(self) -> None:
        sweep()
        submit_quiet()
        while run_next() or scan_next() or deliver_next(self.api) or expire_next():
            continue


def test_the_whole_product_works_with_passive_answers_alone(mei, wechat, clock):
    talk = Quiet(mei, wechat)

    assert "15:00 和客户开会" in talk.says("后天下午三点和客户开会，后天下午五点部门开会")
    assert "共 2 件" in talk.says("后天有什么安排")
    assert "要删哪一件" in talk.says("取消开会")
    assert "删掉了：部门开会" in talk.says("2")
    assert "撤销了" in talk.says("撤销")
    assert "记下了" in talk.says("10分钟后提醒我喝水")

    clock.forward(minutes=11)
    talk.work()
    assert "⏰ 喝水" in talk.nudges()
    assert talk.nudges() == ""
    assert wechat.requests == []
    assert set(OutboundMessage.objects.values_list("status", "route")) == {("SENT", "passive")}


def test_a_reminder_of_what_was_done_meanwhile_is_not_shown(mei, wechat, clock):
    talk = Quiet(mei, wechat)
    talk.says("10分钟后提醒我喝水")
    clock.forward(minutes=11)
    talk.work()
    Task.objects.update(status=Task.DONE)

    assert talk.nudges() == ""

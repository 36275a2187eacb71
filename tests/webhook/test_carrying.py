"""Several texts in one message when quota is short: each ends as its carrier does, and none is said twice."""

import pytest

from planner.models import Follower, Review, Task
from tests.builders import outbound, planned, say, soon
from tests.doubles.server import Answer
from tests.webhook.sending import deliver
from webhook.models import OutboundMessage
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db
PENDING, SENT, UNKNOWN = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.UNKNOWN
FAILED, CANCELLED = OutboundMessage.FAILED, OutboundMessage.CANCELLED
TOGETHER = "一\n\n二\n\n三"


@pytest.fixture
def three(mei) -> list[OutboundMessage]:
    """Three texts and one message of quota."""
    Follower.objects.update(quota_left=1)
    return [outbound(mei, text) for text in ("一", "二", "三")]


def states() -> list[tuple[str, int | None]]:
    return list(OutboundMessage.objects.order_by("pk").values_list("status", "carried_by_id"))


def test_an_unknown_end_is_one_for_all_and_is_looked_at_once(three, wechat, clock):
    wechat.script("custom/send", Answer(500))

    deliver(wechat, 4)

    assert states() == [(UNKNOWN, None), (SENT, three[0].pk), (SENT, three[0].pk)]
    assert (Review.objects.count(), OutboundMessage.objects.get(pk=three[0].pk).text) == (1, TOGETHER)


def test_a_sender_that_died_leaves_one_for_a_person_with_all_the_words(three, wechat, clock):
    from webhook import delivery

    assert delivery._admit(OutboundMessage.claim(60))
    clock.forward(seconds=61)
    sweep()

    assert states() == [(UNKNOWN, None), (SENT, three[0].pk), (SENT, three[0].pk)]
    assert OutboundMessage.objects.get(pk=three[0].pk).text == TOGETHER


@pytest.mark.parametrize("code", [45011, 40164, 45009])
def test_what_was_not_sent_is_put_together_anew(three, wechat, clock, code):
    wechat.script("custom/send", {"errcode": code})
    deliver(wechat)
    assert states() == [(PENDING, None)] * 3

    clock.forward(hours=25)
    deliver(wechat, 4)

    assert wechat.received(Follower.objects.get().openid) == [TOGETHER]


def test_a_refusal_for_good_takes_nobody_along(three, mei, wechat):
    wechat.script("custom/send", {"errcode": 45002})

    deliver(wechat, 4)

    assert states()[0] == (FAILED, None)
    assert wechat.received(mei.openid) == ["二\n\n三"]


def test_used_up_quota_keeps_all_for_the_next_word(three, mei, wechat):
    wechat.script("custom/send", {"errcode": 45047})

    deliver(wechat, 4)

    assert states() == [(PENDING, None)] * 3
    assert set(OutboundMessage.objects.values_list("waiting", flat=True)) == {True}


def test_a_reminder_of_a_task_that_is_done_is_not_carried(mei, wechat):
    Follower.objects.update(quota_left=1)
    task = planned(mei, "开会", soon(hours=2))
    outbound(mei, "一")
    outbound(mei, "开会了", task=(task.pk, task.version, soon(hours=2)))
    outbound(mei, "三")
    Task.objects.update(status=Task.DONE)

    deliver(wechat, 3)

    assert wechat.received(mei.openid) == ["一\n\n三"]
    assert [status for status, _ in states()] == [SENT, CANCELLED, SENT]


def test_a_tap_opens_three_messages_even_when_five_are_used_up(mei, wechat):
    from tests.builders import post, xml

    Follower.objects.update(quota_left=0)
    post(xml(mei.openid, MsgType="event", Event="CLICK", EventKey="elsewhere"))
    assert Follower.objects.get().quota_left == 3

    say(mei, "你好")
    assert Follower.objects.get().quota_left == 5

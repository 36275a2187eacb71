"""What the follower's own message is answered with: once, the same for every delivery, by the cheapest way."""

import itertools
from datetime import timedelta

import pytest

from planner import texts
from planner.clock import AppNow
from planner.models import Follower, Task
from tests.builders import heard, outbound, planned, post, say, sealed, soon, xml
from tests.vectors import ACCOUNT
from tests.webhook.sending import deliver, never_again
from webhook import passive
from webhook.models import Batch, InboundMessage, OutboundMessage
from webhook.outbox import PART_BYTES
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db
numbers = itertools.count()
PENDING, SENT, CANCELLED = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.CANCELLED


@pytest.fixture
def mute(settings):
    """An account that cannot push, and a hold that is over at once."""
    settings.WECHAT_ACCOUNT_KIND = "unverified"


def nudge(who):
    """Something that asks for nothing."""
    return post(xml(who.openid, MsgType="event", Event="SCAN", EventKey=str(next(numbers))))


def states() -> list[tuple[str, str]]:
    return list(OutboundMessage.objects.order_by("pk").values_list("status", "text"))


def test_what_was_left_over_comes_with_the_next_message_whatever_it_is(mei, mute):
    for say_it in (
        lambda: say(mei, "在吗"),
        lambda: post(xml(mei.openid, MsgType="image")),
        lambda: post(xml(mei.openid, MsgType="event", Event="CLICK", EventKey="other")),
        lambda: post(xml(mei.openid, MsgType="event", Event="SCAN", EventKey="7")),
    ):
        outbound(mei, "记下了")
        assert "记下了" in heard(say_it())
        assert heard(nudge(mei)) == ""


def test_every_delivery_gets_the_same_text_and_the_row_is_sent_once(mei, mute):
    outbound(mei, "记下了")
    body = xml(mei.openid, MsgType="event", Event="SCAN", EventKey="7", sent=1767225600)

    answers = {heard(post(body)) for _ in range(3)}

    assert answers == {"记下了"}
    row = OutboundMessage.objects.get()
    assert (row.status, row.route, row.answers) == (SENT, OutboundMessage.PASSIVE, InboundMessage.objects.get())


def test_a_delivery_that_crashed_before_the_answer_was_decided_loses_nothing(mei, mute):
    outbound(mei, "记下了")
    body = xml(mei.openid, MsgType="event", Event="SCAN", EventKey="7", sent=1767225600)
    post(body)
    InboundMessage.objects.update(response_text=None)
    OutboundMessage.objects.update(status=PENDING, route=OutboundMessage.CUSTOMER)

    assert heard(post(body)) == "记下了"


def test_several_are_one_answer_and_point_to_the_first(mei, mute):
    rows = [outbound(mei, text) for text in ("一", "二", "三")]

    assert heard(nudge(mei)) == "一\n\n二\n\n三"
    assert [row.carried_by_id for row in OutboundMessage.objects.order_by("pk")] == [None, rows[0].pk, rows[0].pk]


def test_what_does_not_fit_is_announced_and_comes_next(mei, mute):
    for n in range(3):
        outbound(mei, f"{n}" + "好" * 500)

    first, second, third = (heard(nudge(mei)) for _ in range(3))

    assert first.startswith("0")
    assert "还有 2 条" in first
    assert [first[0], second[0], third[0]] == list("012")
    assert "还有" not in third
    assert max(len(text.encode()) for text in (first, second, third)) <= 2048


def test_a_full_part_with_the_line_that_more_is_to_come_stays_within_wechats_limit(mei, mute):
    for _ in range(2):
        outbound(mei, "a" * PART_BYTES)

    assert len(heard(say(mei, "继续")).encode()) <= 2048


def test_a_fixed_answer_comes_first(mei, mute):
    outbound(mei, "记下了")

    assert heard(post(xml(mei.openid, MsgType="image"))) == texts.render("unsupported") + "\n\n记下了"


def test_a_reminder_of_a_task_that_is_done_is_not_handed_over(mei, mute):
    task = planned(mei, "开会", soon(hours=2))
    outbound(mei, "开会了", task=(task.pk, task.version, soon(hours=2)))
    Task.objects.update(status=Task.DONE)

    assert heard(nudge(mei)) == ""
    assert states() == [(CANCELLED, "开会了")]


@pytest.mark.parametrize("event", ["unsubscribe", "TEMPLATESENDJOBFINISH", "VIEW", "LOCATION"])
def test_an_event_that_shows_no_answer_takes_nothing(mei, mute, event):
    outbound(mei, "记下了")

    post(xml(mei.openid, MsgType="event", Event=event, MsgID=7, Status="success"))

    assert (SENT, "记下了") not in states()


def test_an_account_that_cannot_push_never_tries(mei, mute, wechat, clock):
    outbound(mei, "记下了")

    assert never_again(wechat, clock) == 0
    assert wechat.requests == []
    assert states() == [(PENDING, "记下了")]


def test_what_pended_when_the_account_lost_its_right_waits(mei, wechat, settings):
    outbound(mei, "记下了")
    settings.WECHAT_ACCOUNT_KIND = "unverified"

    deliver(wechat, 2)
    sweep()

    assert wechat.requests == []
    assert heard(nudge(mei)) == "记下了"


def test_where_the_account_can_push_the_rest_goes_as_customer_messages(mei, wechat):
    Follower.objects.update(window_until=AppNow() - timedelta(hours=1))
    for n in range(3):
        outbound(mei, f"{n}" + "好" * 500)
    deliver(wechat, 3)

    answer = heard(say(mei, "在吗"))
    deliver(wechat, 3)

    assert answer == "0" + "好" * 500
    assert [text[0] for text in wechat.received(mei.openid)] == ["1", "2"]
    assert Follower.objects.get().quota_left == 3


def test_a_row_that_a_sender_has_claimed_is_not_handed_over_as_well(mei, wechat):
    outbound(mei, "一")
    OutboundMessage.objects.update(waiting=False)
    OutboundMessage.claim(60)
    outbound(mei, "二")
    OutboundMessage.objects.filter(text="二").update(waiting=True)

    assert heard(say(mei, "在吗")) == "二"


def test_the_answer_is_sealed_as_the_question_was(mei, mute, settings):
    outbound(mei, "记下了")
    settings.WECHAT_AES_KEY = ACCOUNT["aes_key"]
    body, signed = sealed(xml(mei.openid, "在吗"))

    answer = post(body, signed=signed).content.decode()

    assert "<Encrypt>" in answer
    assert "记下了" not in answer


def test_a_follower_whom_nobody_can_call_is_told_to_come_back(mei, mute):
    body = xml(mei.openid, "明天开会", msg_id=7)

    assert heard(post(body)) == texts.render("still_working")
    assert heard(post(body)) == texts.render("still_working")


def test_the_earlier_of_two_held_messages_of_one_batch_is_let_go(mei, settings, mute):
    for text in ("买牛奶", "交房租"):
        say(mei, text)
    InboundMessage.objects.update(response_text=None)
    first, second = InboundMessage.objects.order_by("pk")

    assert passive.ready_among([first.pk, second.pk]) == {first.pk}
    assert passive.decide(passive.Undecided(first.pk, mei.pk, "", 1, True)) == ""


def test_an_answer_to_a_question_waits_for_the_batch_that_goes_on_with_it(mei, mute):
    say(mei, "取消开会")
    say_again = InboundMessage.objects.get()
    older = Batch.objects.get()
    Batch.move(older.pk, Batch.COLLECTING, Batch.SUBMITTED)
    say(mei, "2")
    held = InboundMessage.objects.latest("pk")
    InboundMessage.objects.update(response_text=None)
    Batch.move(held.batch_id, Batch.COLLECTING, Batch.CANCELLED)

    assert passive.ready_among([held.pk, say_again.pk]) == set()
    Batch.move(older.pk, Batch.SUBMITTED, Batch.CANCELLED)
    assert passive.ready_among([held.pk, say_again.pk]) == {held.pk, say_again.pk}

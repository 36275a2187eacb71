"""Senders that meet, on real connections: no row leaves twice, no token is fetched twice, no receipt is missed."""

import contextlib
import threading
from datetime import timedelta

import pytest
from django.db import connection

from planner.clock import AppNow
from planner.models import Follower
from tests.builders import heard, outbound, post, say, xml
from tests.plugin import SQLITE
from tests.races.threads import at_once, held, until_somebody_waits
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage, Receipt
from webhook.sweep import sweep
from webhook.wechat import WeChat

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(SQLITE, reason="the embedded default has one process and one writer"),
]


def drain(wechat) -> int:
    client, sent = wechat.client(), 0
    while deliver_next(client):
        sent += 1
    return sent


def test_eight_threads_claim_one_row_and_one_wins(mei):
    outbound(mei)

    claims = at_once(*[lambda: OutboundMessage.claim(60)] * 8)

    assert len([claim for claim in claims if claim]) == 1


def test_eight_senders_send_each_message_once_and_in_order(mei, bo, wechat, clock):
    for n in range(5):
        outbound(mei, str(n))
        outbound(bo, str(n))

    for _ in range(10):
        at_once(*[lambda: drain(wechat)] * 8)
        clock.forward(seconds=1)  # who met another fetching the token comes again in half a second

    assert wechat.received(mei.openid) == wechat.received(bo.openid) == list("01234")
    assert {row.claims for row in OutboundMessage.objects.all()} == {1}


def test_eight_senders_without_a_token_fetch_one(wechat, clock):
    for n in range(8):
        who = Follower.objects.create(app_id="wx0123456789abcdef", openid=f"o-{n}", quota_left=5, window_until=AppNow())
        outbound(who, str(n))
    Follower.objects.update(window_until=AppNow() + timedelta(hours=1))

    at_once(*[lambda: deliver_next(wechat.client())] * 8)
    clock.forward(seconds=2)
    drain(wechat)

    assert len(wechat.calls("stable_token")) == 1
    assert sorted(text for texts in wechat.phones.values() for text in texts) == list("01234567")


def test_eight_senders_with_a_dead_token_renew_it_once(mei, bo, wechat, clock):
    outbound(mei, "先")
    drain(wechat)
    wechat.new_token()
    for who in (mei, bo):
        outbound(who, "后")

    at_once(*[lambda: deliver_next(wechat.client())] * 8)
    clock.forward(seconds=30)
    drain(wechat)

    assert len(wechat.calls("stable_token")) == 2
    assert (wechat.received(mei.openid), wechat.received(bo.openid)) == (["先", "后"], ["后"])


def test_five_messages_of_quota_are_never_six(mei, wechat):
    Follower.objects.update(quota_left=2)
    for n in range(6):
        outbound(mei, str(n) * 1500)

    at_once(*[lambda: drain(wechat)] * 4)

    assert [text[0] for text in wechat.received(mei.openid)] == ["0", "1"]
    assert Follower.objects.get().quota_left == 0


def test_a_sweep_beside_the_senders_sends_nothing_twice(mei, wechat):
    for n in range(5):
        outbound(mei, str(n))

    at_once(*[lambda: drain(wechat)] * 3, *[lambda: [sweep() for _ in range(5)]] * 2)
    drain(wechat)

    assert wechat.received(mei.openid) == list("01234")


class Told(WeChat):
    """Lets something happen between WeChat's answer and its record."""

    def __init__(self, heard):
        super().__init__()
        self.heard = heard

    def send_template(self, *arguments, **named):
        msgid = super().send_template(*arguments, **named)
        self.heard(msgid)
        return msgid


def test_a_receipt_that_meets_its_answer_is_matched(mei, wechat, settings):
    """The receipt's transaction is open, and cannot see the answer that is not recorded yet."""
    settings.WECHAT_REMINDER_TEMPLATE_ID = "tpl"
    outbound(mei, route=OutboundMessage.TEMPLATE, fields={"thing1": "开会"})
    open_transactions = contextlib.ExitStack()

    def at_the_door(msgid: int) -> None:
        event = {"MsgType": "event", "Event": "TEMPLATESENDJOBFINISH", "MsgID": msgid, "Status": "failed:user block"}
        release = open_transactions.enter_context(held(lambda: post(xml(mei.openid, **event)), commit=True))
        threading.Thread(target=lambda: (until_somebody_waits(), release.set(), connection.close())).start()

    with open_transactions:
        deliver_next(Told(at_the_door))

    assert Receipt.objects.get().outbound_id == OutboundMessage.objects.get().pk
    assert OutboundMessage.objects.get().status == OutboundMessage.FAILED


def test_a_word_that_meets_the_closing_of_the_way_is_not_missed(mei, wechat):
    handed = []
    for n in range(20):
        Follower.objects.update(quota_left=0)
        outbound(mei, str(n))
        _, answer = at_once(lambda: deliver_next(wechat.client()), lambda: heard(say(mei, "在吗")))
        handed += answer.split()
        sweep()
        drain(wechat)

    assert sorted(handed + wechat.received(mei.openid), key=int) == [str(n) for n in range(20)]


def test_a_row_goes_out_by_one_way_when_sender_and_passive_answer_meet(mei, wechat):
    for n in range(8):
        outbound(mei, str(n))
    OutboundMessage.objects.filter(text="7").update(waiting=True)

    answers = at_once(*[lambda: heard(say(mei, "在吗"))] * 3, *[lambda: drain(wechat)] * 3)

    handed = [text for answer in answers[:3] for text in answer.split("\n\n") if text]
    drain(wechat)
    sent = [text for message in wechat.received(mei.openid) for text in message.split("\n\n")]
    assert sorted(handed + sent) == list("01234567")
    assert set(OutboundMessage.objects.values_list("status", flat=True)) == {OutboundMessage.SENT}


def test_two_deliveries_that_decide_at_once_say_the_same(mei):
    outbound(mei, "记下了")
    OutboundMessage.objects.update(waiting=True)
    body = xml(mei.openid, "在吗", msg_id=7)

    answers = at_once(*[lambda: heard(post(body))] * 4)

    assert set(answers) == {"记下了"}

"""Held for an answer: it comes with the delivery that waits for it, or with the next."""

import threading

import pytest
from django.db import OperationalError, connection, connections

from agent.worker import run_next
from planner import crashpoints
from tests.builders import heard, outbound, post, say, xml
from tests.processes.running import until
from tests.webhook.sending import deliver
from webhook import holding, inbox
from webhook.incoming import read
from webhook.models import Batch, InboundMessage, OutboundMessage
from webhook.passive import Undecided
from webhook.sweep import submit_quiet

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hold(settings):
    settings.PASSIVE_HOLD_SECONDS, settings.WECHAT_ANSWER_SECONDS = 100, 120
    settings.BATCH_QUIET_SECONDS = 0


class Delivery(threading.Thread):
    """One delivery of WeChat's, going on beside the test."""

    def __init__(self, body: str) -> None:
        super().__init__(daemon=True)
        self.body, self.heard = body, None
        self.start()

    def run(self) -> None:
        try:
            self.response = post(self.body)
            self.heard = heard(self.response)
        finally:
            connections.close_all()

    def answer(self) -> str | None:
        self.join(90)
        return self.heard


def work() -> None:
    until(lambda: submit_quiet() or Batch.objects.filter(status=Batch.SUBMITTED).exists(), "a batch to be submitted")
    assert run_next()


@pytest.mark.parametrize("kind", ["unverified", "service"])
def test_an_answer_that_is_ready_in_time_is_the_passive_one(mei, settings, wechat, kind):
    settings.WECHAT_ACCOUNT_KIND = kind
    delivery = Delivery(xml(mei.openid, "后天下午三点和客户开会"))

    work()

    assert "15:00 和客户开会" in delivery.answer()
    deliver(wechat, 2)
    assert wechat.requests == []
    assert OutboundMessage.objects.get().status == OutboundMessage.SENT


def test_a_redelivery_joins_the_hold_and_both_get_the_same(mei, settings):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    body = xml(mei.openid, "后天下午三点开会", msg_id=7)
    first = Delivery(body)
    until(InboundMessage.objects.exists, "the first delivery to be stored")
    second = Delivery(body)

    work()

    assert first.answer() == second.answer() != ""
    assert OutboundMessage.objects.count() == 1


def test_what_was_left_over_and_the_answer_come_together(mei, settings):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    outbound(mei, "⏰ 喝水")
    delivery = Delivery(xml(mei.openid, "后天下午三点开会"))

    work()

    assert delivery.answer().startswith("⏰ 喝水\n\n记下了")


def test_a_hold_in_vain_ends_with_success_where_the_account_can_push(mei, settings, wechat):
    settings.PASSIVE_HOLD_SECONDS = 0.05

    assert say(mei, "后天下午三点开会").content == b"success"

    work()
    deliver(wechat, 2)
    assert len(wechat.received(mei.openid)) == 1


def test_an_answer_nobody_took_goes_the_other_way(mei, settings, wechat, clock):
    accepted(mei)  # and the process that held it died
    work()
    deliver(wechat)
    assert wechat.requests == []

    clock.forward(seconds=101)
    deliver(wechat)

    assert len(wechat.received(mei.openid)) == 1


def accepted(mei) -> Undecided:
    """What the door knows of a message it has stored and has to hold."""
    fields = {"FromUserName": mei.openid, "MsgType": "text", "Content": "后天下午三点开会", "MsgId": "7"}
    taken = inbox.accept(read(mei.app_id, {**fields, "CreateTime": "1767225600"}), mei.app_id)
    assert isinstance(taken, Undecided)
    return taken


def test_in_vain_and_not_the_last_is_not_answered_so_that_wechat_delivers_again(mei, settings):
    settings.WECHAT_ANSWER_SECONDS = 0.1
    row = accepted(mei)

    text = holding.hold_in_thread(Undecided(row.id, mei.pk, "", 0.05, is_last=False))

    assert text is None
    assert InboundMessage.objects.get().response_text is None


def test_the_third_delivery_is_the_last(mei, settings, clock):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    settings.PASSIVE_HOLD_SECONDS, settings.WECHAT_ANSWER_SECONDS = 4.5, 5
    last = []
    for _ in range(3):
        last.append(accepted(mei).is_last)
        clock.forward(seconds=5)

    assert last == [False, False, True]


def test_beyond_the_slots_of_a_threaded_server_nobody_waits(mei, settings):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    row = accepted(mei)
    taken = [holding._slots.acquire(blocking=False) for _ in range(holding.SLOTS)]
    try:
        text = holding.hold_in_thread(Undecided(row.id, mei.pk, "", 20, is_last=False))
    finally:
        for _ in taken:
            holding._slots.release()

    assert "还在处理" in text


def test_a_database_that_stays_away_leaves_the_answer_to_the_next_delivery(mei):
    connection.execute_wrappers.append(refuse)
    try:
        assert holding.decided(Undecided(1, mei.pk, "", 0, is_last=True)) is None
    finally:
        connection.execute_wrappers.remove(refuse)


def refuse(*args):
    raise OperationalError("away")


@pytest.fixture
def deaf():
    """The first decision of an answer is committed, and whoever made it hears of a broken connection."""
    left = [OperationalError("gone")]

    def hook(moment: str) -> None:
        if moment == "passive answer:committed" and left:
            raise left.pop()

    crashpoints.arm(hook)
    yield
    crashpoints.arm(None)


def test_an_answer_whose_commit_nobody_heard_of_is_shown(mei, settings, deaf):
    settings.WECHAT_ACCOUNT_KIND = "unverified"
    row = outbound(mei, "记下了")

    shown = heard(post(xml(mei.openid, MsgType="event", Event="SCAN", EventKey="7")))

    row.refresh_from_db()
    assert (shown, row.status) == ("记下了", OutboundMessage.SENT)

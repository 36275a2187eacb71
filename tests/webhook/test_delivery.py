"""Claim, admit, call once, record: order per follower, and what a crash at each step leaves behind."""

import json

import pytest

from planner.clock import AppNow
from planner.models import Follower, Review, Task
from tests.builders import outbound, planned, say, soon
from tests.doubles.server import Answer
from webhook.delivery import deliver_next
from webhook.models import Attempt, OutboundMessage
from webhook.sweep import sweep
from webhook.wechat import WeChat

pytestmark = pytest.mark.django_db


class Slow(WeChat):
    """Something happens between the claim and the call: while the token is fetched."""

    def __init__(self, meanwhile):
        super().__init__()
        self.meanwhile = meanwhile

    def fetch_token(self, *, force):
        self.meanwhile()
        return super().fetch_token(force=force)


class SlowToHear(WeChat):
    """Something happens between the call and the record of its answer."""

    def __init__(self, meanwhile):
        super().__init__()
        self.meanwhile = meanwhile

    def send_text(self, *arguments):
        try:
            super().send_text(*arguments)
        finally:
            self.meanwhile()


def deliver(wechat, times: int = 1) -> None:
    for _ in range(times):
        deliver_next(wechat.client())


def statuses() -> list[str]:
    return list(OutboundMessage.objects.order_by("pk").values_list("status", flat=True))


def test_nothing_to_send_is_said_so(mei, wechat):
    assert deliver_next(wechat.client()) is False
    assert wechat.requests == []


def test_a_message_arrives_once(mei, wechat):
    outbound(mei, "已记下")

    deliver(wechat, 3)

    assert wechat.received(mei.openid) == ["已记下"]
    row = OutboundMessage.objects.get()
    assert (row.status, row.claims, row.last_error) == (OutboundMessage.SENT, 1, "")
    assert Attempt.objects.get().outcome == "sent"


def test_a_follower_reads_in_the_order_it_was_said(mei, bo, wechat):
    for n in range(4):
        outbound(mei, str(n))
        outbound(bo, str(n))

    deliver(wechat, 8)

    assert wechat.received(mei.openid) == wechat.received(bo.openid) == list("0123")


def test_a_message_that_waits_for_its_next_try_keeps_its_place(mei, wechat, clock):
    outbound(mei, "一")
    outbound(mei, "二")
    wechat.script("custom/send", {"errcode": 45011})

    deliver(wechat, 3)
    assert wechat.received(mei.openid) == []
    clock.forward(minutes=2)
    deliver(wechat, 2)

    assert wechat.received(mei.openid) == ["一", "二"]


def test_one_stuck_follower_does_not_stop_the_others(mei, bo, wechat):
    outbound(mei)
    outbound(mei)
    outbound(bo, "你好")
    wechat.script("custom/send", {"errcode": 43117})

    deliver(wechat, 3)

    assert wechat.received(bo.openid) == ["你好"]


def test_a_message_nobody_knows_about_does_not_stop_the_next(mei, wechat):
    outbound(mei, "一")
    outbound(mei, "二")
    wechat.script("custom/send", Answer(500))

    deliver(wechat, 2)

    assert statuses() == [OutboundMessage.UNKNOWN, OutboundMessage.SENT]


def test_a_sender_that_died_before_the_record_leaves_it_unknown(mei, wechat, clock):
    outbound(mei)
    assert OutboundMessage.claim(60)

    clock.forward(seconds=61)
    assert OutboundMessage.rescue_next()
    deliver(wechat, 2)

    assert statuses() == [OutboundMessage.UNKNOWN]
    assert (wechat.sends(), Review.objects.get().object_id) == ([], OutboundMessage.objects.get().pk)
    assert Attempt.objects.get().outcome == "died"


def test_a_sender_that_wakes_after_the_sweep_does_not_send(mei, wechat, clock):
    outbound(mei)

    deliver_next(Slow(lambda: (clock.forward(seconds=90), sweep())))

    assert wechat.sends() == []
    assert statuses() == [OutboundMessage.UNKNOWN]


def test_a_sender_without_time_left_gives_the_message_back(mei, wechat, clock):
    outbound(mei, "好的")

    deliver_next(Slow(lambda: clock.forward(seconds=55)))
    assert wechat.sends() == []
    row = OutboundMessage.objects.get()
    assert (row.status, row.claims, Follower.objects.get().quota_left) == (OutboundMessage.PENDING, 0, 5)

    deliver(wechat)
    assert wechat.received(mei.openid) == ["好的"]


def test_an_answer_that_comes_after_the_sweep_still_counts(mei, wechat, clock):
    outbound(mei)

    deliver_next(SlowToHear(lambda: (clock.forward(seconds=90), sweep())))

    assert len(wechat.received(mei.openid)) == 1
    assert statuses() == [OutboundMessage.SENT]
    assert "答复来迟" in Review.objects.get().resolution


def test_a_refusal_that_comes_after_the_sweep_changes_nothing(mei, wechat, clock):
    outbound(mei)
    wechat.script("custom/send", {"errcode": 45002})

    deliver_next(SlowToHear(lambda: (clock.forward(seconds=90), sweep())))

    assert statuses() == [OutboundMessage.UNKNOWN]
    assert Review.objects.get().resolution == ""


@pytest.mark.parametrize("code", [45015, 45047])
def test_who_writes_while_the_window_shuts_is_not_kept_waiting(code, mei, wechat):
    outbound(mei, "好的")
    wechat.script("custom/send", {"errcode": code})

    deliver_next(SlowToHear(lambda: say(mei, "在吗")))
    assert Follower.objects.get().quota_left == 5
    deliver(wechat)

    assert wechat.received(mei.openid) == ["好的"]


def test_who_has_left_is_not_called(mei, wechat):
    outbound(mei)
    Follower.objects.update(unfollowed_at=AppNow())

    deliver(wechat)

    assert (statuses(), wechat.requests) == ([OutboundMessage.CANCELLED], [])


@pytest.mark.parametrize("change", [{"version": 9}, {"status": Task.DONE}, {"status": Task.DELETED}])
def test_a_reminder_of_a_task_that_changed_never_rings(mei, wechat, change):
    task = planned(mei, "开会", soon(hours=2))
    outbound(mei, "开会了", task=(task.pk, task.version, soon(hours=2)))
    Task.objects.update(**change)

    deliver(wechat)

    assert (statuses(), wechat.requests) == ([OutboundMessage.CANCELLED], [])


@pytest.mark.parametrize(
    "text", ["给爸妈打电话", "引号\" ' 反斜杠\\ 换行\n <b>&amp;", "👨‍👩‍👧‍👦 🏃", "]]>", "a\u2028b\u00a0c"]
)
def test_the_wire_carries_utf8_and_every_sign(mei, wechat, text):
    outbound(mei, text)

    deliver(wechat)

    (sent,) = wechat.calls("custom/send")
    assert b"\\u" not in sent.body
    assert json.loads(sent.body) == {"touser": mei.openid, "msgtype": "text", "text": {"content": text}}
    assert wechat.received(mei.openid) == [text]


def test_each_send_leaves_on_a_connection_of_its_own(mei, wechat):
    """Also where the other side offers to keep it."""
    client = wechat.client()
    for _ in range(3):
        outbound(mei)
        wechat.script("custom/send", Answer(200, {"errcode": 0}, {"Connection": "keep-alive"}))
        deliver_next(client)

    sends = wechat.calls("custom/send")
    assert len({request.port for request in sends}) == 3
    assert {request.headers["connection"] for request in sends} == {"close"}


def test_a_long_answer_arrives_in_numbered_parts(mei, wechat):
    lines = [f"{n}. 写周报和交报告" for n in range(150)]
    outbound(mei, "\n".join(lines), key="1:reply:1")

    deliver(wechat, 5)

    parts = wechat.received(mei.openid)
    assert [part.split("\n")[0] for part in parts] == [f"({n}/{len(parts)})" for n in range(1, len(parts) + 1)]
    assert [line for part in parts for line in part.split("\n")[1:]] == lines

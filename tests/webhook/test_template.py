"""Reminders by template: the same client_msg_id over all tries, within WeChat's ten minutes and never after."""

import pytest

from planner.models import Alarm, Follower, Review
from tests.builders import outbound, post, say, xml
from tests.doubles.server import Answer
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage, Receipt
from webhook.sweep import sweep
from webhook.wechat import TEMPLATE_CODES

pytestmark = pytest.mark.django_db
LOST = Answer(drop="after")


@pytest.fixture(autouse=True)
def template(settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "tpl"
    settings.WECHAT_READ_SECONDS = 0.5


def reminder(who) -> OutboundMessage:
    return outbound(
        who, "开会", route=OutboundMessage.TEMPLATE, fields={"thing1": "开会", "time2": "2026年12月2日 15:00"}
    )


def deliver(wechat, clock=None, *, times: int = 1, seconds: float = 0) -> None:
    for _ in range(times):
        deliver_next(wechat.client())
        if clock:
            clock.forward(seconds=seconds)
            sweep()


def receipt(who, msgid: int, status: str):
    return post(xml(who.openid, MsgType="event", Event="TEMPLATESENDJOBFINISH", MsgID=msgid, Status=status))


def the_row() -> OutboundMessage:
    return OutboundMessage.objects.order_by("pk")[0]


def test_a_reminder_is_a_template_with_its_fields_and_id(mei, wechat):
    row = reminder(mei)

    deliver(wechat)

    (sent,) = wechat.templates
    assert (sent["touser"], sent["template_id"], sent["client_msg_id"]) == (mei.openid, "tpl", row.client_msg_id)
    assert sent["data"] == {"thing1": {"value": "开会"}, "time2": {"value": "2026年12月2日 15:00"}}
    assert (the_row().status, the_row().wechat_msgid) == (OutboundMessage.SENT, wechat.msgid)
    assert b"\\u" not in wechat.calls("template/send")[0].body


def test_a_template_needs_no_window_and_no_quota(mei, wechat):
    Follower.objects.update(quota_left=0, window_until=None)
    reminder(mei)

    deliver(wechat)

    assert the_row().status == OutboundMessage.SENT
    assert Follower.objects.get().quota_left == 0


@pytest.mark.parametrize("lost", [LOST, Answer(drop="hang"), Answer(502), Answer(200, "<html>")], ids=["drop", "hang", "502", "html"])  # fmt: skip
def test_a_lost_answer_is_asked_for_again_with_the_same_id(mei, wechat, clock, lost):
    reminder(mei)
    wechat.script("template/send", lost)

    deliver(wechat, clock, times=2, seconds=40)

    ids = [request.json["client_msg_id"] for request in wechat.calls("template/send")]
    assert (len(ids), len(set(ids)), len(wechat.templates)) == (2, 1, 1)
    assert the_row().status == OutboundMessage.SENT


def test_answers_lost_for_ever_end_unknown_and_are_not_sent_again(mei, wechat, clock):
    reminder(mei)
    wechat.script("template/send", *[LOST] * 20)

    deliver(wechat, clock, times=20, seconds=130)

    assert len(wechat.calls("template/send")) <= 4
    assert len(wechat.templates) == 1
    assert (the_row().status, Review.objects.count()) == (OutboundMessage.UNKNOWN, 1)


def test_a_lost_answer_is_not_asked_for_after_wechat_has_forgotten_the_id(mei, wechat, clock):
    reminder(mei)
    wechat.script("template/send", LOST)
    deliver(wechat)

    clock.forward(minutes=9)
    deliver(wechat)

    assert len(wechat.calls("template/send")) == 1
    assert (the_row().status, Review.objects.count()) == (OutboundMessage.UNKNOWN, 1)


@pytest.mark.parametrize("code", [40241, 47003, 43101, 45009])
def test_a_refusal_after_a_lost_answer_does_not_make_it_unsent(mei, wechat, clock, code):
    reminder(mei)
    wechat.script("template/send", LOST, *[{"errcode": code}] * 9)

    deliver(wechat, clock, times=9, seconds=110)
    clock.forward(hours=25)
    deliver(wechat, times=2)

    assert the_row().status == OutboundMessage.UNKNOWN
    assert len(wechat.templates) == 1


def test_a_refused_try_does_not_start_the_ten_minutes(mei, wechat, clock):
    reminder(mei)
    wechat.script("template/send", {"errcode": 45009})
    deliver(wechat)

    clock.forward(hours=24)
    deliver(wechat)

    assert (the_row().status, len(wechat.templates)) == (OutboundMessage.SENT, 1)


@pytest.mark.parametrize("code", TEMPLATE_CODES)
def test_a_template_that_cannot_be_used_becomes_a_customer_message_and_an_alarm(mei, wechat, clock, code):
    reminder(mei)
    wechat.script("template/send", {"errcode": code, "errmsg": "argument invalid! data.thing1.value invalid"})

    deliver(wechat, clock, times=4, seconds=10)

    assert (len(wechat.calls("template/send")), wechat.received(mei.openid)) == (1, ["开会"])
    assert (the_row().status, the_row().route) == (OutboundMessage.SENT, OutboundMessage.CUSTOMER)
    assert Alarm.objects.get().key == f"wechat:{code}"


def test_outside_the_window_it_waits_for_the_follower(mei, wechat):
    Follower.objects.update(window_until=None)
    reminder(mei)
    wechat.script("template/send", {"errcode": 40037})

    deliver(wechat, times=3)

    assert (the_row().status, the_row().waiting, wechat.sends()) == (OutboundMessage.PENDING, True, [])


def test_a_template_left_over_from_another_account_kind_is_not_tried(mei, wechat, settings):
    reminder(mei)
    settings.WECHAT_ACCOUNT_KIND = "subscription"

    deliver(wechat, times=2)

    assert (wechat.calls("template/send"), wechat.received(mei.openid)) == ([], ["开会"])


def test_a_sender_that_died_soon_is_followed_by_another_with_the_same_id(mei, wechat, clock):
    reminder(mei)
    assert OutboundMessage.claim(60)

    clock.forward(seconds=61)
    sweep()
    deliver(wechat)

    assert the_row().status == OutboundMessage.SENT


def test_a_sender_found_dead_too_late_leaves_it_unknown(mei, wechat, clock):
    reminder(mei)
    assert OutboundMessage.claim(60)

    clock.forward(minutes=9)
    sweep()
    deliver(wechat)

    assert (the_row().status, wechat.requests) == (OutboundMessage.UNKNOWN, [])


def test_one_template_of_a_follower_is_in_flight_at_a_time(mei, wechat):
    reminder(mei)
    reminder(mei)
    outbound(mei, "回复")

    claims = [OutboundMessage.claim(60) for _ in range(3)]

    assert [claim and claim.columns["route"] for claim in claims] == ["template", "customer", None]


@pytest.mark.parametrize(
    ("status", "after"),
    [
        ("success", OutboundMessage.SENT),
        ("failed:user block", OutboundMessage.FAILED),
        ("failed: user block", OutboundMessage.FAILED),
        ("Failed : User Block", OutboundMessage.FAILED),
    ],
)
def test_a_receipt_settles_its_message(mei, wechat, status, after):
    reminder(mei)
    deliver(wechat)

    for _ in range(2):
        receipt(mei, wechat.msgid, status)

    assert (the_row().status, Receipt.objects.get().outbound_id) == (after, the_row().pk)
    assert Review.objects.count() == (0 if after == OutboundMessage.SENT else 1)


def test_a_receipt_of_a_block_settles_all_that_waits_and_what_comes_until_he_writes(mei, bo, wechat):
    for who in (mei, mei, bo):
        reminder(who)
    deliver(wechat)
    receipt(mei, wechat.msgid, "failed:user block")
    reminder(mei)
    deliver(wechat, times=3)

    found = OutboundMessage.objects.order_by("pk").values_list("status", "last_error")
    assert [status for status, _ in found] == ["FAILED", "CANCELLED", "SENT", "CANCELLED"]
    assert ([error for _, error in found][1::2], Review.objects.count()) == (["用户拒收"] * 2, 1)

    say(mei, "你好")
    reminder(mei)
    deliver(wechat)
    assert wechat.templates[-1]["touser"] == mei.openid


def test_a_late_receipt_of_a_block_does_not_silence_who_has_written_since(mei, wechat, clock):
    reminder(mei)
    deliver(wechat)
    clock.forward(seconds=1)
    say(mei, "你好")
    reminder(mei)

    receipt(mei, wechat.msgid, "failed:user block")
    deliver(wechat)

    assert Follower.objects.get().refused_at is None
    assert len(wechat.templates) == 2


def test_a_receipt_that_comes_before_the_answer_is_matched_by_it(mei, wechat):
    reminder(mei)
    receipt(mei, wechat.msgid + 1, "failed:user block")
    assert Receipt.objects.get().outbound_id is None

    deliver(wechat)

    assert (the_row().status, the_row().receipt) == (OutboundMessage.FAILED, "failed:user block")
    assert Receipt.objects.get().outbound_id == the_row().pk


@pytest.mark.parametrize("msgid", [1, 4294967297, 2**63 - 1])
def test_a_receipt_of_nothing_we_sent_is_kept_and_harms_nothing(mei, msgid):
    assert receipt(mei, msgid, "success").content == b"success"
    assert receipt(mei, msgid, "success").content == b"success"

    assert Receipt.objects.get().wechat_msgid == msgid


@pytest.mark.parametrize("status", ["failed:system failed", "failed: system failed", "Failed :system failed"])
def test_wechats_own_failure_is_sent_once_more_and_then_a_person_looks(mei, wechat, status):
    reminder(mei)
    deliver(wechat)
    receipt(mei, wechat.msgid, status)
    deliver(wechat)
    assert len(wechat.templates) == 2
    assert not Review.objects.filter(resolution="").exists()

    receipt(mei, wechat.msgid, status)
    deliver(wechat, times=3)

    assert len(wechat.templates) == 2
    first, second = OutboundMessage.objects.order_by("pk")
    assert (first.status, first.resent_as, second.status) == (OutboundMessage.FAILED, second, OutboundMessage.FAILED)
    assert Review.objects.get(resolution="").object_id == second.pk


def test_wechats_own_failure_told_late_is_for_a_person(mei, wechat, clock):
    reminder(mei)
    deliver(wechat)

    clock.forward(minutes=9)
    receipt(mei, wechat.msgid, "failed: system failed")
    deliver(wechat)

    assert len(wechat.templates) == 1
    assert Review.objects.filter(resolution="").count() == 1


def test_no_receipt_turns_a_failure_back(mei, wechat):
    reminder(mei)
    deliver(wechat)
    receipt(mei, wechat.msgid, "failed:user block")

    receipt(mei, wechat.msgid, "success")

    assert the_row().status == OutboundMessage.FAILED


def test_a_receipt_settles_what_was_unknown(mei, wechat, clock):
    reminder(mei)
    deliver(wechat)
    OutboundMessage.objects.update(status=OutboundMessage.UNKNOWN)
    Review.objects.create(kind=Review.OUTBOUND, object_id=the_row().pk, reason="?")

    receipt(mei, wechat.msgid, "success")

    assert the_row().status == OutboundMessage.SENT
    assert Review.objects.get().resolution != ""


def lost(wechat, who) -> int:
    """A template whose answer was lost for ever; the number that WeChat gave it."""
    reminder(who)
    wechat.script("template/send", LOST)
    deliver(wechat)
    return wechat.msgid


def test_the_receipt_of_a_lost_answer_settles_it_without_a_second_call(mei, wechat, clock):
    receipt(mei, lost(wechat, mei), "success")
    clock.forward(minutes=1)
    deliver(wechat, times=2)

    assert (the_row().status, len(wechat.calls("template/send"))) == (OutboundMessage.SENT, 1)
    assert Receipt.objects.get().outbound_id == the_row().pk


@pytest.mark.parametrize(
    ("status", "after"), [("success", OutboundMessage.SENT), ("failed:user block", OutboundMessage.FAILED)]
)
def test_a_receipt_settles_what_its_dead_sender_left_unknown(mei, wechat, clock, status, after):
    reminder(mei)
    OutboundMessage.claim(60)
    OutboundMessage.objects.update(claims=4)
    clock.forward(seconds=30)
    receipt(mei, 77, status)

    clock.forward(seconds=31)
    sweep()

    assert the_row().status == after
    assert Review.objects.filter(resolution="").count() == (after == OutboundMessage.FAILED)


def test_while_a_template_is_in_flight_a_strange_receipt_waits(mei, wechat):
    reminder(mei)
    OutboundMessage.claim(60)

    receipt(mei, 77, "failed:user block")

    assert (the_row().status, Receipt.objects.get().outbound_id) == (OutboundMessage.SENDING, None)


def test_a_receipt_that_two_messages_fit_is_given_to_none(mei, wechat, settings):
    settings.OUTBOUND_MAX_CLAIMS = 1
    for _ in range(2):
        lost(wechat, mei)

    receipt(mei, 77, "success")

    assert set(OutboundMessage.objects.values_list("status", flat=True)) == {OutboundMessage.UNKNOWN}
    assert Receipt.objects.get().outbound_id is None


def test_another_followers_receipt_settles_nothing_of_mine(mei, bo, wechat):
    reminder(mei)
    deliver(wechat)

    receipt(bo, wechat.msgid, "failed:user block")

    assert the_row().status == OutboundMessage.SENT


def test_receipts_with_number_zero_find_their_messages_by_follower_and_time(mei, bo, wechat):
    for who in (mei, bo):
        reminder(who)
    deliver(wechat, times=2)

    receipt(mei, 0, "success")
    receipt(bo, 0, "failed:user block")

    found = OutboundMessage.objects.order_by("follower_id").values_list("status", "receipt")
    assert list(found) == [(OutboundMessage.SENT, "success"), (OutboundMessage.FAILED, "failed:user block")]


def test_a_second_receipt_with_number_zero_is_not_taken_for_the_first(mei, wechat, clock):
    for status in ("success", "failed:user block"):
        reminder(mei)
        deliver(wechat)
        receipt(mei, 0, status)
        clock.forward(minutes=1)

    found = OutboundMessage.objects.order_by("pk").values_list("status", flat=True)
    assert list(found) == [OutboundMessage.SENT, OutboundMessage.FAILED]

"""What may be sent when: WeChat's window of two days, its five messages, its day."""

from datetime import timedelta

import pytest

from planner.clock import CHINA, AppNow
from planner.models import Alarm, Follower, Review
from tests.builders import heard, outbound, say
from tests.webhook.sending import deliver, never_again, the_row
from webhook.models import OutboundMessage
from webhook.wechat import CLOSED_CODES

pytestmark = pytest.mark.django_db
PENDING, SENT, CANCELLED = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.CANCELLED


def test_a_used_up_day_keeps_everything_until_midnight_in_china(mei, bo, wechat, clock):
    for who in (mei, bo):
        outbound(who, f"给{who.pk}")
    wechat.script("custom/send", {"errcode": 45009})
    deliver(wechat, 4)

    refused = OutboundMessage.objects.get(claim_no=1)
    assert f"{refused.available_at.astimezone(CHINA):%H:%M}" == "00:01"
    assert (Alarm.objects.get().count, len(wechat.sends())) == (1, 1)

    clock.forward(hours=24)
    deliver(wechat, 3)

    assert wechat.received(mei.openid) + wechat.received(bo.openid) == [f"给{mei.pk}", f"给{bo.pk}"]


@pytest.mark.parametrize("code", CLOSED_CODES)
def test_a_shut_window_keeps_all_in_order_until_the_follower_writes(code, mei, wechat, clock):
    for text in ("一", "二", "三"):
        outbound(mei, text)
    wechat.script("custom/send", {"errcode": code})

    deliver(wechat, 6)
    assert len(wechat.sends()) == 1
    assert never_again(wechat, clock) == 0

    assert heard(say(mei, "在吗")) == "一\n\n二\n\n三"
    assert set(OutboundMessage.objects.values_list("status", "route")) == {(SENT, OutboundMessage.PASSIVE)}
    assert never_again(wechat, clock) == 0


@pytest.mark.parametrize("state", [{"quota_left": 0}, {"window_until": AppNow() - timedelta(hours=2)}])
def test_a_way_that_is_known_to_be_shut_is_not_tried(state, mei, wechat):
    Follower.objects.update(**state)
    outbound(mei)

    deliver(wechat, 3)

    assert wechat.requests == []
    assert (the_row().waiting, the_row().claims) == (True, 0)


def test_more_texts_than_quota_travel_together_in_order(mei, wechat):
    rows = [outbound(mei, str(n)) for n in range(7)]

    deliver(wechat, 10)

    assert wechat.received(mei.openid) == ["0\n\n1\n\n2\n\n3\n\n4\n\n5\n\n6"]
    found = OutboundMessage.objects.order_by("pk")
    assert [(row.status, row.carried_by_id) for row in found] == [(SENT, None), *[(SENT, rows[0].pk)] * 6]
    assert Follower.objects.get().quota_left == 4


def test_what_does_not_fit_together_waits_for_the_next_word(mei, wechat):
    for n in range(7):
        outbound(mei, str(n) * 1500)

    deliver(wechat, 10)

    assert [text[0] for text in wechat.received(mei.openid)] == list("01234")
    assert list(OutboundMessage.objects.filter(status=PENDING).values_list("waiting", flat=True)) == [True, True]


def test_enough_quota_keeps_every_text_a_message_of_its_own(mei, wechat):
    for n in range(5):
        outbound(mei, str(n))

    deliver(wechat, 5)

    assert wechat.received(mei.openid) == list("01234")


def test_who_left_gets_nothing_more(mei, wechat):
    outbound(mei, "一")
    outbound(mei, "二")
    wechat.script("custom/send", {"errcode": 43004})

    deliver(wechat, 4)

    assert len(wechat.sends()) == 1
    assert set(OutboundMessage.objects.values_list("status", flat=True)) == {CANCELLED}
    assert not Review.objects.exists()


def test_three_followers_have_three_outcomes(mei, bo, wechat):
    third = Follower.objects.create(
        app_id=mei.app_id, openid="o-third", quota_left=5, window_until=AppNow() + timedelta(hours=1)
    )
    for who in (mei, bo, third):
        outbound(who)
    wechat.script("custom/send", {"errcode": 0}, {"errcode": 45015}, {"errcode": 43004})

    deliver(wechat, 4)

    found = OutboundMessage.objects.order_by("follower_id").values_list("status", "waiting")
    assert list(found) == [(SENT, False), (PENDING, True), (CANCELLED, False)]

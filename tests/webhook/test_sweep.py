"""What a lost doorbell costs: at most one sweep."""

import pytest

from planner import crashpoints
from planner.models import Review
from tests.builders import outbound, say, submitted
from webhook.delivery import deliver_next
from webhook.models import Attempt, Batch, OutboundMessage
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _disarmed():
    yield
    crashpoints.arm(None)


def statuses(model) -> list[str]:
    return list(model.objects.order_by("pk").values_list("status", flat=True))


def test_a_sweep_submits_what_has_been_quiet_and_nothing_else(mei, bo, clock):
    say(mei, "买牛奶")
    clock.forward(seconds=4)
    say(bo, "buy milk")

    sweep()

    assert statuses(Batch) == [Batch.SUBMITTED, Batch.COLLECTING]


def test_a_sweep_takes_work_from_the_dead_and_leaves_the_living(mei, bo, clock):
    submitted(mei, "你好")
    outbound(mei)
    Batch.claim(900)
    OutboundMessage.claim(60)
    clock.forward(seconds=61)
    submitted(bo, "hello")
    Batch.claim(900)

    sweep()

    assert statuses(Batch) == [Batch.SUBMITTED, Batch.RUNNING]
    assert statuses(OutboundMessage) == [OutboundMessage.UNKNOWN]


def test_who_dies_after_a_refusal_leaves_the_message_to_the_next(mei, wechat, clock):
    """The refusal is written down before its consequence: nothing was sent, so nobody is asked about it."""
    outbound(mei, "好的")
    wechat.script("custom/send", {"errcode": -1})
    crashpoints.arm(crashpoints.from_words("retry outboundmessage:before raise"))

    with pytest.raises(crashpoints.Crash):
        deliver_next(wechat.client())
    clock.forward(seconds=61)
    sweep()
    deliver_next(wechat.client())

    assert wechat.received(mei.openid) == ["好的"]
    assert not Review.objects.exists()


def test_sweeping_again_changes_nothing(mei, clock):
    submitted(mei, "你好")
    outbound(mei)
    Batch.claim(900)
    OutboundMessage.claim(60)
    clock.forward(hours=1)
    sweep()
    before = [list(model.objects.order_by("pk").values()) for model in (Batch, OutboundMessage, Attempt, Review)]

    for _ in range(3):
        sweep()

    assert [
        list(model.objects.order_by("pk").values()) for model in (Batch, OutboundMessage, Attempt, Review)
    ] == before

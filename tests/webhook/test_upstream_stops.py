"""WeChat's own upstreams: what stands still, what goes on beside it, what operators see, and how it begins again."""

import pytest
from django.contrib.admin.models import LogEntry

from planner import upstreams
from planner.errors import Effect, Failure, Retry
from planner.models import Alarm
from planner.upstreams import Phase, Upstream
from tests.builders import follower, outbound, submitted
from tests.doubles.server import Answer
from tests.webhook.desk import act, client, page, user
from webhook.delivery import deliver_next
from webhook.models import AccessToken, Batch, OutboundMessage

pytestmark = pytest.mark.django_db
PENDING, SENT = OutboundMessage.PENDING, OutboundMessage.SENT


def deliver(wechat, times: int = 1) -> int:
    """How many of so many looks found a row to claim."""
    return sum(deliver_next(wechat.client()) for _ in range(times))


def rows(count: int, **options) -> list[OutboundMessage]:
    return [outbound(follower(f"o-many-{n:020d}"), **options) for n in range(count)]


def phase(name: Upstream) -> Phase:
    return upstreams.states()[name].phase


def fail(name: Upstream, retry: Retry) -> None:
    with pytest.raises(Failure), upstreams.calling(name, seconds=1):
        raise Failure("不行", retry=retry, effect=Effect.NONE)


@pytest.fixture
def stopped(wechat):
    """The account has lost its right to send customer messages."""
    rows(4)
    wechat.script("custom/send", {"errcode": 48001, "errmsg": "api unauthorized rid: 1"})
    deliver(wechat, 8)


@pytest.fixture
def operator():
    return client(user("op", "view", "change"))


def test_a_right_that_is_lost_stops_all_messages_after_one_call_and_fails_none(stopped, wechat):
    assert (len(wechat.sends()), phase(Upstream.WECHAT_SEND)) == (1, Phase.STOPPED)
    assert set(OutboundMessage.objects.values_list("status", "claims")) == {(PENDING, 0)}
    assert Alarm.objects.get().upstream == "wechat_send"


def test_templates_go_on_meanwhile(stopped, mei, wechat, settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "T"
    outbound(mei, route=OutboundMessage.TEMPLATE, fields={"thing1": "开会"})

    assert deliver(wechat, 3) == 1
    assert OutboundMessage.objects.get(route=OutboundMessage.TEMPLATE).status == SENT


def test_it_is_looked_at_less_and_less_often(stopped, wechat, clock):
    wechat.script("custom/send", *[{"errcode": 48001}] * 100)
    for _ in range(60):
        clock.forward(minutes=1)
        deliver(wechat, 3)

    assert 6 <= len(wechat.sends()) <= 9


def test_operators_see_what_stands_still(stopped, operator):
    front, listed = page(operator, ""), page(operator, "webhook/outboundmessage/")

    assert "微信客服消息：等待上游恢复" in front
    assert listed.count("等待上游恢复") == 4


def test_an_operator_is_asked_first_and_then_everything_travels(stopped, operator, wechat, clock):
    alarm = Alarm.objects.get()
    asked = act(operator, "planner/alarm", "resume", alarm)
    assert ("确认问题已经改好" in asked, phase(Upstream.WECHAT_SEND)) == (True, Phase.STOPPED)

    act(operator, "planner/alarm", "resume", alarm, confirmed="yes")
    clock.forward(seconds=6)
    deliver(wechat, 6)

    assert set(OutboundMessage.objects.values_list("status", flat=True)) == {SENT}
    assert LogEntry.objects.filter(change_message="恢复上游").count() == 1
    assert Alarm.objects.get().closed_at is not None


def test_who_only_looks_cannot_resume(stopped):
    looker = client(user("look", "view"))

    act(looker, "planner/alarm", "resume", Alarm.objects.get(), confirmed="yes")

    assert phase(Upstream.WECHAT_SEND) is Phase.STOPPED


def test_an_alarm_without_an_upstream_offers_no_resuming(operator, wechat):
    alarm = Alarm.objects.create(key="webhook:unreadable", detail="?")

    assert "恢复上游" not in page(operator, f"planner/alarm/{alarm.pk}/change/")
    assert "状态不允许" in act(operator, "planner/alarm", "resume", alarm)


def test_without_a_token_nothing_is_claimed_until_there_is_one(mei, bo, wechat, clock):
    outbound(mei)
    outbound(bo)
    wechat.script("stable_token", {"errcode": 40164, "errmsg": "invalid ip 203.0.113.7"})
    deliver(wechat)

    clock.forward(seconds=20)
    assert deliver(wechat, 4) == 0

    clock.forward(seconds=60)
    assert deliver(wechat, 4) == 2
    assert set(OutboundMessage.objects.values_list("status", flat=True)) == {SENT}


def test_a_stopped_token_call_stops_nobody_who_has_a_token(mei, wechat):
    outbound(mei, "一")
    deliver(wechat)
    fail(Upstream.TOKEN, Retry.OPERATOR)
    assert AccessToken.objects.get().token

    outbound(mei, "二")
    deliver(wechat)

    assert wechat.received(mei.openid) == ["一", "二"]


def test_five_servers_that_do_not_answer_rest_the_others_for_ten_seconds(wechat, clock):
    rows(8)
    wechat.script("custom/send", *[Answer(502, "<html>")] * 5)
    deliver(wechat, 10)
    assert len(wechat.sends()) == 5
    found = list(OutboundMessage.objects.values_list("status", flat=True))
    assert (found.count(OutboundMessage.UNKNOWN), found.count(PENDING)) == (5, 3)

    clock.forward(seconds=10)
    deliver(wechat, 4)

    assert OutboundMessage.objects.filter(status=SENT).count() == 3


def test_the_figures_tell_what_is_shut_and_how_much_waits(stopped, client):
    text = client.get("/metrics").content.decode()

    assert 'planner_upstream_shut{upstream="wechat_send"} 2.0' in text
    assert 'planner_upstream_shut{upstream="llm"} 0.0' in text
    assert 'planner_upstream_waiting{upstream="wechat_send"} 4.0' in text


def test_doctor_tells_what_stands_still(stopped):
    from planner.checks import checks

    found = {finding.subject: finding.text for finding in checks()}

    assert "stands still" in found["wechat_send"]
    assert "llm" not in found


def test_a_held_batch_says_so(mei, operator):
    batch = submitted(mei, "蓝色那摊子")
    Batch.objects.filter(pk=batch.pk).update(held_for="llm")
    assert "等待上游恢复" not in page(operator, "webhook/batch/")

    fail(Upstream.LLM, Retry.OPERATOR)

    assert "等待上游恢复" in page(operator, "webhook/batch/")
    assert "等待上游恢复：模型" in page(operator, f"webhook/batch/{batch.pk}/change/")

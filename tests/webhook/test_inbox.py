"""The door's one transaction: once per key, into the open batch, with the same answer for every delivery."""

from datetime import timedelta

import pytest

from planner import texts
from planner.models import Follower
from tests.builders import outbound, post, say, submitted, xml
from tests.webhook.door import MEI, nothing_stored
from webhook.models import Batch, InboundMessage, OutboundMessage
from webhook.sweep import submit_quiet, sweep

pytestmark = pytest.mark.django_db
AT = 1767225600
WELCOME = texts.render("welcome", pushes=True, templates=False)


def event(name: str, *, openid: str = MEI, sent: int = AT, **extra: str):
    return post(xml(openid, MsgType="event", Event=name, sent=sent, **extra))


def content(response) -> str:
    return response.content.decode()


def snapshot() -> list:
    models = (Follower, Batch, InboundMessage, OutboundMessage)
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_a_redelivery_changes_nothing_and_gets_the_same_answer(mei):
    body = xml(mei.openid, "买牛奶", msg_id=7)
    first = post(body)
    before = snapshot()

    answers = [content(post(body)) for _ in range(2)]

    assert answers == [content(first)] * 2 == ["success"] * 2
    assert snapshot() == before


def test_a_redelivery_gets_the_stored_text(mei):
    body = xml(mei.openid, MsgType="image", msg_id=7)
    first = content(post(body))
    InboundMessage.objects.update(response_text="存下的回答")

    assert texts.render("unsupported") in first
    assert "存下的回答" in content(post(body))


def test_the_same_id_with_another_text_keeps_the_first(mei):
    say(mei, "买牛奶", msg_id=7)

    answer = say(mei, "买面包", msg_id=7)

    assert content(answer) == "success"
    assert InboundMessage.objects.get().text == "买牛奶"


@pytest.mark.parametrize("largest", [25231685381080581, 2**63 - 1])
def test_ids_that_differ_in_the_last_digit_are_two_messages(mei, largest):
    say(mei, "一", msg_id=largest)
    say(mei, "二", msg_id=largest - 1)

    assert [row.msg_id for row in InboundMessage.objects.order_by("pk")] == [str(largest), str(largest - 1)]


def test_messages_within_the_quiet_time_are_one_batch(mei):
    for text in ("买牛奶", "周三交房租", "取消买牛奶"):
        say(mei, text)

    assert Batch.objects.get().messages.count() == 3


def test_each_message_prolongs_the_quiet_time_up_to_the_cap(mei, clock, settings):
    settings.BATCH_QUIET_SECONDS, settings.BATCH_MAX_COLLECT_SECONDS = 300, 3000
    for _ in range(12):
        say(mei, "还有")
        clock.forward(seconds=240)
    assert submit_quiet() == 0

    clock.forward(seconds=130)

    assert submit_quiet() == 1
    batch = Batch.objects.get()
    assert batch.messages.count() == 12
    assert batch.collect_until - batch.created_at <= timedelta(seconds=3001)


def test_a_batch_is_submitted_once_it_was_quiet(mei, clock, settings):
    settings.BATCH_QUIET_SECONDS = 300
    say(mei, "买牛奶")
    assert submit_quiet() == 0

    clock.forward(seconds=301)

    assert submit_quiet() == 1
    assert Batch.objects.get().status == Batch.SUBMITTED


def test_a_message_after_the_submit_opens_the_next_batch(mei, clock):
    say(mei, "一")
    clock.forward(seconds=4)
    submit_quiet()

    say(mei, "二")

    assert [batch.status for batch in Batch.objects.order_by("pk")] == [Batch.SUBMITTED, Batch.COLLECTING]


@pytest.mark.parametrize("word", ["就这些", "提交", "就这些。"])
def test_that_is_all_submits_at_once(mei, word):
    say(mei, "买牛奶")

    say(mei, word)

    assert submit_quiet() == 1
    assert list(Batch.objects.get().messages.order_by("pk").values_list("detail", flat=True)) == ["text", "submit"]


def test_that_is_all_without_a_batch_is_a_text(mei):
    say(mei, "就这些")

    stored = InboundMessage.objects.get()
    assert (stored.detail, stored.batch.status) == ("text", Batch.COLLECTING)
    assert submit_quiet() == 0


def test_that_is_all_of_one_follower_leaves_the_others_alone(mei, bo):
    say(mei, "买牛奶")

    say(bo, "就这些")

    assert submit_quiet() == 0


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"MsgType": "image"}, "unsupported"),
        ({"MsgType": "location"}, "unsupported"),
        ({"text": "【收到不支持的消息类型，暂无法显示】"}, "unsupported"),
        ({"text": "长" * 4001}, "too_long"),
    ],
    ids=["image", "location", "sticker", "too_long"],
)
def test_what_we_cannot_read_gets_a_polite_line_and_plans_nothing(mei, body, answer):
    response = post(xml(mei.openid, **body))

    assert texts.render(answer) in content(response)
    assert InboundMessage.objects.count() == 1
    assert not Batch.objects.exists()


def test_an_empty_text_gets_success_and_plans_nothing(mei):
    assert content(say(mei, " ")) == "success"
    assert not Batch.objects.exists()


@pytest.mark.parametrize("name", ["VIEW", "LOCATION", "MASSSENDJOBFINISH", "subscribe_msg_sent_event", "new_in_2030"])
def test_an_event_we_do_not_know_is_success_and_stored_nowhere(name):
    assert content(event(name)) == "success"
    assert nothing_stored()


def test_three_deliveries_of_a_subscription_welcome_once():
    answers = [content(event("subscribe")) for _ in range(3)]

    assert all(WELCOME in answer for answer in answers)
    assert InboundMessage.objects.count() == 1


def test_events_of_one_second_do_not_eat_each_other():
    answers = [event("subscribe"), event("subscribe", openid="o-bo"), event("CLICK", EventKey="today")]

    assert [WELCOME in content(answer) for answer in answers] == [True, True, False]
    assert InboundMessage.objects.count() == 3


def test_leaving_cancels_what_waits_and_keeps_what_was_asked(mei):
    outbound(mei)
    submitted(mei, "买牛奶")

    answer = event("unsubscribe", openid=mei.openid)

    assert content(answer) == "success"
    row = OutboundMessage.objects.get()
    assert (row.status, row.last_error) == (OutboundMessage.CANCELLED, "已取消关注")
    assert Batch.objects.get().status == Batch.SUBMITTED


def test_leaving_before_ever_writing_is_remembered():
    event("unsubscribe")

    assert Follower.objects.get().unfollowed_at is not None


def test_coming_back_opens_the_way_again(chen):
    event("subscribe", openid=chen.openid)

    chen.refresh_from_db()
    assert chen.unfollowed_at is None


def test_a_message_opens_five_for_two_days_and_a_tap_three_for_a_minute(mei, clock):
    Follower.objects.update(quota_left=0)
    clock.forward(hours=49)
    event("CLICK", openid=mei.openid, EventKey="today")
    mei.refresh_from_db()
    assert mei.quota_left == 3

    say(mei, "你好")

    mei.refresh_from_db()
    assert mei.quota_left == 5
    assert mei.window_until - mei.last_message_at > timedelta(hours=47)


def test_a_tap_does_not_shorten_an_open_window(mei):
    before = Follower.objects.get().window_until

    event("CLICK", openid=mei.openid, EventKey="today")

    mei.refresh_from_db()
    assert (mei.window_until, mei.quota_left) == (before, 5)


@pytest.mark.parametrize("wake", ["message", "tap"])
def test_whoever_speaks_gets_what_was_waiting(mei, wake):
    row = outbound(mei)
    OutboundMessage.objects.update(waiting=True)

    if wake == "message":
        say(mei, "在吗")
    else:
        event("CLICK", openid=mei.openid, EventKey="today")

    row.refresh_from_db()
    assert not row.waiting


def test_the_sweep_finds_what_should_not_wait_any_more(mei):
    row = outbound(mei)
    OutboundMessage.objects.update(waiting=True)
    closed = outbound(Follower.objects.create(app_id="wx", openid="o-closed"))
    OutboundMessage.objects.filter(pk=closed.pk).update(waiting=True)

    sweep()

    assert not OutboundMessage.objects.get(pk=row.pk).waiting
    assert OutboundMessage.objects.get(pk=closed.pk).waiting


def test_every_message_has_its_own_trace_and_its_batch_the_firsts(mei):
    say(mei, "一")
    say(mei, "二")

    first, second = InboundMessage.objects.order_by("pk")
    assert first.trace_id.version == 7
    assert first.trace_id != second.trace_id
    assert Batch.objects.get().trace_id == first.trace_id

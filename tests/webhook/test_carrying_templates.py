"""Reminders of one follower that are due together: one template, each in its own row, whatever becomes of it."""

import pytest

from planner import crashpoints
from planner.crashpoints import Crash, from_words
from planner.models import Follower, Reminder, Review, Task
from reminders.scan import scan_next
from tests.builders import planned, post, soon, xml
from tests.doubles.server import Answer
from tests.webhook.sending import deliver
from webhook.models import OutboundMessage
from webhook.operators import send_again
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db
PENDING, SENT, FAILED = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.FAILED
UNKNOWN, CANCELLED = OutboundMessage.UNKNOWN, OutboundMessage.CANCELLED
LOST = Answer(drop="after")


@pytest.fixture(autouse=True)
def template(settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "tpl"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {
        "thing1": "title",
        "time2": "when",
        "thing3": "note",
        "phrase4": "status",
    }
    yield
    crashpoints.arm(None)


def due(who, clock, *titles: str, **options) -> list[OutboundMessage]:
    """Rows of reminders that the scan has just handed over."""
    start = soon(minutes=5)
    for title in titles:
        planned(who, title, start, **options)
    clock.forward(minutes=6)
    while scan_next():
        continue
    return list(OutboundMessage.objects.order_by("pk"))


def shown(wechat) -> list[str]:
    """What can be read of each template on the phone: title, and note if there is one."""
    read = [[sent["data"][key]["value"] for key in ("thing1", "thing3")] for sent in wechat.templates]
    return [title if note == "无" else f"{title} | {note}" for title, note in read]


def states() -> list[str]:
    return list(OutboundMessage.objects.order_by("pk").values_list("status", flat=True))


def receipt(who, wechat, status: str) -> None:
    post(xml(who.openid, MsgType="event", Event="TEMPLATESENDJOBFINISH", MsgID=wechat.msgid, Status=status))


def test_what_is_due_at_once_is_one_template_and_each_reminder_keeps_its_row(mei, wechat, clock):
    rows = due(mei, clock, "开会", "吃药", "交电费")

    deliver(wechat, 4)

    assert (shown(wechat), states()) == (["开会、吃药、交电费"], [SENT] * 3)
    assert [row.carried_by_id for row in OutboundMessage.objects.order_by("pk")] == [None, rows[0].pk, rows[0].pk]
    assert len({row.key for row in rows}) == Reminder.objects.filter(status=Reminder.SENT).count() == 3


def test_what_does_not_fit_the_title_stands_in_the_free_note_and_the_rest_in_the_next(mei, wechat, clock):
    due(mei, clock, *[f"第{n}件要紧的事" for n in "一二三四五六"])

    deliver(wechat, 4)

    assert shown(wechat) == [
        "第一件要紧的事、第二件要紧的事 | 第三件要紧的事、第四件要紧的事",
        "第五件要紧的事、第六件要紧的事",
    ]
    assert states() == [SENT] * 6


def test_hours_that_differ_are_said(mei, wechat, clock):
    planned(mei, "开会", soon(minutes=20), remind=["提前15分钟"])
    due(mei, clock, "吃药")

    deliver(wechat, 3)

    assert len(wechat.templates) == 1
    first, second = shown(wechat)[0].split("、")
    assert (first[5:], second[5:]) in ((" 开会", " 吃药"), (" 吃药", " 开会"))


@pytest.mark.parametrize(
    ("title", "notes"),
    [("买菜", "带上会员卡"), ("一个很长很长很长很长很长很长的标题", "")],
    ids=["a note", "a long title"],
)
def test_nothing_is_merged_that_would_be_hidden(mei, wechat, clock, title, notes):
    planned(mei, title, soon(minutes=5), notes=notes)
    due(mei, clock, "另外一件不短也不算长的事")

    deliver(wechat, 3)

    read = "".join(shown(wechat))
    assert all(words in read for words in (title, notes, "另外一件不短也不算长的事"))


def test_another_follower_is_not_told(mei, bo, wechat, clock):
    planned(bo, "跑步", soon(minutes=5))
    due(mei, clock, "开会", "吃药")

    deliver(wechat, 4)

    assert sorted(shown(wechat)) == ["开会、吃药", "跑步"]


def test_a_lost_answer_is_asked_for_again_with_the_same_ones_and_no_new_one(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", LOST)
    deliver(wechat)
    due(mei, clock, "散步")

    deliver(wechat, 6)

    assert shown(wechat) == ["开会、吃药", "散步"]
    assert [call.json["data"]["thing1"]["value"] for call in wechat.calls("template/send")][:2] == ["开会、吃药"] * 2
    assert states() == [SENT] * 3


def test_what_is_done_before_the_second_try_is_not_said_again(mei, wechat, clock):
    due(mei, clock, "开会", "吃药", "散步")
    wechat.script("template/send", Answer(502))
    deliver(wechat)
    Task.objects.exclude(title="吃药").update(status=Task.DONE)

    clock.forward(seconds=30)
    deliver(wechat, 3)

    assert shown(wechat) == ["吃药"]
    assert states() == [SENT, SENT, CANCELLED]


def test_what_is_wholly_done_before_the_second_try_is_called_off(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", Answer(502))
    deliver(wechat)
    Task.objects.update(status=Task.DONE)

    clock.forward(seconds=30)
    deliver(wechat, 3)

    assert (shown(wechat), states()) == ([], [CANCELLED] * 2)


def test_an_unknown_end_is_one_for_all_and_a_person_can_send_all_of_it_again(mei, wechat, clock, settings):
    settings.OUTBOUND_MAX_CLAIMS = 1
    row = due(mei, clock, "开会", "吃药")[0]
    wechat.script("template/send", Answer(502))
    deliver(wechat, 2)
    assert (states(), Review.objects.count()) == ([UNKNOWN, SENT], 1)

    from django.contrib.auth.models import User

    assert send_again(row, User.objects.create(username="op"))
    deliver(wechat)

    assert shown(wechat) == ["开会、吃药"]


@pytest.mark.parametrize("code", [45011, 45009, 43117])
def test_what_was_refused_is_put_together_anew(mei, wechat, clock, code):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", {"errcode": code})
    deliver(wechat)
    assert set(OutboundMessage.objects.values_list("status", "carried_by_id")) == {(PENDING, None)}

    clock.forward(hours=25)
    deliver(wechat, 4)

    assert (len(wechat.templates), states()) == (1, [SENT] * 2)


def test_a_template_that_cannot_be_used_becomes_one_customer_message(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", {"errcode": 40037})

    deliver(wechat, 3)

    (read,) = wechat.received(mei.openid)
    assert ("开会" in read, "吃药" in read, states()) == (True, True, [SENT] * 2)


def test_wechats_own_failure_repeats_all_of_it(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    deliver(wechat)

    receipt(mei, wechat, "failed: system failed")
    deliver(wechat)

    assert shown(wechat) == ["开会、吃药"] * 2
    assert states() == [FAILED, SENT, SENT]


def test_the_receipt_of_a_lost_answer_settles_all(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", LOST)
    deliver(wechat)

    receipt(mei, wechat, "success")
    clock.forward(minutes=1)
    deliver(wechat, 2)

    assert (len(wechat.calls("template/send")), states()) == (1, [SENT] * 2)


def test_a_follower_who_left_meanwhile_is_not_written_to(mei, wechat, clock):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", LOST, {"errcode": 43004})
    deliver(wechat)

    clock.forward(minutes=1)
    deliver(wechat, 4)

    assert states() == [CANCELLED] * 2
    assert Follower.objects.get().unfollowed_at


def test_fields_that_were_set_differently_between_two_tries_leave_it_unknown(mei, wechat, clock, settings):
    due(mei, clock, "开会", "吃药")
    wechat.script("template/send", Answer(502))
    deliver(wechat)
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing9": "title"}

    clock.forward(seconds=30)
    deliver(wechat)

    assert states() == [UNKNOWN, SENT]


MOMENTS = ("admit:before", "admit:written", "admit:committed", "send template:before", "send template:answered",
           "sent:before", "sent:written", "sent:committed")  # fmt: skip


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("moment", MOMENTS)
def test_whatever_ends_the_sender_each_is_told_once(mei, wechat, clock, moment):
    due(mei, clock, "开会", "吃药")
    crashpoints.arm(from_words(f"{moment} raise"))
    with pytest.raises(Crash):
        deliver(wechat)
    crashpoints.arm(None)

    clock.forward(seconds=61)
    sweep()
    deliver(wechat, 4)

    assert "、".join(shown(wechat)).split("、") == ["开会", "吃药"]
    assert states() == [SENT] * 2

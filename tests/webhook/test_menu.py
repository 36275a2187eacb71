"""The menu: one command sets it, and each button does what it says."""

import time

import pytest
from django.core.management import CommandError, call_command

from planner import texts
from planner.models import Follower
from tests.builders import heard, planned, post, soon, xml
from tests.journeys.talk import Talk
from webhook.menu import BUTTONS
from webhook.models import Batch, InboundMessage

pytestmark = pytest.mark.django_db


def tap(who, key: str, *, sent: float | None = None):
    return post(xml(who.openid, MsgType="event", Event="CLICK", EventKey=key, sent=sent))


def test_the_command_sets_three_buttons_and_repeating_it_is_harmless(wechat, capsys):
    for _ in range(2):
        call_command("wechat_menu")

    assert [button["name"] for button in wechat.menu["button"]] == ["今天", "本周", "帮助"]
    assert {button["key"] for button in wechat.menu["button"]} == set(BUTTONS)
    assert b"\\u" not in wechat.calls("menu/create")[0].body
    assert "menu set" in capsys.readouterr().out


def test_a_dead_token_is_renewed_once(wechat):
    call_command("wechat_menu")
    wechat.new_token()

    call_command("wechat_menu")

    assert len(wechat.calls("stable_token")) == 2


@pytest.mark.parametrize(("kind", "hint"), [("unverified", True), ("service", False)])
def test_a_refusal_is_one_sentence(wechat, settings, kind, hint):
    settings.WECHAT_ACCOUNT_KIND = kind
    wechat.script("menu/create", {"errcode": 48001, "errmsg": "api unauthorized"})

    with pytest.raises(CommandError) as refused:
        call_command("wechat_menu")

    assert "48001" in str(refused.value)
    assert ("by a call" in str(refused.value)) is hint


@pytest.mark.parametrize(("key", "title"), [("today", "喝水"), ("week", "喝水")])
def test_a_tap_is_answered_from_the_plan_once(mei, wechat, clock, key, title):
    planned(mei, title, soon(seconds=1))
    talk = Talk(mei, wechat, clock)

    now = time.time()

    for _ in range(3):
        tap(mei, key, sent=now)

    assert "1. " in talk.work()
    assert (Batch.objects.count(), InboundMessage.objects.count()) == (1, 1)


def test_a_tap_opens_three_messages_for_a_minute(mei):
    Follower.objects.update(quota_left=0, window_until=None)

    tap(mei, "today")

    assert Follower.objects.get().quota_left == 3


def test_help_is_answered_at_once(mei):
    assert heard(tap(mei, "help")) == texts.render("help")
    assert not Batch.objects.exists()


def test_a_button_of_another_program_is_let_pass(mei):
    assert heard(tap(mei, "somebody-elses")) == ""
    assert not Batch.objects.exists()


@pytest.mark.parametrize(
    ("kind", "template", "said"),
    [
        ("unverified", "", "不能主动发消息"),
        ("subscription", "tpl", "48 小时内主动送到"),
        ("service", "", "48 小时内主动送到"),
        ("service", "tpl", None),
    ],
)
def test_the_welcome_says_what_the_account_cannot(settings, db, kind, template, said):
    settings.WECHAT_ACCOUNT_KIND, settings.WECHAT_REMINDER_TEMPLATE_ID = kind, template
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title"}

    welcome = heard(post(xml("o-new", MsgType="event", Event="subscribe", EventKey="")))

    assert "提醒我" in welcome
    assert "撤销" in welcome
    assert said in welcome if said else "小时内" not in welcome and "不能主动" not in welcome

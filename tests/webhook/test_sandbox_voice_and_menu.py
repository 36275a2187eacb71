"""What a thumb does besides typing in the demo's WeChat: the account's menu and the voice button."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import include, path

from planner.errors import Failure
from tests import sounds
from tests.webhook.test_sandbox import ACCOUNT, callback, follower, sandbox, texts  # noqa: F401 - fixtures
from webhook.media import Media
from webhook.menu import BUTTONS
from webhook.sandbox.server import Sandbox
from webhook.wechat import WeChat

urlpatterns = [path("sandbox/", include("webhook.sandbox.urls"))]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def act(openid: str, action: str, **fields):
    return Client().post(f"/sandbox/{openid}/{action}", fields)


def recording(sound: bytes = b"#!AMR\n") -> SimpleUploadedFile:
    return SimpleUploadedFile("voice.wav", sound)


def test_the_command_sets_the_menu_that_the_page_shows(sandbox):  # noqa: F811
    openid = follower(sandbox)
    call_command("wechat_menu", stdout=io.StringIO())

    menu = Client().get(f"/sandbox/{openid}/chat").json()["menu"]

    assert {button["key"]: button["name"] for button in menu} == BUTTONS


def test_a_tap_is_a_click_event_of_the_real_webhook(sandbox, callback):  # noqa: F811
    openid = follower(sandbox)
    call_command("wechat_menu", stdout=io.StringIO())

    act(openid, "tap", text="today")

    message = callback.messages()[-1]
    assert [message[name] for name in ("MsgType", "Event", "EventKey", "FromUserName")] == [
        "event",
        "CLICK",
        "today",
        openid,
    ]
    assert [entry for entry in texts(sandbox, openid) if entry] == []


def test_no_button_is_tapped_that_the_account_has_not(sandbox, callback):  # noqa: F811
    openid = follower(sandbox)

    assert act(openid, "tap", text="today").status_code == 400
    assert len(callback.requests) == 1


def test_an_unverified_account_has_no_menu(callback, settings):  # noqa: F811
    with Sandbox(callback=callback.url, kind="unverified", **ACCOUNT) as server:
        settings.WECHAT_API_BASE = server.url

        with pytest.raises(CommandError, match="48001"):
            call_command("wechat_menu")


def test_what_is_spoken_arrives_as_a_voice_message_and_can_be_fetched(sandbox, callback):  # noqa: F811
    openid, sound = follower(sandbox), sounds.wav(2)

    act(openid, "speak", audio=recording(sound), seconds="2")

    message = callback.messages()[-1]
    assert (message["MsgType"], message["Format"]) == ("voice", "amr")
    assert Media(WeChat()).download(message["MediaId"]) == sound
    assert sandbox.wait(openid, after=0, seconds=0)[-1].seconds == 2


def test_what_was_never_sent_cannot_be_fetched(sandbox):  # noqa: F811
    with pytest.raises(Failure) as refused:
        Media(WeChat()).download("nothing")

    assert refused.value.code == "40007"


@pytest.mark.parametrize(
    "audio", [recording(b""), recording(bytes(2 * 1024 * 1024 + 1)), "no file"], ids=["empty", "large", "none"]
)
def test_what_wechat_would_not_send_is_refused(sandbox, callback, audio):  # noqa: F811
    openid = follower(sandbox)

    assert act(openid, "speak", audio=audio).status_code == 400
    assert len(callback.requests) == 1


def test_who_does_not_follow_neither_speaks_nor_taps(sandbox, callback):  # noqa: F811
    openid = sandbox.phones.new()
    sandbox.api.menu = [{"type": "click", "name": "今天", "key": "today"}]

    act(openid, "speak", audio=recording())
    act(openid, "tap", text="today")

    assert callback.requests == []

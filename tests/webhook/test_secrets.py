"""No record of any logger, at any level, carries a secret, an openid or what a follower wrote."""

import logging
from datetime import timedelta

import pytest

from planner.clock import AppNow
from planner.logs import JsonFormatter
from planner.models import Alarm, Follower
from tests.builders import outbound, post, query, say, sealed, xml
from tests.doubles.server import Answer
from tests.vectors import ACCOUNT
from webhook.delivery import deliver_next
from webhook.models import AccessToken, Attempt, OutboundMessage
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db
CANARY = "canary金丝雀canary"
SECRETS = ("app-secret-app-secret-app-secret", "planner-test-token", "canary-token-canary", ACCOUNT["aes_key"])


@pytest.fixture
def everything_logged(caplog):
    """Down to DEBUG, whatever the settings say; as the product's own formatter writes it."""
    caplog.set_level(logging.DEBUG)
    for name in ("urllib3", "requests", "wechatpy", "django.request", "django.db.backends", "webhook", "planner"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def leaks(caplog, *more: str) -> list[str]:
    formatter = JsonFormatter()
    noisy = ("urllib3", "django.db")  # the product keeps these at WARNING: their DEBUG has addresses and statements
    kept = [r for r in caplog.records if r.levelno >= logging.WARNING or not r.name.startswith(noisy)]
    lines = [formatter.format(record) for record in kept]
    return [line for line in lines for secret in (*SECRETS, CANARY, *more) if secret in line]


def failing(mei, wechat) -> None:
    wechat.script("stable_token", {"access_token": "canary-token-canary", "expires_in": 7200})
    for code in (40001, 40001, 45002, 40164):
        wechat.script("custom/send", {"errcode": code, "errmsg": f"hint to {mei.openid} rid: 65a"})
    for answer in (Answer(500, "oops"), Answer(drop="after"), Answer(drop="hang"), Answer(200, "<html>")):
        wechat.script("custom/send", answer)


def test_a_round_in_and_out_logs_no_secret(mei, wechat, clock, settings, everything_logged):
    settings.WECHAT_READ_SECONDS = 0.3
    failing(mei, wechat)
    for n in range(8):
        say(mei, f"{CANARY}{n}")
        outbound(mei, f"{CANARY}{n}")
    Follower.objects.update(quota_left=20)
    for _ in range(30):
        deliver_next(wechat.client())
        clock.forward(minutes=5)
        sweep()

    assert len(wechat.sends()) >= 8
    assert everything_logged.records
    assert leaks(everything_logged, mei.openid) == []


def test_an_error_row_names_no_secret(mei, wechat, clock, settings):
    settings.WECHAT_READ_SECONDS = 0.3
    failing(mei, wechat)
    for n in range(6):
        outbound(mei, f"{CANARY}{n}")
    for _ in range(30):
        deliver_next(wechat.client())
        clock.forward(minutes=5)

    told = [
        *OutboundMessage.objects.values_list("last_error", flat=True),
        *Attempt.objects.values_list("error", flat=True),
    ]
    told += Alarm.objects.values_list("detail", flat=True)
    assert any(told)
    assert [text for text in told for secret in (*SECRETS, CANARY, mei.openid) if secret in text] == []


@pytest.mark.parametrize("base", ["http://127.0.0.1:1", "http://wechat.invalid", "http://[::1", "nonsense"])
def test_a_connection_error_names_no_address_with_a_token(mei, settings, wechat, everything_logged, base):
    expires_at = AppNow() + timedelta(hours=1)
    AccessToken.objects.create(app_id=mei.app_id, token="canary-token-canary", expires_at=expires_at)
    settings.WECHAT_API_BASE = base
    outbound(mei, CANARY)

    deliver_next(wechat.client())

    row = OutboundMessage.objects.get()
    assert row.last_error
    assert "canary" not in row.last_error
    assert leaks(everything_logged, mei.openid) == []


@pytest.mark.parametrize("body", ["<xml>" + CANARY, CANARY, f"<xml><Content>{CANARY}</Content></xml>"])
@pytest.mark.parametrize("safe", [True, False])
def test_a_refused_or_unreadable_body_is_not_logged(body, safe, mei, settings, everything_logged):
    signed = None
    if safe:
        settings.WECHAT_AES_KEY = ACCOUNT["aes_key"]
        body, signed = sealed(body)
    post(body, signed=signed)
    refused = post(xml(mei.openid, CANARY), signed=query(at=1) + f"&openid={mei.openid}")

    assert refused.status_code == 403
    assert everything_logged.records
    assert leaks(everything_logged, mei.openid) == []


def test_an_ignored_event_logs_its_name_only(mei, everything_logged):
    post(xml(mei.openid, MsgType="event", Event="VIEW", EventKey=f"https://x/?{CANARY}"))

    assert any("VIEW" in str(vars(record)) for record in everything_logged.records)
    assert leaks(everything_logged, mei.openid) == []


def test_an_address_in_a_log_line_loses_its_signature(mei, everything_logged):
    signed = query(at=1)
    post(xml(mei.openid, "你好"), signed=signed)

    lines = [JsonFormatter().format(record) for record in everything_logged.records]
    assert any("/wechat/callback?" in line for line in lines)
    assert not any(signed.split("&")[0].removeprefix("signature=") in line for line in lines)

"""Plain functions that build what a test needs, through the product's own doors where there is one."""

import os
import time
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import xmltodict
from django.conf import settings
from django.test import Client
from django.utils import timezone

from planner import trace
from planner.clock import AppNow
from planner.models import Follower, Task
from planner.operations import Outcome, Scope, apply
from planner.operations.words import Unclear
from webhook.models import Batch, InboundMessage, OutboundMessage
from webhook.outbox import enqueue
from webhook.protocol import encrypt, sign

_numbers = count(24300000000000001 + os.getpid() * 1_000_000)
ACCOUNT = "gh_0123456789ab"


def follower(openid: str, *, timezone: str = "Asia/Shanghai", left: bool = False) -> Follower:
    return Follower.objects.create(
        app_id="wx0123456789abcdef",
        openid=openid,
        timezone=timezone,
        last_message_at=AppNow(),
        window_until=AppNow() + timedelta(hours=48),
        quota_left=5,
        unfollowed_at=AppNow() if left else None,
    )


def query(body: str = "", *, at: float | None = None, nonce: str = "314159") -> str:
    """A signed query string; with an AES key set, `body` is the Encrypt text that msg_signature covers."""
    timestamp = str(int(time.time() if at is None else at))
    token = settings.WECHAT_TOKEN
    parts = f"signature={sign(token, timestamp, nonce)}&timestamp={timestamp}&nonce={nonce}"
    return parts + (f"&encrypt_type=aes&msg_signature={sign(token, timestamp, nonce, body)}" if body else "")


def xml(openid: str, text: str = "", *, msg_id: int | None = None, sent: float | None = None, **extra: Any) -> str:
    """A text message, or with MsgType=… anything else; extra elements by name."""
    fields = {"MsgType": "text", **({"Content": text} if text else {}), **extra}
    if fields["MsgType"] != "event":
        fields["MsgId"] = msg_id or next(_numbers)
    inner = "".join(f"<{name}><![CDATA[{value}]]></{name}>" for name, value in fields.items() if value is not None)
    created = int(time.time() if sent is None else sent)
    return (
        f"<xml><ToUserName><![CDATA[{ACCOUNT}]]></ToUserName><FromUserName><![CDATA[{openid}]]></FromUserName>"
        f"<CreateTime>{created}</CreateTime>{inner}</xml>"
    )


def post(body: str, *, signed: str | None = None, client: Client | None = None) -> Any:
    address = "/wechat/callback?" + (query() if signed is None else signed)
    return (client or Client(raise_request_exception=False)).post(address, data=body.encode(), content_type="text/xml")


def say(who: Follower, text: str, **options: Any) -> Any:
    """The follower writes: through the real door."""
    return post(xml(who.openid, text, **options))


def heard(response: Any) -> str:
    """What the follower reads as the passive answer, '' for nothing. Plain mode."""
    if response.content == b"success":
        return ""
    return xmltodict.parse(response.content)["xml"]["Content"]


def sealed(inner: str) -> tuple[str, str]:
    """(body, query) of a safe-mode request with that XML inside."""
    from webhook.views import account

    envelope = encrypt(account(), inner, nonce="314159", timestamp=str(int(time.time())))
    encrypted = envelope.split("<Encrypt><![CDATA[")[1].split("]]>")[0]
    body = f"<xml><ToUserName><![CDATA[{ACCOUNT}]]></ToUserName><Encrypt><![CDATA[{encrypted}]]></Encrypt></xml>"
    return body, query(encrypted)


def submitted(who: Follower, *texts: str, analysis: dict[str, Any] | None = None) -> Batch:
    """A batch that waits for a worker, with its messages."""
    batch = Batch.objects.create(
        follower=who,
        status=Batch.SUBMITTED,
        trace_id=trace.new_trace_id(),
        available_at=AppNow(),
        collect_until=AppNow(),
        analysis_json=analysis,
    )
    for text in texts:
        number = next(_numbers)
        InboundMessage.objects.create(
            message_key=f"test:msg:{number}",
            follower=who,
            batch=batch,
            kind=InboundMessage.TEXT,
            detail="text",
            text=text,
            msg_id=str(number),
            sent_at=timezone.now(),
            response_text="",
            trace_id=batch.trace_id,
        )
    return Batch.objects.get(pk=batch.pk)


def scope(who: Follower, *, batch: Batch | None = None, lease: Any = None) -> Scope:
    return Scope(
        follower=who,
        sent_at=datetime.now(UTC),
        trace_id=trace.new_trace_id(),
        batch_id=batch.pk if batch else None,
        lease=lease,
    )


def planned(who: Follower, title: str, start: datetime | None = None, **params: Any) -> Task:
    """A task, added by the product's own operation."""
    from planner.actions import Create

    made = apply("create", Create(title=title, start=start, **params), scope(who), key=f"test:create:{next(_numbers)}")
    assert isinstance(made, Outcome)
    assert not isinstance(made, Unclear)
    return Task.objects.get(pk=made.result["task"]["id"])


def outbound(who: Follower, text: str = "好的", *, key: str = "", **options: Any) -> OutboundMessage:
    """A row waiting to be sent."""
    key = key or f"test:outbound:{next(_numbers)}"
    enqueue(key=key, follower_id=who.pk, purpose="reply", text=text, trace_id=trace.new_trace_id(), **options)
    return OutboundMessage.objects.get(key=key)


def soon(**amount: float) -> datetime:
    """An aware moment ahead of now, without fractions of a second."""
    return datetime.now(UTC).replace(microsecond=0) + timedelta(**amount)

"""From the fields of a message or event to what we make of it: its key, its kind, its text. Pure."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from webhook.menu import BUTTONS, HELP, SAYS
from webhook.plain import is_number
from webhook.protocol import Unreadable, text_of

OPENID = re.compile(r"[A-Za-z0-9_-]{1,64}")
TEXT_LIMIT = 4000
KEY_LIMIT = 200
LATEST = 4102444800  # 2100-01-01: a time beyond it is nobody's, and sums with it overflow
INT64 = 2**63 - 1
MEDIA_LIMIT = 256
UNSUPPORTED = "【收到不支持的消息类型"  # stickers and files arrive as a text that says this
SUBMIT = frozenset({"就这些", "就这些了", "提交"})
# Both are whole messages, word for word, and known at the door alone: no rule and no model reads or writes them.
WIPE = frozenset({"删除我的所有数据", "删除我所有的数据", "删除我的全部数据"})
WIPE_YES = "确认删除所有数据"


class Kind(StrEnum):
    TEXT = "text"
    SUBMIT = "submit"  # 「就这些」: submits what was collected
    WIPE = "wipe"  # asks that all of the follower's data be erased
    WIPE_YES = "wipe_yes"  # the yes to that question, and to no other
    EMPTY = "empty"
    TOO_LONG = "too_long"
    VOICE = "voice"
    VOICE_OVER = "voice_over"  # one too many for today
    UNSUPPORTED = "unsupported"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    TOUCH = "touch"  # a tap or a scan: opens the short window
    TAP = "tap"  # … on a button of ours that asks something
    HELP = "help"
    RECEIPT = "receipt"
    UNKNOWN = "unknown"


EVENTS = {
    "subscribe": Kind.SUBSCRIBE,
    "unsubscribe": Kind.UNSUBSCRIBE,
    "scan": Kind.TOUCH,
    "click": Kind.TOUCH,
    "scancode_push": Kind.TOUCH,
    "scancode_waitmsg": Kind.TOUCH,
    "templatesendjobfinish": Kind.RECEIPT,
}


@dataclass(frozen=True)
class Voice:
    """`media_id_16k` is the better recording and may be missing; `recognition` is WeChat's own words, mostly empty;
    `over`: one too many for today."""

    media_id: str
    media_id_16k: str
    format: str
    recognition: str
    over: bool = False


@dataclass(frozen=True)
class Incoming:
    """`key` is `message_key`; `account` the gh_ id that a passive answer comes from; `sent_at` WeChat's CreateTime."""

    key: str
    openid: str
    account: str
    kind: Kind
    detail: str
    text: str
    msg_id: str
    sent_at: datetime
    receipt: tuple[int, str] | None = None
    voice: Voice | None = None

    @property
    def is_event(self) -> bool:
        return not self.msg_id and self.kind in {*EVENTS.values(), Kind.TAP, Kind.HELP, Kind.UNKNOWN}


def read(app_id: str, fields: Mapping[str, Any]) -> Incoming:
    """Raises Unreadable when there is no sender, no time or no kind."""
    openid, kind = text_of(dict(fields), "FromUserName").strip(), text_of(dict(fields), "MsgType").strip().lower()
    if not OPENID.fullmatch(openid) or not kind:
        raise Unreadable("no sender or no kind")
    if kind == "event":
        return _event(app_id, openid, dict(fields))
    return _message(app_id, openid, kind, dict(fields))


def _sent_at(fields: dict[str, Any]) -> datetime:
    created = text_of(fields, "CreateTime").strip()
    if not is_number(created) or int(created) > LATEST:
        raise Unreadable("CreateTime")
    return datetime.fromtimestamp(int(created), UTC)


def _message(app_id: str, openid: str, msg_type: str, fields: dict[str, Any]) -> Incoming:
    msg_id, sent_at = text_of(fields, "MsgId").strip(), _sent_at(fields)
    if not is_number(msg_id):
        raise Unreadable("MsgId")
    text = text_of(fields, "Content").strip() if msg_type == "text" else ""
    kind = _kind_of_text(text) if msg_type == "text" else Kind.VOICE if msg_type == "voice" else Kind.UNSUPPORTED
    return Incoming(
        key=f"{app_id}:msg:{msg_id}",
        openid=openid,
        account=text_of(fields, "ToUserName"),
        kind=kind,
        detail=msg_type[:64],
        text=text[:TEXT_LIMIT],
        msg_id=msg_id,
        sent_at=sent_at,
        voice=_voice(fields) if kind is Kind.VOICE else None,
    )


def _voice(fields: dict[str, Any]) -> Voice:
    media = [text_of(fields, name).strip() for name in ("MediaId", "MediaId16K")]
    narrow, wide = (value if len(value) <= MEDIA_LIMIT else "" for value in media)
    recognition = text_of(fields, "Recognition").strip()[:TEXT_LIMIT]
    return Voice(narrow, wide, text_of(fields, "Format").strip()[:16], recognition)


def _kind_of_text(text: str) -> Kind:
    if not text:
        return Kind.EMPTY
    if text.startswith(UNSUPPORTED):
        return Kind.UNSUPPORTED
    if len(text) > TEXT_LIMIT:
        return Kind.TOO_LONG
    words = text.strip("。.！!~～ ")
    if words in WIPE:
        return Kind.WIPE
    if words == WIPE_YES:
        return Kind.WIPE_YES
    return Kind.SUBMIT if words in SUBMIT else Kind.TEXT


def _event(app_id: str, openid: str, fields: dict[str, Any]) -> Incoming:
    """Events have no MsgId. The key has sender, time, event and event key, so that two taps in one second, or two
    receipts, do not eat each other."""
    name, event_key, sent_at = text_of(fields, "Event").strip(), text_of(fields, "EventKey"), _sent_at(fields)
    kind = EVENTS.get(name.lower(), Kind.UNKNOWN)
    if name.lower() == "click" and event_key in BUTTONS:
        kind = Kind.HELP if event_key == HELP else Kind.TAP
    parts = [app_id, "evt", openid, str(int(sent_at.timestamp())), name[:40], _short(event_key)]
    receipt = None
    if kind is Kind.RECEIPT:
        receipt = _receipt(fields)
        parts += [str(receipt[0]), _short(receipt[1])]
    return Incoming(
        key=_fitting(":".join(parts)),
        openid=openid,
        account=text_of(fields, "ToUserName"),
        kind=kind,
        detail=f"{name} {event_key}".strip()[:64],
        text=SAYS[event_key] if kind is Kind.TAP else "",
        msg_id="",
        sent_at=sent_at,
        receipt=receipt,
    )


def _receipt(fields: dict[str, Any]) -> tuple[int, str]:
    msg_id, status = text_of(fields, "MsgID").strip(), text_of(fields, "Status")
    if not is_number(msg_id) or int(msg_id) > INT64:
        raise Unreadable("MsgID")
    status = " ".join(status.lower().split())
    return int(msg_id), re.sub(r" ?: ?", ":", status)[:40]


def _short(value: str) -> str:
    """Keys stay readable; a long EventKey (an address) is hashed."""
    return value if len(value) <= 40 and value.isascii() else hashlib.sha256(value.encode()).hexdigest()[:32]


def _fitting(key: str) -> str:
    return key if len(key) <= KEY_LIMIT else key[: KEY_LIMIT - 65] + ":" + hashlib.sha256(key.encode()).hexdigest()

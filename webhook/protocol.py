"""WeChat's wire format: signatures, the envelope, XML in and out. Pure; facts: the official encryption guide.

Everything that is wrong with a request is `Refusal` (who sent it is not WeChat: 403) or `Unreadable` (signed, but
nobody can read it: `success`, an alarm). No other exception leaves this module.
"""

import base64
import hashlib
import hmac
import os
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from xml.parsers.expat import ExpatError

import xmltodict
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from webhook.plain import clean, is_number

BLOCK = 32  # WeChat pads to 32, not to AES's 16
MAX_BODY = 1024 * 1024
T = TypeVar("T")


class Refusal(Exception):
    """Not proven to come from WeChat. The caller learns nothing else: one identical 403."""


class Unreadable(Exception):
    """Signed, yet not a message: a repeat cannot help. `text`: what stood in the envelope."""

    text = b""


@dataclass(frozen=True)
class Account:
    """What one official account is known by; `skew` seconds of freshness, 0 for any age."""

    app_id: str
    token: str
    aes_key: str
    skew: float


def sign(*values: str) -> str:
    return hashlib.sha1("".join(sorted(values)).encode(errors="replace"), usedforsecurity=False).hexdigest()


def _same(ours: str, theirs: str) -> bool:
    return hmac.compare_digest(ours.encode(), theirs.encode(errors="replace"))


def by_any(accounts: Sequence[Account], opens: Callable[[Account], T]) -> tuple[Account, T]:
    """The first that does not refuse, and what came of it: while keys are rotated an account has several faces.

    Raises the first one's Refusal if all refuse."""
    refusals: list[Refusal] = []
    for account in accounts:
        try:
            return account, opens(account)
        except Refusal as refusal:
            refusals.append(refusal)
    raise refusals[0]


def check_query(account: Account, query: dict[str, str], *, now: float) -> None:
    """The signature over token, timestamp and nonce, and its freshness. Says nothing about the body."""
    timestamp, nonce = query.get("timestamp", ""), query.get("nonce", "")
    if not account.token or not _same(sign(account.token, timestamp, nonce), query.get("signature", "")):
        raise Refusal("signature")
    if account.skew and not (is_number(timestamp) and abs(now - int(timestamp)) <= account.skew):
        raise Refusal("timestamp")


def open_body(account: Account, query: dict[str, str], body: bytes) -> dict[str, Any]:
    """The message's fields. With an AES key only the encrypted part counts, whatever stands beside it in clear.

    Raises Refusal or Unreadable.
    """
    if not account.aes_key:
        return _fields(body)
    try:
        envelope = _fields(body)
    except Unreadable as error:
        raise Refusal("envelope") from error
    sealed = envelope.get("Encrypt")
    if not isinstance(sealed, str) or not sealed:
        raise Refusal("no encrypted part")
    expected = sign(account.token, query.get("timestamp", ""), query.get("nonce", ""), sealed)
    if not _same(expected, query.get("msg_signature", "")):
        raise Refusal("msg_signature")
    text = decrypt(account, sealed)
    try:
        return _fields(text)
    except Unreadable as error:
        error.text = text
        raise


def _key(account: Account) -> bytes:
    return base64.b64decode(account.aes_key + "=")


def decrypt(account: Account, sealed: str) -> bytes:
    """16 random bytes ‖ length ‖ XML ‖ AppID, PKCS#7 to 32. Every fault is the same Refusal."""
    try:
        key = _key(account)
        data = base64.b64decode(sealed, validate=True)
        decryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).decryptor()
        padded = decryptor.update(data) + decryptor.finalize()
        pad = padded[-1]
        if not 1 <= pad <= BLOCK or padded[-pad:] != bytes([pad]) * pad:
            raise Refusal("padding")
        plain = padded[:-pad]
        (length,) = struct.unpack(">I", plain[16:20])
        text, tail = plain[20 : 20 + length], plain[20 + length :]
        text.decode()
    except (ValueError, IndexError, struct.error) as error:
        raise Refusal("envelope") from error
    if len(text) != length or not hmac.compare_digest(tail, account.app_id.encode()):
        raise Refusal("app id")
    return text


def encrypt(account: Account, text: str, *, nonce: str, timestamp: str, prefix: bytes = b"") -> str:
    """The answer's envelope. `prefix`: 16 bytes, random unless a test vector names them."""
    raw = (prefix or os.urandom(16)) + struct.pack(">I", len(text.encode())) + text.encode() + account.app_id.encode()
    pad = BLOCK - len(raw) % BLOCK
    key = _key(account)
    encryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).encryptor()
    sealed = base64.b64encode(encryptor.update(raw + bytes([pad]) * pad) + encryptor.finalize()).decode()
    signature = sign(account.token, timestamp, nonce, sealed)
    return (
        f"<xml><Encrypt><![CDATA[{sealed}]]></Encrypt><MsgSignature><![CDATA[{signature}]]></MsgSignature>"
        f"<TimeStamp>{timestamp}</TimeStamp><Nonce>{_cdata(nonce)}</Nonce></xml>"
    )


def _fields(body: bytes) -> dict[str, Any]:
    """The elements below <xml>. No DTD, no entities; a doubled element or one with parts is not text."""
    if b"<!DOCTYPE" in body.partition(b"<xml>")[0]:  # in front of the root; within a text it is only a text
        raise Unreadable("doctype")
    try:
        parsed = xmltodict.parse(body, encoding="utf-8", strip_whitespace=False)
    except (ExpatError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Unreadable("xml") from error
    fields = parsed.get("xml") if isinstance(parsed, dict) else None
    if not isinstance(fields, dict):
        raise Unreadable("no xml element")
    return {name: value for name, value in fields.items() if not name.startswith(("@", "#"))}


def text_of(fields: dict[str, Any], name: str) -> str:
    """An element's text; '' when absent, empty, doubled or not text. Control characters and NUL never get further."""
    value = fields.get(name)
    return clean(value) if isinstance(value, str) else ""


def reply(*, to: str, sender: str, text: str, now: float | None = None) -> str:
    """A passive text answer. An empty one would show WeChat's fault line: the caller sends `success` instead."""
    return (
        f"<xml><ToUserName>{_cdata(to)}</ToUserName><FromUserName>{_cdata(sender)}</FromUserName>"
        f"<CreateTime>{int(time.time() if now is None else now)}</CreateTime><MsgType><![CDATA[text]]></MsgType>"
        f"<Content>{_cdata(clean(text))}</Content></xml>"
    )


def _cdata(text: str) -> str:
    return "<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>"

"""What WeChat's servers write and read: signatures, pushes as XML, passive answers. Plain mode."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from urllib.parse import urlencode
from xml.etree import ElementTree
from xml.sax.saxutils import escape

ACCOUNT = "gh_5a4d9b0cbe0x"


def signature(token: str, timestamp: str, nonce: str) -> str:
    return hashlib.sha1("".join(sorted((token, timestamp, nonce))).encode(), usedforsecurity=False).hexdigest()


def signed_query(token: str, openid: str) -> str:
    timestamp, nonce = str(int(time.time())), str(secrets.randbelow(10**10))
    signed = signature(token, timestamp, nonce)
    return urlencode({"signature": signed, "timestamp": timestamp, "nonce": nonce, "openid": openid})


def push(openid: str, fields: Mapping[str, str]) -> bytes:
    """One message or event of that follower."""
    common = {"ToUserName": ACCOUNT, "FromUserName": openid, "CreateTime": str(int(time.time()))}
    inner = "".join(f"<{name}>{_readable(value)}</{name}>" for name, value in {**common, **fields}.items())
    return f"<xml>{inner}</xml>".encode()


def _readable(value: str) -> str:
    """Control characters cannot stand in XML, not even escaped; the real client cannot type them either."""
    return escape("".join(c for c in value if (c >= " " or c in "\t\n") and c not in "\ufffe\uffff"))


def passive_answer(body: bytes) -> str | None:
    """The text of a passive answer, '' for `success` or nothing, None for what the phone would show a fault for."""
    if body.strip() in (b"", b"success"):
        return ""
    try:
        root = ElementTree.fromstring(body)  # noqa: S314 - expat refuses entity bombs, and the callback is the owner's own
    except ElementTree.ParseError:
        return None
    if root.findtext("MsgType") != "text":
        return None
    return (root.findtext("Content") or "").strip() or None

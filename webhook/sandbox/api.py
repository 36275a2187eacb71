"""WeChat's API as the account's server sees it: the token, customer messages, template messages with their receipts,
the menu, and the recordings that followers have sent.

Errors come as HTTP 200 with an errcode, as the real one's do.
"""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webhook.sandbox.phones import Phones

OK: dict[str, Any] = {"errcode": 0, "errmsg": "ok"}
TEXT_BYTES = 2048
TEMPLATE_TITLE = "日程提醒"
LABELS = {"thing": "事项", "time": "时间", "date": "日期", "phrase": "状态", "name": "姓名"}

CUSTOM, TEMPLATE = "/cgi-bin/message/custom/send", "/cgi-bin/message/template/send"
MENU, MEDIA = "/cgi-bin/menu/create", "/cgi-bin/media/get"
FORBIDDEN = {"unverified": (CUSTOM, TEMPLATE, MENU), "subscription": (TEMPLATE,)}
BUTTONS = 3


def error(code: int, message: str) -> dict[str, Any]:
    return {"errcode": code, "errmsg": f"{message} rid: sandbox-{secrets.token_hex(4)}"}


@dataclass
class Api:
    """`receipt(openid, msgid)` pushes TEMPLATESENDJOBFINISH."""

    app_id: str
    secret: str
    phones: Phones
    receipt: Callable[[str, int], None]
    kind: str = "service"
    token: str = ""
    sent: dict[tuple[str, str], int] = field(default_factory=dict)
    last_msgid: int = 3_000_000_000_000_000_000
    menu: list[dict[str, str]] = field(default_factory=list)
    media: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str, query: dict[str, str], data: dict[str, Any]) -> dict[str, Any] | bytes | None:
        """None for an address that does not exist; bytes are a medium."""
        if path == "/cgi-bin/stable_token":
            return self._stable_token(data)
        calls: dict[str, Callable[[dict[str, Any]], dict[str, Any] | bytes]] = {
            CUSTOM: self._custom,
            TEMPLATE: self._template,
            MENU: self._menu,
            MEDIA: lambda _: self._media(query.get("media_id", "")),
        }
        call = calls.get(path)
        token = query.get("access_token", "")
        if call is None:
            return None
        if not self.token or not secrets.compare_digest(token.encode(), self.token.encode()):
            return error(40001, "invalid credential, access_token is invalid or not latest")
        if path in FORBIDDEN.get(self.kind, ()):
            return error(48001, "api unauthorized")
        return call(data)

    def _stable_token(self, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("appid") != self.app_id:
            return error(40013, "invalid appid")
        if data.get("secret") != self.secret:
            return error(40125, "invalid appsecret")
        with self.lock:
            if not self.token or data.get("force_refresh"):
                self.token = secrets.token_urlsafe(60)
            return {"access_token": self.token, "expires_in": 7200}

    def _custom(self, data: dict[str, Any]) -> dict[str, Any]:
        body = data.get("text")
        text = body.get("content") if isinstance(body, dict) else None
        if data.get("msgtype") != "text" or not isinstance(text, str):
            return error(40008, "invalid message type")
        if not text.strip():
            return error(44004, "empty content")
        if len(text.encode()) > TEXT_BYTES:
            return error(45002, "content size out of limit")
        openid = str(data.get("touser", ""))
        if code := self.phones.spend(openid):
            return error(code, "not sent")
        self.phones.add(openid, "account", text)
        return OK

    def _menu(self, data: dict[str, Any]) -> dict[str, Any]:
        """Taps alone: what this account's server sets."""
        buttons = data.get("button")
        if not isinstance(buttons, list) or not 0 < len(buttons) <= BUTTONS:
            return error(40016, "invalid button size")
        menu = [{name: button.get(name) for name in ("type", "name", "key")} for button in buttons]
        if any(button["type"] != "click" or not button["name"] or not button["key"] for button in menu):
            return error(40017, "invalid button type")
        self.menu = menu
        return OK

    def _media(self, media_id: str) -> dict[str, Any] | bytes:
        return self.media.get(media_id) or error(40007, "invalid media_id")

    def keep(self, sound: bytes) -> str:
        """What a follower has sent; its media_id."""
        media_id = secrets.token_urlsafe(48)
        self.media[media_id] = sound
        return media_id

    def _template(self, data: dict[str, Any]) -> dict[str, Any]:
        openid = str(data.get("touser", ""))
        if not self.phones.known(openid):
            return error(40003, "invalid openid")
        if not self.phones.following(openid):
            return error(43004, "require subscribe")
        fields = _fields(data.get("data"))
        if isinstance(fields, str):
            return error(47003, f"argument invalid! data.{fields}.value invalid")
        msgid, new = self._msgid(openid, str(data.get("client_msg_id", "")))
        if new:
            text = "\n".join(f"{label}：{value}" for label, value in fields)
            self.phones.add(openid, "account", text, title=TEMPLATE_TITLE, fields=fields)
            threading.Thread(target=self.receipt, args=(openid, msgid), daemon=True).start()
        return {**OK, "msgid": msgid}

    def _msgid(self, openid: str, client_msg_id: str) -> tuple[int, bool]:
        """One follower gets one client_msg_id once; a repeat has the first one's number."""
        with self.lock:
            key = (openid, client_msg_id)
            if client_msg_id and key in self.sent:
                return self.sent[key], False
            self.last_msgid += 1
            self.sent[key] = self.last_msgid
            return self.last_msgid, True


def _fields(data: object) -> list[list[str]] | str:
    """Label and value of each key, or the key that WeChat would refuse."""
    if not isinstance(data, dict) or not data:
        return "data"
    fields = []
    for key, entry in data.items():
        value = entry.get("value") if isinstance(entry, dict) else None
        kind = str(key).rstrip("0123456789")
        if not isinstance(value, str) or not value.strip() or (kind == "thing" and len(value) > 20):
            return str(key)
        fields.append([LABELS.get(kind, str(key)), value])
    return fields

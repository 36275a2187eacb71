"""A fake WeChat for the demo, a server of its own: the API that the account calls, and the phones of its followers.

Standard library only, and nothing of the product: what the product gets from it came over HTTP. Besides WeChat's own
addresses it serves `/phones/…`, which stand for what a follower does with the thumb.
"""

import base64
import binascii
import itertools
import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from webhook.sandbox.api import MEDIA, Api
from webhook.sandbox.callback import Callback
from webhook.sandbox.phones import (
    FOLLOW_QUOTA,
    FOLLOW_WINDOW,
    MAX_SECONDS,
    MAX_SOUND,
    MESSAGE_QUOTA,
    MESSAGE_WINDOW,
    Entry,
    Phones,
)
from webhook.sandbox.wire import push

MAX_BODY = 4 * 1024 * 1024
LONGEST_WAIT = 25.0


class Sandbox:
    """`port` 0 takes a free one; `kind` is the account's; `answer_seconds` is what the callback has for its answer
    (WeChat gives it 5)."""

    def __init__(
        self,
        *,
        callback: str,
        token: str,
        app_id: str,
        secret: str,
        port: int = 0,
        answer_seconds: float = 5.0,
        kind: str = "service",
    ) -> None:
        self.closing = threading.Event()
        self.callback = Callback(callback, token, self.closing, answer_seconds)
        self.phones = Phones()
        self.api = Api(app_id, secret, self.phones, self._receipt, kind)
        self._msg_ids = itertools.count(int(time.time() * 1000) << 20)
        self._server = _Server(self, port)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.1,), name="sandbox", daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self.phones.close()
        self._server.shutdown()
        self._server.server_close()

    def follow(self, openid: str) -> None:
        if self.phones.set_following(openid, True):
            self.phones.open_window(openid, FOLLOW_WINDOW, FOLLOW_QUOTA)
            self._event(openid, Event="subscribe", EventKey="")

    def unfollow(self, openid: str) -> None:
        """The phone shows nothing from here on, whatever the account answers."""
        if self.phones.set_following(openid, False):
            self.callback.push(openid, push(openid, {"MsgType": "event", "Event": "unsubscribe", "EventKey": ""}))

    def say(self, openid: str, text: str) -> int:
        """Types and sends; returns once the account's server has answered or failed. The number of the line."""
        number = self.phones.add(openid, "me", text)
        self.phones.open_window(openid, MESSAGE_WINDOW, MESSAGE_QUOTA)
        fields = {"MsgType": "text", "Content": text, "MsgId": str(next(self._msg_ids))}
        self._show(openid, self.callback.push(openid, push(openid, fields)))
        return number

    def speak(self, openid: str, sound: bytes, *, seconds: int, format: str = "amr") -> int:
        """Holds the button and speaks; as `say`."""
        number = self.phones.add(openid, "me", "", seconds=max(1, min(seconds, MAX_SECONDS)))
        self.phones.open_window(openid, MESSAGE_WINDOW, MESSAGE_QUOTA)
        media_id = self.api.keep(sound)
        fields = {"MsgType": "voice", "MediaId": media_id, "Format": format, "MsgId": str(next(self._msg_ids))}
        self._show(openid, self.callback.push(openid, push(openid, fields)))
        return number

    def tap(self, openid: str, key: str) -> None:
        """A button of the menu. The phone itself shows nothing of it."""
        self.phones.open_window(openid, FOLLOW_WINDOW, FOLLOW_QUOTA)
        self._event(openid, Event="CLICK", EventKey=key)

    def wait(self, openid: str, *, after: int, seconds: float) -> list[Entry]:
        return self.phones.wait(openid, after=after, seconds=seconds)

    def _event(self, openid: str, **fields: str) -> None:
        self._show(openid, self.callback.push(openid, push(openid, {"MsgType": "event", **fields})))

    def _show(self, openid: str, answer: str) -> None:
        if answer:
            self.phones.add(openid, "account", answer)

    def _receipt(self, openid: str, msgid: int) -> None:
        fields = {
            "MsgType": "event",
            "Event": "TEMPLATESENDJOBFINISH",
            "MsgID": str(msgid),
            "Status": "success",
        }
        self.callback.push(openid, push(openid, fields))

    def of_phone(self, method: str, path: list[str], query: dict[str, str], data: dict[str, Any]) -> Any:
        """`/phones`, `/phones/<openid>/{chat,say,speak,tap,follow,unfollow}`. None for an address that does not
        exist."""
        if not path:
            return {"openid": self.phones.latest() if method == "GET" else self.phones.new()}
        openid, action = path[0], path[1] if len(path) == 2 else ""
        if not self.phones.known(openid):
            return None
        if (method, action) == ("GET", "chat"):
            seconds = min(float(query.get("wait", "0")), LONGEST_WAIT)
            state = self.phones.state(openid, after=int(query.get("after", "0")), seconds=seconds)
            return {**state, "menu": self.api.menu}
        if method == "POST" and action in ("say", "speak", "tap"):
            done: Callable[[str, dict[str, Any]], dict[str, Any]] = getattr(self, f"_{action}")
            return done(openid, data) if self.phones.following(openid) else {"id": 0}
        if method == "POST" and action in ("follow", "unfollow"):
            (self.follow if action == "follow" else self.unfollow)(openid)
            return {"following": self.phones.following(openid)}
        return None

    def _say(self, openid: str, data: dict[str, Any]) -> dict[str, Any]:
        text = data.get("text")
        return {"id": self.say(openid, text.strip()) if isinstance(text, str) and text.strip() else 0}

    def _speak(self, openid: str, data: dict[str, Any]) -> dict[str, Any]:
        """`audio` in base64. Raises ValueError for what the phone would not send."""
        try:
            sound = base64.b64decode(str(data.get("audio", "")), validate=True)
        except binascii.Error:
            raise ValueError("audio") from None
        if not 0 < len(sound) <= MAX_SOUND:
            raise ValueError("empty, or too large")
        return {"id": self.speak(openid, sound, seconds=int(data.get("seconds") or 1))}

    def _tap(self, openid: str, data: dict[str, Any]) -> dict[str, Any]:
        """Raises ValueError for a button that the account has not."""
        if data.get("text") not in [button["key"] for button in self.api.menu]:
            raise ValueError("no such button")
        self.tap(openid, str(data["text"]))
        return {"id": 0}


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, sandbox: Sandbox, port: int) -> None:
        self.sandbox = sandbox
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 60
    wbufsize = 1 << 16  # one write per answer: else Nagle and delayed ACK cost 40 ms
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:
        return

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        try:
            answer = self._answer(parts.path, query, self._data())
        except ValueError as error:
            self._write(400, {"errcode": 47001, "errmsg": f"data format error: {error}"})
            return
        self._write(404 if answer is None else 200, answer or {"errcode": 404, "errmsg": "not found"})

    do_GET = do_POST = _serve

    def _data(self) -> dict[str, Any]:
        length = int(self.headers.get("content-length") or 0)
        if not 0 <= length <= MAX_BODY:
            self.close_connection = True
            raise ValueError("body too large")
        data = json.loads(self.rfile.read(length) or b"{}")
        if not isinstance(data, dict):
            raise ValueError("not an object")
        return data

    def _answer(self, path: str, query: dict[str, str], data: dict[str, Any]) -> Any:
        sandbox = self.server.sandbox
        if path == "/phones" or path.startswith("/phones/"):
            return sandbox.of_phone(self.command, path.split("/")[2:], query, data)
        if (self.command == "GET") != (path == MEDIA):
            return None
        return sandbox.api.answer(path, query, data)

    def _write(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        kind = "audio/amr" if isinstance(body, bytes) else "application/json; charset=utf-8"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

"""WeChat's API as a real HTTP server that keeps the ground truth: what reached each phone.

Scripted per path: `wechat.script("custom/send", {"errcode": 45015}, Answer(500), …)`; when a script is used up, the
honest behaviour follows: tokens are checked, messages are delivered.
"""

import json
from collections import deque
from typing import Any

from tests.doubles.media import Media
from tests.doubles.server import Answer, Double, Request
from webhook.wechat import WeChat

OK: dict[str, Any] = {"errcode": 0, "errmsg": "ok"}


class FakeWeChat(Double):
    def __init__(self) -> None:
        super().__init__()
        self.scripts: dict[str, deque[Answer]] = {}
        self.phones: dict[str, list[str]] = {}
        self.templates: list[dict[str, Any]] = []
        self.seen_ids: dict[tuple[str, str], int] = {}
        self.tokens = 0
        self.token = ""
        self.menu: Any = None
        self.msgid = 3428411849815982000
        self.media = Media()

    def script(self, path: str, *answers: Answer | dict[str, Any]) -> None:
        """The next answers to calls whose path ends so. `Answer(drop="after")` delivers, then loses the answer."""
        queue = self.scripts.setdefault(path, deque())
        queue.extend(item if isinstance(item, Answer) else Answer(body=item) for item in answers)

    def client(self) -> WeChat:
        return WeChat()

    def answer(self, request: Request) -> Answer:
        with self.lock:
            scripted = next(
                (queue for path, queue in self.scripts.items() if request.path.endswith(path) and queue), None
            )
            answer = scripted.popleft() if scripted else None
            if answer is not None and answer.drop not in ("after", "hang"):
                return answer
            honest = self._honest(request)
            return answer or honest

    def _honest(self, request: Request) -> Answer:
        if request.path == "/cgi-bin/stable_token":
            return self._give_token(request)
        if request.query.get("access_token") != self.token:
            return Answer(body={"errcode": 40001, "errmsg": "invalid credential rid: 65a-test"})
        if request.path == "/cgi-bin/message/custom/send":
            self.phones.setdefault(request.json["touser"], []).append(request.json["text"]["content"])
            return Answer(body=OK)
        if request.path == "/cgi-bin/menu/create":
            self.menu = request.json
            return Answer(body=OK)
        if request.path == "/cgi-bin/message/template/send":
            return self._template(request)
        if request.path == "/cgi-bin/media/get":
            return self.media.answer(request)
        return Answer(404, {"errcode": 404})

    def _give_token(self, request: Request) -> Answer:
        if not self.token or request.json.get("force_refresh"):
            self.new_token()
        return Answer(body={"access_token": self.token, "expires_in": 7200})

    def new_token(self) -> None:
        """The old one dies."""
        self.tokens += 1
        self.token = f"token-{self.tokens:04d}-abcdefghijklmnop"

    def _template(self, request: Request) -> Answer:
        """One openid gets one client_msg_id once: a repeat answers with the same msgid and delivers nothing."""
        key = (request.json["touser"], request.json.get("client_msg_id", ""))
        if key not in self.seen_ids or not key[1]:
            self.msgid += 1
            self.seen_ids[key] = self.msgid
            self.templates.append(request.json)
        return Answer(body={**OK, "msgid": self.seen_ids[key]})

    def received(self, openid: str) -> list[str]:
        """What stands on the follower's phone, in order."""
        return list(self.phones.get(openid, []))

    def sends(self) -> list[dict[str, Any]]:
        return [json.loads(request.body) for request in self.calls("custom/send")]

"""WeChat, the model and the recogniser as the tests' own doubles, each with a bad answer now and then from a seed."""

import random
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from agent import rules
from agent.analysis import Said
from tests.doubles.asr import FakeAsr, refusal
from tests.doubles.llm import FakeModel, error, wrote
from tests.doubles.server import Answer, Request
from tests.doubles.wechat import FakeWeChat

HANG = 4.0  # seconds, longer than any client waits
SEND = "message/custom/send"
_SENT = re.compile(r"第\d+条 \d")  # the system's words say when each message was sent


class Faults:
    """Which call fails, and how: `rate` of all, drawn from `kinds` in turn of their weights."""

    def __init__(self, rate: float, seed: int, kinds: dict[str, int]) -> None:
        self.rate, self.kinds, self.draw = rate, kinds, random.Random(seed)
        self.lock = threading.Lock()
        self.told: dict[str, int] = {}

    def next(self) -> str:
        with self.lock:
            if self.draw.random() >= self.rate:
                return ""
            kind = self.draw.choices(list(self.kinds), list(self.kinds.values()))[0]
            self.told[kind] = self.told.get(kind, 0) + 1
            return kind


class SoakWeChat(FakeWeChat):
    """Keeps what reached each phone; `lost answer` has delivered, `no answer` may have."""

    def __init__(self, rate: float, seed: int) -> None:
        super().__init__()
        kinds = {"busy": 3, "server": 2, "cut before": 2, "lost answer": 2, "dead token": 1}
        self.faults = Faults(rate, seed, kinds)

    def answer(self, request: Request) -> Answer:
        match self.faults.next():
            case "busy":
                return Answer(body={"errcode": -1, "errmsg": "system error"})
            case "server":
                return Answer(502, "<html>bad gateway</html>")
            case "cut before":
                return Answer(drop="before")
            case "dead token":
                with self.lock:
                    self.new_token()
            case "lost answer":
                super().answer(request)
                return Answer(drop="before")
        return super().answer(request)


class SoakModel(FakeModel):
    """Understands by the rules, so that what it should have understood is known; and fails like an endpoint."""

    def __init__(self, rate: float, seed: int, now: Callable[[], float]) -> None:
        super().__init__()
        self.now, self.in_turn = now, threading.Lock()
        self.faults = Faults(rate, seed, {"busy": 3, "server": 2, "hang": 1, "prose": 2, "cut": 1})

    def answer(self, request: Request) -> Answer:
        match self.faults.next():
            case "busy":
                return error(429, "slow down", retry_after="1")
            case "server":
                return error(500)
            case "prose":
                return wrote("好的，我来帮您安排。")
            case "cut":
                return Answer(drop="before")
            case "hang":
                self.closing.wait(HANG)
                return Answer(drop="before")
        understood = self._understood(request)
        with self.in_turn:  # what is scripted must not be another caller's answer
            self.script(understood)
            return super().answer(request)

    def _understood(self, request: Request) -> dict[str, Any]:
        at = datetime.fromtimestamp(self.now(), UTC)
        messages = request.json["messages"]
        number = len(_SENT.findall(messages[0]["content"]))  # before what was said stands what is planned
        said = [Said(text=message["content"], sent_at=at) for message in messages[-number:]]
        found = rules.analyse(said, zone=ZoneInfo("Asia/Shanghai"), last_query=None).analysis
        return found.model_dump(mode="json", exclude_none=True)


class SoakAsr(FakeAsr):
    def __init__(self, rate: float, seed: int) -> None:
        super().__init__()
        self.faults = Faults(rate, seed, {"busy": 2, "server": 2, "cut": 1})

    def answer(self, request: Request) -> Answer:
        match self.faults.next():
            case "busy":
                return refusal("RequestLimitExceeded")
            case "server":
                return refusal("InternalError")
            case "cut":
                return Answer(drop="before")
        return super().answer(request)

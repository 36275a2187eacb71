"""The world outside, as a process of its own: WeChat, the model, the agent's far end, and the relay to Postgres.

It keeps the ground truth, which no fault of ours can touch: what reached each phone and how often each was called.
Steered and asked over HTTP under /_/.
"""

import json
import mmap
import os
import signal
import threading
import urllib.request
from typing import Any

from tests import sounds
from tests.crash.relay import Relay
from tests.doubles.asr import FakeAsr
from tests.doubles.llm import called, completion
from tests.doubles.server import Answer, Double, Request
from tests.doubles.wechat import FakeWeChat

HELD_SECONDS = 300
_ANSWERS = {"status", "body", "headers", "drop"}


class Phones(FakeWeChat):
    """`held` sends wait until they are let go: a sender that hears nothing for long."""

    def __init__(self) -> None:
        super().__init__()
        self.free = threading.Event()
        self.free.set()
        self.holding = 0
        self.taken: list[tuple[str, str, int]] = []

    def answer(self, request: Request) -> Answer:
        if request.path.startswith("/_/"):
            return Answer(body=getattr(self, "do_" + request.path[3:])(**(request.json or {})))
        answer = super().answer(request)
        if request.path.endswith("/send"):
            self.holding += 1
            self.free.wait(20)
            self.holding -= 1
        return answer

    def do_script(self, path: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
        for each in answers:
            self.script(path, Answer(**each) if set(each) <= _ANSWERS else each)
        return {}

    def do_hold(self) -> dict[str, Any]:
        self.free.clear()
        return {}

    def do_holding(self) -> dict[str, Any]:
        return {"n": self.holding}

    def do_let_go(self) -> dict[str, Any]:
        self.free.set()
        return {}

    def do_truth(self) -> dict[str, Any]:
        tried = [request.json["client_msg_id"] for request in self.calls("template/send")]
        return {"phones": self.phones, "templates": self.taken, "tried": tried, "sends": len(self.calls("custom/send"))}

    def do_sound(self, media_id: str, seconds: float) -> dict[str, Any]:
        self.media.holds(media_id, sounds.amr(seconds))
        return {}

    def do_forget_ids(self) -> dict[str, Any]:
        """Ten minutes are over: the same client_msg_id is sent anew."""
        self.seen_ids.clear()
        return {}

    def _template(self, request: Request) -> Answer:
        answer = super()._template(request)
        if len(self.templates) > len(self.taken):
            self.taken.append((request.json["touser"], request.json["client_msg_id"], answer.body["msgid"]))
        return answer

    def do_passive(self, openid: str, key: int, text: str) -> dict[str, Any]:
        if (openid, f"passive {key} {text}") not in self.seen_ids:
            self.seen_ids[openid, f"passive {key} {text}"] = 1
            self.phones.setdefault(openid, []).append(text)
        return {}

    def do_reset(self) -> dict[str, Any]:
        self.free.set()
        for kept in (self.requests, self.scripts, self.phones, self.templates, self.seen_ids, self.taken):
            kept.clear()
        self.token = ""
        return {}


class Fickle(Double):
    """A model that never says the same twice: another order with each call. What it is asked to plan stands
    after 计划 in the follower's message, parted by 、 It can be away, and it can hold all that it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.calls_made = self.calls_away = self.holding = 0
        self.next: list[dict[str, Any]] = []
        self.away = False
        self.free = threading.Event()
        self.free.set()

    def answer(self, request: Request) -> Answer:
        if request.path.startswith("/_/"):
            return Answer(body=getattr(self, "do_" + request.path[3:])(**(request.json or {})))
        with self.lock:
            self.calls_made += 1
            number = self.calls_made
            if self.away:
                self.calls_away += 1
                return Answer(503, "down for maintenance")
            if self.next:
                return Answer(**self.next.pop(0))
            self.holding += 1
        self.free.wait(HELD_SECONDS)
        with self.lock:
            self.holding -= 1
        said = request.json["messages"][-1]["content"]
        titles = said.split("计划")[-1].split("\n")[0].strip("：:。 \"'}]」").split("、")
        turned = titles[number % len(titles) :] + titles[: number % len(titles)]
        actions = [{"op": "create", "title": title.strip()} for title in turned]
        text = json.dumps({"version": 1, "actions": actions, "chat": ""}, ensure_ascii=False)
        return called(text) if "tools" in request.json else Answer(body=completion({"content": text}))

    def do_script(self, answers: list[dict[str, Any]]) -> dict[str, Any]:
        self.next.extend(answers)
        return {}

    def do_truth(self) -> dict[str, Any]:
        return {"calls": self.calls_made, "away": self.calls_away, "holding": self.holding}

    def do_away(self, away: bool) -> dict[str, Any]:
        self.away = away
        return {}

    def do_hold(self) -> dict[str, Any]:
        self.free.clear()
        return {}

    def do_let_go(self) -> dict[str, Any]:
        self.free.set()
        return {}

    def do_reset(self) -> dict[str, Any]:
        self.calls_made = self.calls_away = 0
        self.away = False
        self.free.set()
        self.next.clear()
        self.requests.clear()
        return {}


class Ears(FakeAsr):
    """Tencent's recogniser, which hears whatever it was told to hear."""

    def answer(self, request: Request) -> Answer:
        if request.path.startswith("/_/"):
            return Answer(body=getattr(self, "do_" + request.path[3:])(**(request.json or {})))
        return super().answer(request)

    def do_hears(self, words: str) -> dict[str, Any]:
        self.says = words
        return {}

    def do_script(self, action: str, answers: list[dict[str, Any]]) -> dict[str, Any]:
        self.script(action, *[Answer(**each) for each in answers])
        return {}

    def do_reset(self) -> dict[str, Any]:
        for kept in (self.requests, self.scripts, self.paid, self.tasks):
            kept.clear()
        return {}


class World:
    """Seen from the campaign's process: addresses, and questions by HTTP."""

    def __init__(self, *, postgres: str, relay: str, mode: mmap.mmap) -> None:
        reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _serve(writing, postgres=postgres, relay=relay, mode=mode)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.wechat, self.model, self.asr = pipe.readline().split()

    def ask(self, base: str, what: str, **more: Any) -> Any:
        request = urllib.request.Request(f"{base}/_/{what}", json.dumps(more).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def reset(self) -> None:
        for base in (self.wechat, self.model, self.asr):
            self.ask(base, "reset")

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _serve(writing: int, *, postgres: str, relay: str, mode: mmap.mmap) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Relay(relay, postgres, mode)
    with Phones() as phones, Fickle() as fickle, Ears() as ears:
        os.write(writing, f"{phones.url} {fickle.url} {ears.url}\n".encode())
        os.close(writing)
        threading.Event().wait()

"""WeChat's side of the callback: brings each message, again when its answer was bad, and some of them twice."""

import re
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

from benchmarks.rig import TOKEN
from benchmarks.soak.clock import FastClock
from benchmarks.soak.traffic import Turn
from tests.builders import xml
from webhook.protocol import sign

DELIVERIES = 3
PATIENCE = 5.0  # real seconds, as WeChat's own
AGAIN = 5.0  # seconds until it delivers again


class Door:
    def __init__(self, url: str, clock: FastClock) -> None:
        self.url, self.clock = url, clock
        self.lock = threading.Lock()
        self.acknowledged: set[int] = set()
        self.refused: list[str] = []
        self.answers: dict[int, set[bytes]] = {}

    def play(self, turns: list[Turn]) -> None:
        """Returns when the last message has been brought."""
        start = self.clock.now
        with ThreadPoolExecutor(16) as pool:
            for at, turn in sorted(
                [(turn.at, turn) for turn in turns]
                + [(turn.at + turn.again, turn) for turn in turns if turn.again >= 0]
            ):
                time.sleep(self.clock.real_wait(start + at))
                pool.submit(self.bring, turn, start)

    def bring(self, turn: Turn, start: float) -> None:
        for _ in range(DELIVERIES):
            try:
                with urllib.request.urlopen(self._request(turn, start), timeout=PATIENCE) as answer:
                    text = re.sub(rb"<CreateTime>\d+</CreateTime>", b"", answer.read())  # when it is said again
            except OSError as error:
                with self.lock:
                    self.refused.append(type(error).__name__)
                time.sleep(AGAIN / self.clock.speed)
                continue
            with self.lock:
                self.acknowledged.add(turn.number)
                self.answers.setdefault(turn.number, set()).add(text)
            return

    def _request(self, turn: Turn, start: float) -> urllib.request.Request:
        timestamp = str(int(time.time()))
        query = urlencode({"signature": sign(TOKEN, timestamp, "1"), "timestamp": timestamp, "nonce": "1"})
        body = message(turn, start + turn.at).encode()
        return urllib.request.Request(f"{self.url}?{query}", body, {"Content-Type": "text/xml"})


def message(turn: Turn, created: float) -> str:
    return xml(turn.follower, msg_id=turn.number, sent=created, MsgType=turn.kind, **_contents(turn))


def _contents(turn: Turn) -> dict[str, str]:
    media = f"media-{turn.number}"
    return {
        "text": {"Content": turn.text},
        "voice": {"MediaId": media, "Format": "amr"},
        "image": {"PicUrl": "http://mmbiz.example/1", "MediaId": media},
        "location": {"Location_X": "23.1", "Location_Y": "113.3", "Scale": "20", "Label": "广州"},
        "link": {"Title": "一篇文章", "Description": "", "Url": "http://example.com"},
    }[turn.kind]

"""The stage with the product's real processes on it: gunicorn, Celery's workers and its clock, in real or scaled time."""

import contextlib
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

from tests.builders import xml
from tests.crash.stage import Stage
from tests.processes.fleet import OTHERS, Fleet

UNCERTAIN = "嗯那个就按我说的来吧计划：练琴、跑步"
BEAT, SILENCE, SWEEP = 15.0, 60.0, 5.0  # seconds, the product's own settings
POLL = 0.1


class Live:
    """`speed`: seconds of the product in one real second. What processes measure by their own clocks is scaled with it."""

    def __init__(self, stage: Stage, fleet: Fleet, speed: float) -> None:
        self.stage, self.fleet, self.speed = stage, fleet, speed
        self.web = ""
        self.number = int(time.time())

    def follower(self) -> str:
        self.number += 1
        return f"o-live-{self.number:020d}"

    def deliver(self, openid: str, text: str = UNCERTAIN) -> bool:
        """As WeChat does it, three times at most."""
        from webhook.protocol import sign

        self.number += 1
        stamp = str(int(time.time()))
        token = os.environ["WECHAT_TOKEN"]
        query = urlencode({"signature": sign(token, stamp, "1"), "timestamp": stamp, "nonce": "1"})
        body = xml(openid, text, msg_id=24_300_000_000_000_000 + self.number).encode()
        request = urllib.request.Request(f"{self.web}/wechat/callback?{query}", body, {"Content-Type": "text/xml"})
        for _ in range(3):
            with contextlib.suppress(OSError), urllib.request.urlopen(request, timeout=5) as answer:
                return bool(answer.status == 200)
        return False

    def warm(self) -> None:
        """The first batch is through: all are up."""
        assert self.deliver(self.follower())
        if not self.until(
            lambda: self.stage.rows("SELECT 1 FROM webhook_batch WHERE status = 'DONE'"), 180 * self.speed
        ):
            raise RuntimeError("the fleet did not come up")

    def now(self) -> Any:
        return self.stage.rows("SELECT app_now()")[0][0]

    def rest(self, seconds: float) -> None:
        """Real time goes by: that is what is measured here."""
        time.sleep(seconds / self.speed)

    def until(self, condition: Callable[[], Any], seconds: float) -> bool:
        """Within `seconds` of the product's time."""
        deadline = time.monotonic() + seconds / self.speed
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL)
        return True

    def model(self, what: str, **more: Any) -> Any:
        return self.stage.world.ask(self.stage.world.model, what, **more)


@contextlib.contextmanager
def live(stage: Stage, *, speed: float = 1, workers: int = 1, processes: int = 8, **settings: str) -> Iterator[Live]:
    """An empty database, and processes that know nothing of each other but by it and the broker."""
    from django.db import connection

    from benchmarks.soak.clock import FastClock
    from tests.clock import Clock

    stage.clear()
    if speed != 1:
        FastClock(stage.postgres.seeing_url, speed)
    with Fleet({**environment(stage, speed), **settings}, stage.folder) as fleet:
        this = Live(stage, fleet, speed)
        this.web = fleet.web()
        for number in range(workers):
            fleet.worker(f"batches-{number}", "batches", processes)
        fleet.worker("others", OTHERS, 2)
        fleet.beat()
        this.warm()
        try:
            yield this
        finally:
            stage.world.reset()
    connection.close()
    Clock().forward(seconds=0)


def environment(stage: Stage, speed: float) -> dict[str, str]:
    return {
        **os.environ,
        "WECHAT_API_BASE": stage.world.wechat,
        "LLM_BASE_URL": stage.world.model + "/v1",
        "LLM_TIMEOUT_SECONDS": "200",
        "HEARTBEAT_SECONDS": str(BEAT / speed),
        "SWEEP_SECONDS": str(SWEEP / speed),
        "REMINDER_SCAN_SECONDS": str(10 / speed),
        "PYTHONWARNINGS": "ignore",
    }

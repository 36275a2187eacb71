"""S20, S32: real workers at LOG_LEVEL=DEBUG, faults included; then every log line, figure, doorbell and page that is no
message's own is searched for message texts, openids, tokens and keys."""

import threading

import pytest
import redis
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client

from planner.models import Task
from tests.builders import planned, post, query, say, soon, xml
from tests.doubles.server import Answer
from tests.processes.running import process, until
from tests.webhook.desk import page, root
from webhook.models import AccessToken, Batch, OutboundMessage

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
    pytest.mark.timeout(240),
]
WORDS = ["canary金丝雀一", "canary金丝雀二", "canary金丝雀三"]
SECRETS = ["app-secret-app-secret-app-secret", "planner-test-token", "internal-token-internal-token"]
PAGES = [
    "planner/review/?open=all", "planner/alarm/?open=all", "planner/follower/",
    "webhook/attempt/", "webhook/receipt/", "planner/correction/", "admin/logentry/",
]  # fmt: skip
LOUD = {"LOG_LEVEL": "DEBUG", "BATCH_QUIET_SECONDS": "0.2", "SWEEP_SECONDS": "1", "REMINDER_SCAN_SECONDS": "1"}


class Doorbells:
    """All that is said to Redis from __enter__ to __exit__."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.client = redis.Redis.from_url(django_settings.REDIS_URL)

    def __enter__(self) -> "Doorbells":
        self.monitor = self.client.monitor()
        self.monitor.__enter__()
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def _listen(self) -> None:
        try:
            for told in self.monitor.listen():
                self.said.append(str(told["command"]))
        except (redis.RedisError, OSError, ValueError, AttributeError):
            return  # closed

    def __exit__(self, *exc: object) -> None:
        self.monitor.connection.disconnect()
        self.client.close()


def traffic(mei, bo, wechat) -> None:
    """Answers, a reminder, refusals, lost answers, a dead token, a forged request, an event, a batch of nonsense."""
    for code in (40001, 45002):
        wechat.script("custom/send", {"errcode": code, "errmsg": f"hint to {mei.openid} rid: 65a"})
    wechat.script("custom/send", Answer(500, "oops"), Answer(drop="before"), Answer(200, "<html>"))
    for who, words in zip((mei, bo, mei), WORDS, strict=True):
        say(who, f"后天下午三点{words}")
    say(bo, f"{WORDS[0]} blah {bo.openid} ???")
    post(xml(mei.openid, WORDS[1]), signed=query(at=1) + f"&openid={mei.openid}")
    post(xml(mei.openid, MsgType="event", Event="CLICK", EventKey=WORDS[2]))
    planned(mei, WORDS[0], soon(seconds=3))


def settled() -> bool:
    busy = Batch.objects.exclude(status__in=[Batch.DONE, Batch.FAILED, Batch.WAITING]).exists()
    told = OutboundMessage.objects.exclude(status__in=["PENDING", "SENDING"])
    return not busy and told.filter(purpose="reminder").exists() and told.filter(purpose="reply").count() >= 2


def test_nothing_that_is_kept_beside_the_messages_tells_a_canary(mei, bo, wechat, settings):
    settings.BATCH_QUIET_SECONDS = 0.2
    worker = ["-m", "celery", "-A", "planner", "worker", "-Q", "batches,transcription,outbound,reminders,maintenance"]
    worker += ["-c", "2", "-l", "DEBUG", "--without-gossip", "--without-mingle"]
    clock = ["-m", "celery", "-A", "planner", "beat", "-l", "DEBUG", "-s", "/tmp/beat-canary", "--pidfile="]
    with Doorbells() as doorbells, process(*worker, **LOUD) as working, process(*clock, **LOUD) as ticking:
        traffic(mei, bo, wechat)
        until(settled, "rest", 150)
        logs = {"worker": stopped(working), "beat": stopped(ticking)}

    shown = {"metrics": Client().get("/metrics").content.decode(), "doorbells": "\n".join(doorbells.said)}
    boss = root()
    shown |= {address: page(boss, address) for address in PAGES}
    canaries = [*WORDS, mei.openid, bo.openid, *SECRETS, AccessToken.objects.get().token]
    assert Task.objects.count() >= 3
    assert "batch finished" in logs["worker"]
    assert "agent.tasks.work" in shown["doorbells"]
    assert [(place, c) for place, text in (logs | shown).items() for c in canaries if c in text] == []


def stopped(child) -> str:
    child.terminate()
    return child.communicate(timeout=60)[0]

"""Real Celery workers and clocks on a real Redis: a message goes in at the door and the answer reaches the phone,
whatever happens to the doorbells."""

from collections.abc import Iterator

import pytest
import redis
from django.conf import settings
from django.db import connection

from planner.doorbell import Queue, publish
from planner.models import Task
from tests.builders import planned, say, soon, submitted
from tests.doubles.asr import SECRET_ID, SECRET_KEY
from tests.processes.running import process, until
from tests.transcription.speaking import speak
from webhook.models import Batch, OutboundMessage

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
    pytest.mark.timeout(180),
]
QUEUES = "batches,transcription,outbound,reminders,maintenance"
FAST = {"BATCH_QUIET_SECONDS": "0.2", "SWEEP_SECONDS": "1", "REMINDER_SCAN_SECONDS": "1", "LOG_LEVEL": "WARNING"}


@pytest.fixture
def broker() -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.flushall()
    yield client
    client.close()


def worker(**more: str):
    return process("-m", "celery", "-A", "planner", "worker", "-Q", QUEUES, "-c", "2", "-l", "WARNING",
                   "--without-gossip", "--without-mingle", **FAST, **more)  # fmt: skip


def beat(name: str):
    return process("-m", "celery", "-A", "planner", "beat", "-l", "WARNING", "-s", f"/tmp/beat-{name}", "--pidfile=", **FAST)  # fmt: skip


def test_a_message_is_answered_and_a_reminder_rings(mei, wechat, broker, settings):
    settings.BATCH_QUIET_SECONDS = 0.2
    with worker(), beat("one"):
        say(mei, "3秒后提醒我喝水")

        until(lambda: any("记下了" in text for text in wechat.received(mei.openid)), "the answer")
        until(lambda: any("⏰ 喝水" in text for text in wechat.received(mei.openid)), "the reminder")

    assert Task.objects.get().title == "喝水"


def test_a_flushed_broker_and_two_clocks_lose_and_double_nothing(mei, bo, wechat, broker, settings):
    settings.BATCH_QUIET_SECONDS = 0.2
    planned(mei, "开会", soon(seconds=4))
    with worker(), worker(), beat("one"), beat("two"):
        for who in (mei, bo):
            for n in range(4):
                say(who, f"买第{n}样东西")
        broker.flushall()

        until(
            lambda: not Batch.objects.exclude(status=Batch.DONE).exists() and Batch.objects.exists(), "all batches done"
        )
        until(lambda: any("⏰ 开会" in text for text in wechat.received(mei.openid)), "the reminder")
        until(lambda: not OutboundMessage.objects.exclude(status=OutboundMessage.SENT).exists(), "all sent")

    assert Task.objects.filter(follower=mei).count() == 5
    assert Task.objects.filter(follower=bo).count() == 4
    assert len(wechat.received(mei.openid)) == OutboundMessage.objects.filter(follower=mei).count()
    assert sum("⏰" in text for text in wechat.received(mei.openid)) == 1


def test_a_broker_that_is_away_delays_and_loses_nothing(mei, wechat, broker, settings):
    settings.BATCH_QUIET_SECONDS = 0.2
    say(mei, "买牛奶")
    broker.flushall()

    with worker(), beat("one"):
        until(lambda: wechat.received(mei.openid), "the answer")

    assert Task.objects.get().title == "买牛奶"


def backends() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return {pid for (pid,) in cursor.fetchall()}


def worked(who) -> None:
    """One more batch of theirs is done; a ring may be lost with a connection, as the next sweep's is not."""
    batch = submitted(who, "买牛奶")

    def done() -> bool:
        publish(Queue.BATCHES, 0)
        return Batch.objects.get(pk=batch.pk).status == Batch.DONE

    until(done, "the batch")


def test_a_worker_keeps_its_connection_and_replaces_a_dead_one(mei, broker):
    others = backends()
    with process("-m", "celery", "-A", "planner", "worker", "-Q", "batches", "-c", "1", **FAST):
        worked(mei)
        first = backends() - others
        worked(mei)
        second = backends() - others
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s) pid", [list(second)])
        worked(mei)

        assert len(first) == 1
        assert second == first
        assert not backends() & first


def test_a_spoken_message_is_heard_and_answered(mei, wechat, asr, broker, settings):
    settings.BATCH_QUIET_SECONDS = 0.2
    keys = {"TENCENT_SECRET_ID": SECRET_ID, "TENCENT_SECRET_KEY": SECRET_KEY}
    with worker(TENCENT_ASR_ENDPOINT=f"{asr.url}/asr", **keys), beat("one"):
        speak(mei, wechat)

        until(lambda: wechat.received(mei.openid), "the answer", 120)

    assert wechat.received(mei.openid)[0].startswith(f"听到：{asr.says}\n记下了：")

"""Deliveries that meet: each message is stored once and lost never, and `success` is said of nothing else."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.test import Client

from planner import sql
from planner.models import Follower
from tests.builders import post, query, say, xml
from tests.plugin import SQLITE
from tests.races.threads import at_once, held, until_somebody_waits
from tests.webhook.door import ADDRESS, nothing_stored
from webhook.models import Batch, InboundMessage
from webhook.sweep import submit_quiet

pytestmark = pytest.mark.django_db(transaction=True)
on_postgres = pytest.mark.skipif(SQLITE, reason="SQLite has one writer, no triggers of this kind and no second server")


@contextmanager
def failing_inserts(table: str) -> Iterator[None]:
    """The database itself refuses."""
    sql.execute(
        "CREATE OR REPLACE FUNCTION test_fail() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$"
    )
    sql.execute(f"CREATE TRIGGER test_fail BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION test_fail()")
    try:
        yield
    finally:
        sql.execute("DROP FUNCTION test_fail CASCADE")


def test_three_deliveries_at_once_store_one_message(mei):
    body = xml(mei.openid, "买牛奶", msg_id=7)

    answers = at_once(*[lambda: post(body)] * 3)

    assert [(answer.status_code, answer.content) for answer in answers] == [(200, b"success")] * 3
    assert Batch.objects.get().messages.count() == 1


def test_three_first_messages_of_a_new_follower_make_one_follower():
    answers = at_once(*[lambda n=n: post(xml("o-new", f"第{n}条")) for n in range(3)])

    assert {answer.content for answer in answers} == {b"success"}
    assert Follower.objects.get().messages.count() == 3
    assert Batch.objects.get().messages.count() == 3


@pytest.mark.parametrize("table", ["planner_follower", "webhook_batch", "webhook_inboundmessage"])
@on_postgres
def test_what_could_not_be_stored_is_no_success_and_leaves_nothing(table):
    body = xml("o-new", "买牛奶", msg_id=7)
    with failing_inserts(table):
        first = post(body)

    assert first.status_code == 500
    assert nothing_stored()
    assert post(body).content == b"success"
    assert post(body).content == b"success"
    assert Batch.objects.get().messages.count() == 1


@on_postgres
def test_a_lock_longer_than_the_statement_limit_is_no_success(mei):
    body = xml(mei.openid, "买牛奶", msg_id=7)
    sql.execute("SET statement_timeout = 200")

    with held("LOCK TABLE webhook_inboundmessage IN ACCESS EXCLUSIVE MODE"):
        first = post(body)

    assert first.status_code == 500
    assert not Batch.objects.exists()
    assert post(body).content == b"success"
    assert Batch.objects.get().messages.count() == 1


@on_postgres
def test_an_alarm_that_could_not_be_stored_is_no_crash(settings):
    from tests.builders import sealed
    from tests.vectors import ACCOUNT

    settings.WECHAT_AES_KEY = ACCOUNT["aes_key"]
    body, signed = sealed("<xml>broken")

    with failing_inserts("planner_alarm"):
        response = Client().post(f"{ADDRESS}?{signed}", data=body.encode(), content_type="text/xml")

    assert response.status_code == 500


def delivered_while(first: str, *, commit: bool, body: str) -> bytes:
    """What a delivery is answered that meets the uncommitted one, which then commits or aborts."""
    answers = []
    with held(first, commit=commit) as release:
        second = threading.Thread(target=lambda: (answers.append(post(body)), connection.close()))
        second.start()
        until_somebody_waits()
        release.set()
        second.join(30)
    return answers[0].content


def first_delivery(who: Follower, answer: str) -> str:
    return f"""
        INSERT INTO webhook_inboundmessage (message_key, follower_id, kind, detail, text, msg_id, sent_at, trace_id,
            received_at, response_text)
        VALUES ('wx0123456789abcdef:msg:7', {who.pk}, 'text', 'text', '买牛奶', '7', now(), gen_random_uuid(), now(),
            '{answer}')"""


@on_postgres
def test_a_delivery_waits_for_the_first_and_is_stored_when_that_aborts(mei):
    answer = delivered_while(first_delivery(mei, ""), commit=False, body=xml(mei.openid, "买牛奶", msg_id=7))

    assert answer == b"success"
    assert InboundMessage.objects.get().batch.status == Batch.COLLECTING


@on_postgres
def test_a_delivery_waits_for_the_first_and_changes_nothing_when_that_commits(mei):
    before = Follower.objects.values().get()

    answer = delivered_while(first_delivery(mei, "存下的回答"), commit=True, body=xml(mei.openid, "买牛奶", msg_id=7))

    assert "存下的回答" in answer.decode()
    assert InboundMessage.objects.count() == 1
    assert not Batch.objects.exists()
    assert Follower.objects.values().get() == before


@on_postgres
def test_a_kept_connection_that_died_costs_no_message(mei):
    body = xml(mei.openid, "买牛奶", msg_id=7)

    def kill_own_server_process_then_post() -> int:
        (pid,) = sql.row("SELECT pg_backend_pid()")
        killed = threading.Thread(
            target=lambda: (sql.row("SELECT pg_terminate_backend(%s)", (pid,)), connection.close())
        )
        killed.start()
        killed.join(30)
        return post(body).status_code

    assert at_once(kill_own_server_process_then_post) == [200]
    assert Batch.objects.get().messages.count() == 1


DELIVER = """
import django; django.setup()
import json, sys
from django.test import Client
address, body = json.loads(sys.stdin.read())
response = Client().post(address, data=body.encode(), content_type="text/xml")
print(response.status_code, response.content.decode())
"""


@on_postgres
def test_another_process_gives_the_stored_answer(mei):
    from tests.processes.running import environment

    body = xml(mei.openid, MsgType="image", msg_id=7)
    post(body)
    InboundMessage.objects.update(response_text="存下的回答")

    told = subprocess.run(
        [sys.executable, "-c", DELIVER],
        input=json.dumps([f"{ADDRESS}?{query()}", body]),
        env=environment(DJANGO_SETTINGS_MODULE="planner.settings"),
        cwd=django_settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert "200" in told.stdout, told.stderr
    assert "存下的回答" in told.stdout
    assert InboundMessage.objects.count() == 1


def test_a_message_that_races_the_submit_step_is_never_lost(mei, settings):
    settings.BATCH_QUIET_SECONDS = 0
    for n in range(100):
        say(mei, f"前{n}")
        at_once(lambda n=n: say(mei, f"后{n}"), submit_quiet)

    submit_quiet()

    assert InboundMessage.objects.filter(batch__status=Batch.SUBMITTED).count() == 200
    for batch in Batch.objects.all():
        assert batch.messages.exists()

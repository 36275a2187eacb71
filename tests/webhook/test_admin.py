"""Operators: a batch on one page, buttons that take effect once, and lists whose cost does not grow."""

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from agent.worker import run_next
from planner.models import Alarm, Review, Task
from tests.agent.actions import analysis, create
from tests.builders import outbound, planned, soon, submitted
from tests.races.test_leases import together
from webhook import operators
from webhook.models import Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)
LISTS = [
    "webhook/batch", "webhook/outboundmessage", "webhook/inboundmessage", "webhook/receipt", "webhook/attempt",
    "planner/follower", "planner/task", "planner/reminder", "planner/operationresult", "planner/review", "planner/alarm",
    "planner/correction",
]  # fmt: skip


def person(name: str, *, permissions: str = "") -> Client:
    user = User.objects.create_user(name, password="a-long-password", is_staff=True)
    for start in filter(None, permissions.split(",")):
        user.user_permissions.add(*Permission.objects.filter(codename__startswith=start))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def operator() -> Client:
    return person("op", permissions="view_,change_")


@pytest.fixture
def viewer() -> Client:
    return person("viewer", permissions="view_")


def act(client: Client, address: str, action: str, *rows, **more):
    data = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return client.post(f"/admin/{address}/", data, follow=True)


@pytest.fixture
def failed(mei, clock):
    batch = submitted(mei, "两件事", analysis=analysis(create("开会"), {"op": "create", "title": ""}))
    for _ in range(3):
        run_next()
        clock.forward(minutes=15)
    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    return batch


@pytest.fixture
def unknown(mei, clock):
    row = outbound(mei, "也许送到了的话")
    OutboundMessage.claim(60)
    clock.forward(seconds=61)
    OutboundMessage.rescue_next()
    row.refresh_from_db()
    return row


def test_a_batch_is_told_on_one_page(operator, failed):
    page = operator.get(f"/admin/webhook/batch/{failed.pk}/change/").content.decode()

    for part in (
        "两件事",
        "开会",
        f"{failed.pk}:create:1",
        f"{failed.pk}:failed:1",
        "程序错误",
        "retried",
        str(failed.trace_id),
    ):
        assert part in page


@pytest.mark.parametrize("term", ["trace_id", "pk", "openid"])
def test_it_is_found_by_trace_id_number_or_openid(operator, failed, mei, term):
    value = mei.openid if term == "openid" else getattr(failed, term)

    page = operator.get(f"/admin/webhook/batch/?q={value}").content.decode()

    assert f"/admin/webhook/batch/{failed.pk}/change/" in page


def test_what_is_not_there_is_not_found(operator, failed):
    assert f"/batch/{failed.pk}/" not in operator.get("/admin/webhook/batch/?q=nobody").content.decode()


def test_a_retry_is_a_new_generation_with_the_same_keys(operator, failed):
    Batch.objects.filter(pk=failed.pk).update(analysis_json=analysis(create("开会"), create("交报告")))

    act(operator, "webhook/batch", "retry", failed)
    act(operator, "webhook/batch", "retry", failed)
    run_next()

    failed.refresh_from_db()
    assert (failed.status, failed.generation) == (Batch.DONE, 2)
    assert list(Task.objects.values_list("title", flat=True)) == ["开会", "交报告"]
    assert Review.objects.get().resolved_by == "op"


def test_of_two_operators_one_retries(failed):
    assert sorted(together(lambda: operators.retry_batch(failed, "op"), threads=2)) == [False, True]


def test_cancelling_stops_what_has_not_begun(operator, mei):
    batch = submitted(mei, analysis=analysis(create("开会")))

    act(operator, "webhook/batch", "cancel", batch)

    assert not run_next()
    batch.refresh_from_db()
    assert (batch.status, batch.last_error) == (Batch.CANCELLED, "由 op 取消")


def test_a_running_batch_cannot_be_cancelled(operator, mei):
    batch = submitted(mei, "你好")
    Batch.claim(900)

    page = act(operator, "webhook/batch", "cancel", batch).content.decode()

    batch.refresh_from_db()
    assert batch.status == Batch.RUNNING
    assert "没有改动" in page


def test_an_unknown_message_is_marked_delivered(operator, unknown):
    act(operator, "webhook/outboundmessage", "delivered", unknown)

    unknown.refresh_from_db()
    assert unknown.status == OutboundMessage.SENT
    assert Review.objects.get().resolution == "确认送达"


def test_sending_again_asks_first_and_then_writes_a_new_row_once(operator, unknown):
    asked = act(operator, "webhook/outboundmessage", "again", unknown).content.decode()
    assert "可能收到两遍" in asked
    assert OutboundMessage.objects.count() == 1

    for _ in range(2):
        act(operator, "webhook/outboundmessage", "again", unknown, confirmed="yes")

    unknown.refresh_from_db()
    assert unknown.status == OutboundMessage.UNKNOWN
    assert unknown.resent_as.key == f"resend:{unknown.pk}"
    assert OutboundMessage.objects.count() == 2


def test_of_two_operators_one_sends_again(unknown):
    assert sorted(together(lambda: operators.send_again(unknown.pk, "op"), threads=2)) == [False, True]


def test_an_alarm_is_closed(operator):
    alarm = Alarm.objects.create(key="wechat:token", detail="AppSecret 不对")

    act(operator, "planner/alarm", "close", alarm)

    alarm.refresh_from_db()
    assert alarm.closed_at is not None


def test_a_viewer_sees_and_changes_nothing(viewer, failed, unknown):
    assert "两件事" in viewer.get(f"/admin/webhook/batch/{failed.pk}/change/").content.decode()

    act(viewer, "webhook/batch", "retry", failed)
    act(viewer, "webhook/outboundmessage", "again", unknown, confirmed="yes")

    failed.refresh_from_db()
    assert failed.status == Batch.FAILED
    assert OutboundMessage.objects.filter(key__startswith="resend").count() == 0


@pytest.mark.parametrize("address", LISTS)
def test_nobody_else_gets_in_and_nothing_is_editable(operator, mei, address):
    assert Client().get(f"/admin/{address}/").status_code == 302
    assert operator.get(f"/admin/{address}/add/").status_code == 403


def fill(who, amount: int) -> None:
    for n in range(amount):
        planned(who, f"第{n}件", soon(days=1))
        batch = submitted(who, f"话{n}", analysis=analysis(create("x")))
        outbound(who, "好", batch_id=batch.pk)


@pytest.mark.parametrize("address", LISTS)
def test_a_list_costs_the_same_statements_whatever_its_length(operator, mei, address):
    counts = []
    for amount in (1, 30):
        fill(mei, amount)
        with CaptureQueriesContext(connection) as taken:
            assert operator.get(f"/admin/{address}/").status_code == 200
        counts.append(len(taken))

    assert counts[0] == counts[1]
    assert not [q["sql"] for q in taken if "COUNT(" in q["sql"].upper()]


def test_the_front_page_says_what_waits(operator, failed, unknown):
    page = operator.get("/admin/").content.decode()

    assert "待人工处理" in page
    assert "结果不明的消息" in page


@pytest.mark.skipif(connection.vendor == "sqlite", reason="the plans are Postgres's")
def test_lists_filters_and_searches_use_indexes_at_any_size(operator, mei):
    load(mei.pk)
    pages = [
        "webhook/inboundmessage/", "webhook/inboundmessage/?p=3", "webhook/batch/?status=FAILED",
        "webhook/outboundmessage/?status=UNKNOWN", "webhook/outboundmessage/?p=2",
        f"webhook/inboundmessage/?q={mei.openid}", "webhook/batch/?q=0192f000-0000-7000-8000-000000000000",
    ]  # fmt: skip

    for page in pages:
        with CaptureQueriesContext(connection) as taken:
            assert operator.get(f"/admin/{page}").status_code == 200
        for statement in (q["sql"] for q in taken if "webhook_" in q["sql"] and q["sql"].startswith("SELECT")):
            assert "Seq Scan on webhook_" not in plan(statement), (page, statement)


def plan(statement: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + statement)
        return "\n".join(line for (line,) in cursor.fetchall())


def load(follower_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO webhook_inboundmessage (message_key, follower_id, kind, detail, text, msg_id, sent_at,
                response_text, trace_id, received_at)
            SELECT 'k' || n, %s, 'text', 'text', 'x', n::text, now(), '', gen_random_uuid(), now()
            FROM generate_series(1, 60000) n""",
            [follower_id],
        )
        cursor.execute(
            """INSERT INTO webhook_batch (follower_id, status, generation, trace_id, created_at, available_at,
                collect_until, claims, max_claims, claim_no, owner, last_error, analysed_by, finished_at)
            SELECT %s, 'DONE', 1, gen_random_uuid(), now(), now(), now(), 1, 3, 1, '', '', 'rules', now()
            FROM generate_series(1, 20000) n""",
            [follower_id],
        )
        cursor.execute(
            """INSERT INTO webhook_outboundmessage (key, follower_id, purpose, route, text, status, waiting,
                available_at, created_at, claims, max_claims, claim_no, owner, last_error, receipt, trace_id, finished_at)
            SELECT 'k' || n, %s, 'reply', 'customer', 'x', 'SENT', FALSE, now(), now(), 1, 4, 1, '', '', '',
                gen_random_uuid(), now() FROM generate_series(1, 30000) n""",
            [follower_id],
        )
        cursor.execute("ANALYZE webhook_inboundmessage, webhook_batch, webhook_outboundmessage")

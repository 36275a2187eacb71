"""Lists whose cost does not grow: one statement a page, no count, every filter and search by an index."""

import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from planner.models import Alarm, Correction, Follower, OperationResult, Review
from tests.builders import outbound, planned, soon, submitted
from tests.webhook.desk import LISTS, client, page, root, user
from webhook.models import Attempt, Batch, InboundMessage, OutboundMessage, Receipt

pytestmark = pytest.mark.django_db
SIGNED_IN = 2  # session and user; a superuser's permissions are not looked up


@pytest.fixture
def operator():
    return client(user("op", "view", "change"))


def fill(who: Follower, first: int, amount: int) -> None:
    """`amount` rows more in every table."""
    for n in range(first, first + amount):
        other = Follower.objects.create(app_id="wx0123456789abcdef", openid=f"o-{n:026d}")
        task = planned(other, f"第{n}件", soon(days=1))
        batch = submitted(other, f"话{n}")
        row = outbound(other, "好", batch_id=batch.pk)
        Batch.give_up(Batch.claim(900).lease, "程序错误")
        Receipt.objects.create(app_id="wx0123456789abcdef", wechat_msgid=n, status="success", outbound=row)
        Correction.objects.create(batch_id=batch.pk, claim_no=1, round=1, reason="错", trace_id=batch.trace_id)
        Alarm.objects.create(key=f"wechat:{n}", detail="看看")
        assert task.reminders.count() == 1


def statements(by, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as taken:
        page(by, address)
    return [query["sql"] for query in taken]


def test_a_list_is_one_statement_whatever_its_length(mei):
    boss, taken = root(), {}
    for first, amount in ((0, 1), (1, 49)):
        fill(mei, first, amount)
        for address in LISTS:
            taken.setdefault(address, []).append(statements(boss, f"{address}/"))

    for address, lists in taken.items():
        assert [len(sent) for sent in lists] == [SIGNED_IN + 1] * 2, address
        assert not [sql for sql in lists[1] if "COUNT(" in sql.upper()], address


def test_the_front_page_costs_the_same_however_much_waits(operator, mei):
    statements(operator, "")
    counts = []
    for first, amount in ((0, 1), (1, 30)):
        fill(mei, first, amount)
        counts.append(len(statements(operator, "")))

    assert counts[0] == counts[1]


def test_a_list_is_leafed_through_without_being_counted(operator, mei):
    for n in range(51):
        submitted(mei, f"话{n}")
    newest, oldest = Batch.objects.latest("pk").pk, Batch.objects.earliest("pk").pk

    first, second = page(operator, "webhook/batch/"), page(operator, "webhook/batch/?p=2")

    assert "下一页" in first
    assert f"/batch/{newest}/change/" in first
    assert f"/batch/{oldest}/change/" not in first
    assert ("上一页" in second, "下一页" in second, f"/batch/{oldest}/change/" in second) == (True, False, True)


@pytest.mark.parametrize("number", ["0", "-1", "101", "99999999999999999999"])
def test_a_page_that_is_no_page_leads_back(operator, number):
    answer = operator.get(f"/admin/webhook/inboundmessage/?p={number}")

    assert (answer.status_code, answer.url) == (302, "/admin/webhook/inboundmessage/?e=1")


@pytest.mark.parametrize("lookup", ["text__icontains=x", "last_error__contains=x", "follower__openid__startswith=o"])
def test_a_lookup_without_an_index_is_refused(operator, lookup):
    assert operator.get(f"/admin/webhook/outboundmessage/?{lookup}").status_code == 400


def test_no_column_without_an_index_is_sorted_by_and_nothing_is_faceted(operator, mei):
    submitted(mei, "话")

    sent = statements(operator, "webhook/batch/?o=7.-3&_facets=True&all=1")

    assert sum("ORDER BY" in sql for sql in sent) == 1
    assert 'ORDER BY "webhook_batch"."id" DESC LIMIT 51' in sent[-1]


LOOKS = [
    "webhook/inboundmessage/", "webhook/inboundmessage/?p=2", "webhook/inboundmessage/?p=60",
    "webhook/inboundmessage/?q={openid}", "webhook/inboundmessage/?q={trace}", "webhook/inboundmessage/?q=24300000000000007",
    "webhook/inboundmessage/?follower={follower}", "webhook/inboundmessage/?batch={batch}",
    "webhook/batch/", "webhook/batch/?p=2", "webhook/batch/?status=FAILED", "webhook/batch/?status=WAITING",
    "webhook/batch/?status=DONE&p=2", "webhook/batch/?q={openid}", "webhook/batch/?q={trace}", "webhook/batch/?q={batch}",
    "webhook/outboundmessage/", "webhook/outboundmessage/?p=2", "webhook/outboundmessage/?status=queue",
    "webhook/outboundmessage/?status=UNKNOWN", "webhook/outboundmessage/?status=PENDING",
    "webhook/outboundmessage/?q={trace}", "webhook/outboundmessage/?q={openid}", "webhook/outboundmessage/?q=7:reply:1",
    "webhook/attempt/", "webhook/attempt/?q={trace}", "webhook/attempt/?q={batch}", "webhook/receipt/?q=7",
    "planner/review/", "planner/review/?open=no", "planner/review/?open=all", "planner/review/?q={trace}",
    "planner/operationresult/", "planner/operationresult/?q={trace}", "planner/operationresult/?q={openid}",
    "planner/operationresult/?q=7:create:1", "planner/task/?q={openid}", "planner/task/?p=2",
    "planner/reminder/?status=PENDING", "planner/reminder/?p=2", "planner/correction/?q={trace}",
    "planner/follower/?q={openid}", "planner/follower/", "planner/alarm/?open=no", "",
]  # fmt: skip


@pytest.mark.skipif(connection.vendor == "sqlite", reason="the plans are Postgres's")
def test_every_look_uses_an_index_at_any_size(operator):
    load()
    batch = Batch.objects.earliest("pk")
    who = batch.follower
    names = {"openid": who.openid, "trace": batch.trace_id, "follower": who.pk, "batch": batch.pk}

    for look in LOOKS:
        sent = statements(operator, look.format(**names))
        assert not [sql for sql in sent if "COUNT(" in sql.upper()], look
        for sql in filter(OURS.search, sent):
            assert not list(read_whole(plan(sql))), (look, sql)


def test_the_search_for_a_whole_read_finds_one():
    if connection.vendor == "sqlite":
        pytest.skip("the plans are Postgres's")
    load(messages=20_000, sends=100, batches=100)

    assert list(read_whole(plan("SELECT id FROM webhook_inboundmessage WHERE text = 'y' ORDER BY id LIMIT 51")))
    assert list(read_whole(plan("SELECT id FROM webhook_inboundmessage ORDER BY text LIMIT 51")))


OURS = re.compile(r'^SELECT .*FROM "(webhook|planner)_')
SMALL = 5_000  # tables below that may be read as they lie


def plan(statement: str) -> dict:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) " + statement)
        (found,) = cursor.fetchone()
    return (found if isinstance(found, list) else json.loads(found))[0]["Plan"]


def read_whole(node: dict):
    """Scans that looked at more than a list may pass over, whatever the kind of scan: rows given and rows filtered away."""
    seen = (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
    if "Relation Name" in node and seen > SMALL:
        yield f"{node['Node Type']} {node['Relation Name']} {seen}"
    for child in node.get("Plans", []):
        yield from read_whole(child)


def load(*, messages: int = 200_000, sends: int = 100_000, batches: int = 60_000) -> None:
    """Years of a busy account, in a few statements: every 3000th batch failed, every 4000th send unknown."""
    people = 20_000
    tables = [Follower, Batch, InboundMessage, OutboundMessage, Review, OperationResult, Attempt]
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SELECT setval(pg_get_serial_sequence('planner_follower', 'id'), 1000000)")
        cursor.execute("SELECT setval(pg_get_serial_sequence('webhook_batch', 'id'), 1000000)")
        for statement in LOAD.format(messages=messages, sends=sends, batches=batches, people=people).split(";"):
            cursor.execute(statement)
        cursor.execute("ANALYZE " + ", ".join(model._meta.db_table for model in tables))


LOAD = """
    INSERT INTO planner_follower (app_id, openid, timezone, preferences, quota_left, created_at)
    SELECT 'wx0123456789abcdef', 'o' || lpad(n::text, 27, '0'), 'Asia/Shanghai', '{{}}', 5, now()
    FROM generate_series(1, {people}) n;
    INSERT INTO webhook_batch (follower_id, status, generation, trace_id, created_at, available_at, collect_until, claims,
        max_claims, claim_no, owner, last_error, analysed_by, finished_at)
    SELECT 1000001 + n % {people}, CASE WHEN n % 3000 = 0 THEN 'FAILED' ELSE 'DONE' END, 1, gen_random_uuid(), now(), now(),
        now(), 1, 3, 1, '', '', 'rules', now() FROM generate_series(1, {batches}) n;
    INSERT INTO webhook_inboundmessage (message_key, follower_id, batch_id, kind, detail, text, msg_id, sent_at,
        response_text, trace_id, received_at)
    SELECT 'wx0123456789abcdef:msg:' || (24300000000000000 + n), 1000001 + n % {people}, 1000001 + n % {batches}, 'text',
        'text', 'x', n::text, now(), '', gen_random_uuid(), now() FROM generate_series(1, {messages}) n;
    INSERT INTO webhook_outboundmessage (key, follower_id, batch_id, purpose, route, text, status, waiting, available_at,
        created_at, claims, max_claims, claim_no, owner, last_error, receipt, trace_id, finished_at)
    SELECT n || ':reply:1', 1000001 + n % {people}, 1000001 + n % {batches}, 'reply', 'customer', 'x',
        CASE WHEN n % 4000 = 0 THEN 'UNKNOWN' ELSE 'SENT' END, FALSE, now(), now(), 1, 4, 1, '', '', '', gen_random_uuid(),
        now() FROM generate_series(1, {sends}) n;
    INSERT INTO planner_review (kind, object_id, generation, follower_id, reason, resolution, resolved_by, created_at)
    SELECT 'outbound', id, 1, follower_id, 'x', CASE WHEN id % 8000 = 0 THEN '' ELSE '已处理' END, '', now()
    FROM webhook_outboundmessage WHERE status = 'UNKNOWN';
    INSERT INTO planner_review (kind, object_id, generation, follower_id, reason, resolution, resolved_by, created_at)
    SELECT 'batch', id, 1, follower_id, 'x', CASE WHEN status = 'FAILED' THEN '' ELSE '已重试' END, '', now()
    FROM webhook_batch WHERE id % 6 = 0;
    INSERT INTO planner_operationresult (operation_key, follower_id, batch_id, claim_no, op, params, params_hash, status,
        result, undone_by, trace_id, created_at)
    SELECT n || ':create:1', 1000001 + n % {people}, 1000001 + n % {batches}, 1, 'create', '{{}}', 'x', 'SUCCEEDED',
        '{{"summary": "x"}}', '', gen_random_uuid(), now() FROM generate_series(1, 30000) n;
    INSERT INTO webhook_attempt (kind, object_id, claim_no, owner, started_at, ended_at, outcome, error)
    SELECT 'batch', id, 1, '', now(), now(), 'done', '' FROM webhook_batch"""

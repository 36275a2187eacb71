"""Urgent work beside a mountain of other work: real rows, a real worker for all queues, a real clock."""

from datetime import timedelta

import pytest
from django.db import connection

from planner import sql
from tests.agent.actions import analysis, create
from tests.builders import follower, planned, soon, submitted
from tests.doubles.llm import FakeModel
from tests.doubles.server import Answer
from tests.processes.running import until
from tests.processes.test_workers import FAST, beat, broker, worker  # noqa: F401 - a fixture
from webhook.models import Batch, OutboundMessage

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
    pytest.mark.timeout(300),
]
BACKLOG = 10_000
SLACK = timedelta(seconds=4)  # one batch of each of the two processes, and a slow machine


class Stuck(FakeModel):
    def answer(self, request):
        self.closing.wait(200)
        return Answer(500)


def backlog() -> None:
    """So many followers, each with a batch that waits for a worker."""
    sql.execute(
        """INSERT INTO planner_follower (app_id, openid, timezone, preferences, quota_left, created_at)
        SELECT 'wx0123456789abcdef', 'o-crowd-' || n, 'Asia/Shanghai', '{}', 5, app_now() FROM generate_series(1, %s) n""",
        (BACKLOG,),
    )
    sql.execute(
        """INSERT INTO webhook_batch (follower_id, status, generation, trace_id, created_at, available_at, collect_until,
            claims, max_claims, claim_no, owner, last_error, analysed_by, analysis_json)
        SELECT id, 'SUBMITTED', 1, gen_random_uuid(), app_now(), app_now(), app_now(), 0, 3, 0, '', '', '', %s::jsonb
        FROM planner_follower WHERE openid LIKE 'o-crowd-%%'""",
        (analysis(create("买牛奶")),),
    )


def test_a_model_that_hangs_keeps_one_place_and_nothing_urgent_waits_for_it(mei, wechat, broker):  # noqa: F811
    with Stuck() as model:
        for n in range(4):
            submitted(follower(f"o-asks-{n}"), "嗯那个就按我说的来吧计划：浇花")
        with (
            worker(
                LLM_BASE_URL=f"{model.url}/v1", LLM_MODEL="m", LLM_TIMEOUT_SECONDS="200", AGENT_TIMEOUT_SECONDS="300"
            ),
            beat("one"),
        ):
            until(lambda: model.requests, "the model to be asked", 150)
            planned(mei, "吃药", soon(seconds=2))

            until(lambda: "⏰ 吃药" in "".join(wechat.received(mei.openid)), "the reminder, while it is asked", 100)

        assert len(model.requests) == 1


def test_ten_thousand_batches_delay_a_due_reminder_by_no_more_than_one_scan(mei, wechat, broker):  # noqa: F811
    backlog()
    with worker(), beat("one"):
        until(lambda: Batch.objects.filter(status=Batch.DONE).exists(), "the worker's first batch")
        task = planned(mei, "吃药", soon(seconds=3))

        until(lambda: "⏰ 吃药" in "".join(wechat.received(mei.openid)), "the reminder at the phone")

    left = Batch.objects.filter(status=Batch.SUBMITTED).count()
    row = OutboundMessage.objects.get(follower=mei)
    assert left > BACKLOG / 2
    assert row.created_at - task.start <= timedelta(seconds=float(FAST["REMINDER_SCAN_SECONDS"])) + SLACK

"""SIGKILL at the moments that matter: what was done stays done once, what was not is done by the next worker."""

import pytest
from django.db import connection

from agent.worker import run_next
from planner.models import Review, Task
from reminders.scan import scan_next
from tests.agent.actions import analysis, create
from tests.builders import outbound, planned, soon, submitted
from tests.processes.running import killed, process
from webhook.delivery import deliver_next
from webhook.models import Attempt, Batch, OutboundMessage
from webhook.sweep import sweep

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
]


def kill_at(moment: str) -> None:
    with process("-m", "tests.processes.child", moment) as child:
        killed(child)


@pytest.mark.parametrize("moment", ["after_claim", "after_operation", "in_reply"])
def test_a_worker_killed_while_running_is_taken_over_and_nothing_doubles(mei, clock, moment):
    batch = submitted(mei, analysis=analysis(create("开会"), create("交报告")))

    kill_at(moment)
    assert not run_next()
    clock.forward(seconds=61)
    sweep()
    assert run_next()

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.DONE, 2)
    assert list(Task.objects.order_by("id").values_list("title", flat=True)) == ["开会", "交报告"]
    assert OutboundMessage.objects.count() == 1
    assert [a.outcome for a in Attempt.objects.order_by("claim_no")] == ["died", "done"]


def test_three_workers_killed_end_with_a_person_and_one_notice(mei, clock):
    batch = submitted(mei, analysis=analysis(create("开会")))

    for _ in range(3):
        kill_at("after_claim")
        clock.forward(seconds=61)
        sweep()

    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    assert Review.objects.count() == 1
    assert "没有任何改动" in OutboundMessage.objects.get().text


@pytest.mark.parametrize(("moment", "received"), [("after_outbound_claim", 0), ("before_send", 0), ("after_send", 1)])
def test_a_sender_killed_around_the_call_leaves_unknown_and_nobody_sends_again(mei, clock, wechat, moment, received):
    row = outbound(mei, "记下了")

    kill_at(moment)
    clock.forward(seconds=61)
    sweep()
    for _ in range(3):
        deliver_next(wechat.client())
        clock.forward(hours=1)

    row.refresh_from_db()
    assert row.status == OutboundMessage.UNKNOWN
    assert len(wechat.received(mei.openid)) == received
    assert Review.objects.get().object_id == row.pk


def test_a_scanner_killed_before_its_commit_has_done_nothing(mei, clock):
    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)

    kill_at("in_scan")

    assert not OutboundMessage.objects.exists()
    assert scan_next()
    assert not scan_next()
    assert OutboundMessage.objects.count() == 1

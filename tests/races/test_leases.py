"""Threads on a real Postgres: one row, one owner; one follower, one batch at a time, in order."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tests.builders import outbound, submitted
from webhook.models import Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def together(call: Callable[[], Any], threads: int = 8) -> list[Any]:
    """All at the same moment, each on its own connection."""
    start, results, lock = threading.Barrier(threads), [], threading.Lock()

    def run() -> None:
        start.wait()
        try:
            found = call()
        finally:
            connection.close()
        with lock:
            results.append(found)

    running = [threading.Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(30)
    return results


def test_eight_threads_claim_one_row_once(mei):
    submitted(mei, "你好")

    claims = together(lambda: Batch.claim(900))

    assert len([claim for claim in claims if claim]) == 1


def test_two_batches_of_one_follower_never_run_at_once(mei, bo):
    for _ in range(3):
        submitted(mei, "你好")
        submitted(bo, "hello")

    claims = [claim for claim in together(lambda: Batch.claim(900)) if claim]

    assert sorted(claim.columns["follower_id"] for claim in claims) == sorted([mei.pk, bo.pk])
    assert {claim.lease.pk for claim in claims} == {min(Batch.objects.filter(follower=f).values_list("pk", flat=True)) for f in (mei, bo)}  # fmt: skip


def test_eight_threads_claim_eight_followers_messages_once_each(mei, bo):
    rows = [outbound(who, f"第{n}条") for who in (mei, bo) for n in range(4)]

    claims = [claim for claim in together(lambda: OutboundMessage.claim(60)) if claim]

    assert {claim.lease.pk for claim in claims} == {rows[0].pk, rows[4].pk}


def test_eight_rescuers_take_a_dead_row_once(mei, clock):
    submitted(mei, "你好")
    Batch.claim(900)
    clock.forward(minutes=16)

    rescued = together(Batch.rescue_next)

    assert rescued.count(True) == 1

"""Rings that pile up become one; the first of a queue never waits."""

import pytest

from planner.doorbell import GATHER_SECONDS, Gathered, Queue


def test_a_queues_first_ring_goes_out_at_once():
    gathered = Gathered()

    gathered.add(Queue.BATCHES, 100.0)
    gathered.add(Queue.OUTBOUND, 100.0)

    assert gathered.ready(100.0) == [(Queue.BATCHES, 100.0), (Queue.OUTBOUND, 100.0)]
    assert gathered.wait(100.0) is None


def test_rings_right_after_it_go_out_together():
    gathered = Gathered()
    gathered.add(Queue.BATCHES, 100.0)
    gathered.ready(100.0)

    for later in (100.01, 100.02, 100.03):
        gathered.add(Queue.BATCHES, later)

    assert gathered.ready(100.05) == []
    assert gathered.wait(100.05) == pytest.approx(GATHER_SECONDS - 0.05)
    assert gathered.ready(100.0 + GATHER_SECONDS) == [(Queue.BATCHES, 100.0)]


def test_one_queues_rings_do_not_delay_anothers():
    gathered = Gathered()
    gathered.add(Queue.BATCHES, 100.0)
    gathered.ready(100.0)

    gathered.add(Queue.BATCHES, 100.1)
    gathered.add(Queue.OUTBOUND, 100.1)

    assert gathered.ready(100.1) == [(Queue.OUTBOUND, 100.1)]


def test_rings_for_different_times_stay_apart():
    gathered = Gathered()

    gathered.add(Queue.BATCHES, 103.0)
    gathered.add(Queue.BATCHES, 103.02)
    gathered.add(Queue.BATCHES, 100.0)

    assert gathered.ready(100.0) == [(Queue.BATCHES, 100.0), (Queue.BATCHES, 103.0)]


def test_at_the_end_all_that_is_still_gathered_goes_out():
    gathered = Gathered()
    gathered.add(Queue.BATCHES, 100.0)
    gathered.ready(100.0)
    gathered.add(Queue.BATCHES, 100.1)
    gathered.add(Queue.OUTBOUND, 103.0)

    assert gathered.ready(float("inf")) == [(Queue.BATCHES, 100.1), (Queue.OUTBOUND, 103.0)]

"""The lease machine, state by state: entry, exit, and a kill between claim and finish."""

import pytest

from planner.leases import LeaseLost, back_off
from planner.models import Review
from tests.builders import outbound, submitted
from webhook.models import Attempt, Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_claim_counts_before_the_work(mei):
    batch = submitted(mei, "你好")

    claimed = Batch.claim(900)

    batch.refresh_from_db()
    assert (batch.status, batch.claims, batch.claim_no) == (Batch.RUNNING, 1, claimed.lease.claim_no)
    assert batch.lease_expires_at > batch.claimed_at


def test_nothing_is_claimed_before_its_time(mei, clock):
    batch = submitted(mei, "你好")
    lease = Batch.claim(900).lease
    Batch.retry(lease, "broken", wait=60)

    assert Batch.claim(900) is None
    clock.forward(seconds=61)
    assert Batch.claim(900).lease.pk == batch.pk


def test_a_later_batch_waits_for_the_earlier_one_of_its_follower(mei, bo):
    first, second, other = submitted(mei, "一"), submitted(mei, "二"), submitted(bo, "one")

    claimed = [Batch.claim(900).lease for _ in range(2)]

    assert [lease.pk for lease in claimed] == [first.pk, other.pk]
    assert Batch.claim(900) is None
    Batch.finish(claimed[0], Batch.DONE, "done")
    assert Batch.claim(900).lease.pk == second.pk


def test_the_third_failed_claim_is_the_last(mei):
    batch = submitted(mei, "你好")
    for _ in range(3):
        Batch.retry(Batch.claim(900).lease, "broken", wait=0)

    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    assert Batch.claim(900) is None
    assert Review.objects.get().reason == "broken"


def test_a_released_claim_does_not_count(mei):
    batch = submitted(mei, "你好")
    for _ in range(5):
        Batch.release(Batch.claim(900).lease, "upstream down", wait=0)

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.SUBMITTED, 0)


def test_a_silent_heartbeat_is_rescued_within_a_minute(mei, clock):
    batch = submitted(mei, "你好")
    Batch.claim(900)
    clock.forward(seconds=59)
    assert not Batch.rescue_next()

    clock.forward(seconds=2)

    assert Batch.rescue_next()
    batch.refresh_from_db()
    assert batch.status == Batch.SUBMITTED
    assert Attempt.objects.get().outcome == "died"


def test_a_living_heartbeat_keeps_the_row_until_the_lease_is_over(mei, clock):
    submitted(mei, "你好")
    lease = Batch.claim(900).lease
    for _ in range(14):
        clock.forward(seconds=55)
        assert lease.beat()
        assert not Batch.rescue_next()

    clock.forward(seconds=200)

    assert not lease.beat()
    assert Batch.rescue_next()


def test_the_third_claim_that_dies_is_settled_by_the_rescue(mei, clock):
    batch = submitted(mei, "你好")
    for _ in range(3):
        Batch.claim(900)
        clock.forward(minutes=16)
        Batch.rescue_next()

    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    assert OutboundMessage.objects.get().key == f"{batch.pk}:failed:1"
    assert Review.objects.get().object_id == batch.pk


@pytest.mark.parametrize("late", ["finish", "retry", "release", "give_up"])
def test_whoever_lost_his_claim_changes_nothing(mei, clock, late):
    batch = submitted(mei, "你好")
    stale = Batch.claim(900).lease
    clock.forward(minutes=16)
    Batch.rescue_next()
    fresh = Batch.claim(900).lease
    calls = {
        "finish": lambda: Batch.finish(stale, Batch.DONE, "done"),
        "retry": lambda: Batch.retry(stale, "late"),
        "release": lambda: Batch.release(stale, "late", wait=0),
        "give_up": lambda: Batch.give_up(stale, "late"),
    }

    with pytest.raises(LeaseLost):
        calls[late]()

    batch.refresh_from_db()
    assert (batch.status, batch.claim_no) == (Batch.RUNNING, fresh.claim_no)


def test_an_illegal_move_is_refused_before_the_database_is_asked(mei):
    batch = submitted(mei, "你好")

    with pytest.raises(ValueError, match="no legal move"):
        Batch.move(batch.pk, Batch.DONE, Batch.SUBMITTED)


def test_of_two_cancellations_one_wins(mei):
    batch = submitted(mei, "你好")

    assert Batch.move(batch.pk, Batch.SUBMITTED, Batch.CANCELLED)
    assert not Batch.move(batch.pk, Batch.SUBMITTED, Batch.CANCELLED)


def test_a_sender_that_died_leaves_unknown_and_a_review(mei, clock):
    row = outbound(mei)
    OutboundMessage.claim(60)
    clock.forward(seconds=61)

    assert OutboundMessage.rescue_next()

    row.refresh_from_db()
    assert row.status == OutboundMessage.UNKNOWN
    assert Review.objects.get().object_id == row.pk


@pytest.mark.parametrize(("claims", "least", "most"), [(1, 4, 6), (2, 24, 36), (4, 480, 720), (9, 480, 720)])
def test_back_off_grows_and_is_jittered(claims, least, most):
    waits = {back_off(claims) for _ in range(20)}

    assert all(least <= wait <= most for wait in waits)
    assert len(waits) > 10

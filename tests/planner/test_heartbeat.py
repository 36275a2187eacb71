"""One thread renews the heartbeats of all that a process has in hand."""

import multiprocessing
import threading

import pytest
from django.db import OperationalError

from planner.heartbeat import Heartbeat

PATIENCE = 10


class Lease:
    """Answers as told, and says when it was asked."""

    def __init__(self, *answers: bool | Exception) -> None:
        self.pk, self.answers, self.asked = 1, list(answers), threading.Semaphore(0)

    def beat(self) -> bool:
        self.asked.release()
        answer = self.answers.pop(0) if self.answers else True
        if isinstance(answer, Exception):
            raise answer
        return answer

    def was_asked(self, *, within: float = PATIENCE) -> bool:
        return self.asked.acquire(timeout=within)


@pytest.fixture(autouse=True)
def quick(settings):
    settings.HEARTBEAT_SECONDS = 0.02


def test_all_that_is_in_hand_is_renewed_again_and_again_by_one_thread():
    first, second = Lease(), Lease()

    with Heartbeat(first), Heartbeat(second):
        assert all(lease.was_asked() for lease in (first, second, first, second))
        beating = [thread for thread in threading.enumerate() if thread.name == "heartbeat"]

    assert len(beating) == 1


def test_what_is_done_is_renewed_no_more():
    done, other = Lease(), Lease()
    with Heartbeat(done):
        done.was_asked()

    with Heartbeat(other):
        other.was_asked()  # the round that was going on is over
        while done.was_asked(within=0):
            pass
        assert all(other.was_asked() for _ in range(3))

    assert not done.was_asked(within=0)


@pytest.mark.parametrize("answer", [False, OperationalError("gone")], ids=["lost", "database away"])
def test_a_lease_that_is_lost_does_not_stop_the_others(answer):
    lost, other = Lease(answer), Lease()

    with Heartbeat(lost), Heartbeat(other):
        assert lost.was_asked()
        assert all(other.was_asked() for _ in range(3))
        assert not lost.was_asked(within=0)


def test_work_past_its_deadline_is_taken_for_hung():
    hung, other = Lease(), Lease()
    heartbeat = Heartbeat(hung)
    heartbeat.step(-1)

    with heartbeat, Heartbeat(other):
        assert all(other.was_asked() for _ in range(3))

        assert not hung.was_asked(within=0)


def test_a_forked_child_beats_for_itself():
    with Heartbeat(Lease()):
        child = multiprocessing.get_context("fork").Process(target=_beats)
        child.start()
        child.join(PATIENCE)

    assert child.exitcode == 0


def _beats():
    lease = Lease()
    with Heartbeat(lease):
        raise SystemExit(0 if lease.was_asked() else 1)

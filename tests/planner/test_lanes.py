"""Places of a worker: each lane has its share, and whoever dies gives his back."""

import signal
import threading
from types import SimpleNamespace

import pytest

from planner import lanes
from planner.lanes import Lane
from tests.processes.running import process, until

HOLDS = """
import sys, threading
from planner.lanes import Lane
lane = Lane()
lane.open(sys.argv[1], 1)
lane.take(lambda: (print("held", flush=True), threading.Event().wait()))
"""


@pytest.fixture
def lane(tmp_path) -> Lane:
    made = Lane()
    made.open(str(tmp_path), 2)
    return made


@pytest.fixture
def restored():
    yield
    for each in (lanes.NORMAL, lanes.LOW):
        each.open(None, 0)


def test_without_a_worker_there_is_room_for_everybody():
    lane = Lane()

    assert lane.take(lambda: lane.take(lambda: lane.take(lambda: None)))


def test_a_full_lane_does_no_work_until_a_place_is_given_back(lane):
    done, inside, leave = [], threading.Barrier(3, timeout=20), threading.Event()
    holders = [threading.Thread(target=lane.take, args=(lambda: (inside.wait(), leave.wait(20)),)) for _ in range(2)]
    for holder in holders:
        holder.start()
    inside.wait()

    assert not lane.take(lambda: done.append("too early"))

    leave.set()
    for holder in holders:
        holder.join(20)
    assert lane.take(lambda: done.append("now"))
    assert done == ["now"]


def test_an_error_gives_the_place_back(lane):
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            lane.take(lambda: 1 / 0)

    assert lane.take(lambda: None)


@pytest.mark.django_db
def test_a_killed_process_gives_its_place_back(tmp_path):
    lane = Lane()
    lane.open(str(tmp_path), 1)
    with process("-c", HOLDS, str(tmp_path)) as child:
        assert child.stdout.readline() == "held\n"
        assert not lane.take(lambda: None)

        child.send_signal(signal.SIGKILL)

        assert until(lambda: lane.take(lambda: None), "the place", 20)


@pytest.mark.parametrize(
    ("queues", "concurrency", "places"),
    [
        ("batches,transcription,outbound,reminders,maintenance", 4, 3),
        ("batches,reminders", 2, 1),
        ("batches,transcription,outbound,reminders,maintenance", 1, 1),
        ("batches", 2, 9),
        ("batches,transcription", 2, 9),
        ("outbound,reminders", 2, 9),
    ],
)
def test_only_where_urgent_work_is_done_as_well_one_place_is_kept_for_it(queues, concurrency, places, restored):
    consumed = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues.split(","))))
    lanes.set_up(instance=SimpleNamespace(app=SimpleNamespace(amqp=consumed), concurrency=concurrency))

    def nested(depth: int) -> int:
        deeper = []
        taken = depth < 9 and lanes.NORMAL.take(lambda: deeper.append(nested(depth + 1)))
        return 1 + deeper[0] if taken else 0

    assert nested(0) == places

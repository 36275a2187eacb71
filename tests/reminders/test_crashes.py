"""A scanner that ends at any of its moments has handed over nothing, or all of it with what comes next; never twice."""

import pytest
from django.db import connection

from planner import crashpoints
from planner.clock import app_now
from planner.crashpoints import Crash, from_words
from planner.models import Follower, Reminder
from reminders.digest import digest_next
from reminders.scan import scan_next
from tests.builders import planned, soon
from tests.crash.points import points
from tests.processes.running import killed, process
from webhook.models import OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)
MOMENTS = ("reminder:found", "reminder:marked", "reminder:task rung", "reminder:written", "reminder:committed")
DIGESTS = ("digest:before", "digest:planned", "digest:written", "digest:committed")


@pytest.fixture
def due(mei, clock):
    """A series and a single task that ring now, and a digest that is due."""
    planned(mei, "吃药", soon(minutes=5), rrule="FREQ=DAILY", repeat="每天")
    planned(mei, "开会", soon(minutes=5))
    mei.preferences = {"digest_time": "08:00", "nag": True}
    mei.digest_at = app_now()
    mei.save()
    clock.forward(minutes=6)
    yield mei
    crashpoints.arm(None)


def finish() -> None:
    while scan_next() or digest_next():
        continue


def all_is_there_once() -> None:
    outbound = list(OutboundMessage.objects.values_list("purpose", flat=True).order_by("purpose"))
    assert outbound == ["digest", "reminder", "reminder"]
    pending = Reminder.objects.filter(status=Reminder.PENDING)
    assert sorted(pending.values_list("kind", flat=True)) == ["LEAD", "NAG", "NAG"]
    assert Follower.objects.get().digest_at > app_now()


def test_the_moments_are_those_of_the_source():
    assert {name for name in points() if name.startswith(("reminder:", "digest:"))} == {"reminder:before", *MOMENTS, *DIGESTS}


@pytest.mark.parametrize("moment", [*MOMENTS, *DIGESTS])
def test_whatever_ends_a_scan_the_next_one_completes_it_once(due, moment):
    crashpoints.arm(from_words(f"{moment} raise"))
    with pytest.raises(Crash):
        finish()
    crashpoints.arm(None)

    finish()

    all_is_there_once()


@pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business")
@pytest.mark.parametrize("moment", ["reminder:task rung", "reminder:committed", "digest:written"])
def test_a_scanner_that_is_killed_there_leaves_the_rest_to_the_next(due, moment):
    with process("-m", "tests.processes.child", "scan_all", CRASH_AT=f"{moment} kill") as child:
        killed(child)

    finish()

    all_is_there_once()

"""SIGKILL in the middle of an erasure: what is gone stays gone, another worker goes on, a redelivery resurrects nobody."""

import pytest
from django.db import connection

from planner.models import Follower, Task
from tests.builders import planned, post, say, soon, xml
from tests.processes.running import killed, process
from webhook import forgetting
from webhook.models import Erasure, InboundMessage
from webhook.sweep import sweep

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
]
DETACHED = ["ask erasure:committed", "claim erasure:committed"]
HALF = ["erase:before", "erase:written", "erase:committed", "erase:committed 4", "finish erasure:written"]


def killed_at(moment: str, openid: str) -> None:
    name, _, nth = moment.partition(" ") if moment[-1].isdecimal() else (moment, "", "1")
    with process("manage.py", "forget", openid, "--yes", CRASH_AT=f"{name} kill {nth}") as child:
        killed(child)


@pytest.mark.parametrize("moment", ["ask erasure:before", "ask erasure:written"])
def test_killed_before_the_first_commit_nothing_has_happened(mei, moment):
    planned(mei, "开会")

    killed_at(moment, mei.openid)

    assert Follower.objects.get().openid == mei.openid
    assert not Erasure.objects.exists()


@pytest.mark.parametrize("moment", [*DETACHED, *HALF])
def test_killed_at_any_later_moment_another_worker_ends_it(mei, clock, moment):
    old = xml(mei.openid, "买牛奶")
    post(old)
    planned(mei, "开会", soon(days=1))

    killed_at(moment, mei.openid)
    assert post(old).status_code == 200
    clock.forward(seconds=61)
    sweep()
    while forgetting.erase_next():
        continue
    post(old)

    assert Erasure.objects.get().status == Erasure.DONE
    assert not [model for model in (Follower, Task, InboundMessage) if model.objects.exists()]


def test_killed_right_after_the_end_it_is_done(mei):
    say(mei, "买牛奶")

    killed_at("finish erasure:committed", mei.openid)

    assert Erasure.objects.get().status == Erasure.DONE
    assert not Follower.objects.exists()

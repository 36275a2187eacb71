"""What a batch, an operation, a reminder and an empty doorbell cost the database. Exact counts, no timings."""

import pytest
from django.db import connection

from agent.tasks import work
from agent.worker import run_next
from planner.actions import Complete, Create, Delete, Query, Snooze, Target, Update
from planner.models import Follower, Reminder
from planner.operations import apply
from reminders.digest import digest_next
from reminders.scan import scan_next
from reminders.tasks import scan
from tests.agent.actions import analysis, create
from tests.builders import planned, scope, soon, submitted
from tests.meter import Meter
from webhook.delivery import deliver_next
from webhook.models import Batch

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="counts are Postgres's"),
]
TWO = "后天下午三点和客户开会，提前十分钟提醒我；大后天上午九点写周报"


def warm(who) -> None:
    """Imports, the compiled graph and the database's own catalogue look-ups are not the batch's cost."""
    submitted(who, TWO)
    assert run_next()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_batch_of_n_actions_costs_three_and_n_commits(mei, bo, n):
    warm(bo)
    submitted(mei, "，".join(f"后天{hour}点开第{hour}个会" for hour in range(9, 9 + n)))

    with Meter() as meter:
        assert run_next()

    assert len(Batch.objects.get(follower=mei).actions) == n
    assert meter.write_commits == 3 + n, meter


def test_a_batch_of_two_actions_costs_at_most_19_statements(mei, bo):
    warm(bo)
    submitted(mei, TWO)

    with Meter() as meter:
        assert run_next()

    assert meter.statements <= 19, meter
    assert meter.connections == 0


@pytest.mark.parametrize("op", ["create", "update", "complete", "delete", "query"])
def test_one_operation_is_one_commit_and_at_most_8_statements(mei, op):
    task = planned(mei, "开会", soon(days=1))
    target = Target(text="开会")
    params = {
        "create": Create(title="写周报", start=soon(days=2)),
        "update": Update.model_validate({"target": target, "changes": {"start": soon(days=3)}}),
        "complete": Complete(target=target),
        "delete": Delete(target=target),
        "query": Query(),
    }[op]
    lease, batch = _claimed(mei)

    with Meter() as meter:
        apply(op, params, scope(mei, batch=batch, lease=lease), key=f"{batch.pk}:{op}:1")

    assert meter.write_commits == 1, meter
    assert meter.statements <= 8, meter
    assert task.pk


def _claimed(who):
    batch = submitted(who, analysis=analysis(create("x")))
    return Batch.claim(900).lease, batch


def test_a_replay_writes_nothing(mei):
    lease, batch = _claimed(mei)
    call = scope(mei, batch=batch, lease=lease)
    apply("create", Create(title="开会"), call, key=f"{batch.pk}:create:1")

    with Meter() as meter:
        assert apply("create", Create(title="开会"), call, key=f"{batch.pk}:create:1").replayed

    # Taking the fence locks a row, which gives the transaction a number; no row is written.
    assert not [statement for statement in meter.sent if "INSERT" in statement or "UPDATE web" in statement], meter


def test_a_due_reminder_is_one_commit_and_at_most_8_statements(mei, clock):
    planned(mei, "开会", soon(minutes=1))
    clock.forward(minutes=2)

    with Meter() as meter:
        assert scan_next()

    assert meter.write_commits == 1, meter
    assert meter.statements <= 8, meter


def test_a_due_reminder_that_nags_costs_no_statement_more(mei, clock):
    Follower.objects.update(preferences={"nag": True})
    planned(mei, "吃药", soon(minutes=1), rrule="FREQ=DAILY", repeat="每天")
    clock.forward(minutes=2)

    with Meter() as meter:
        assert scan_next()

    assert Reminder.objects.filter(status=Reminder.PENDING).count() == 2
    assert meter.write_commits == 1, meter
    assert meter.statements <= 8, meter


@pytest.mark.parametrize(("op", "most"), [("complete", 9), ("delete", 8), ("update", 10), ("snooze", 8)])
def test_one_turn_of_a_series_costs_a_statement_or_two_more(mei, op, most):
    planned(mei, "吃药", soon(hours=1), rrule="FREQ=DAILY", repeat="每天")
    target = Target(text="吃药", series=False)
    params = {
        "complete": Complete(target=target),
        "delete": Delete(target=target),
        "update": Update.model_validate({"target": target, "changes": {"start": soon(hours=3)}}),
        "snooze": Snooze(target=target, at=soon(hours=2)),
    }[op]
    lease, batch = _claimed(mei)

    with Meter() as meter:
        apply(op, params, scope(mei, batch=batch, lease=lease), key=f"{batch.pk}:{op}:1")

    assert meter.write_commits == 1, meter
    assert meter.statements <= most, meter


def test_a_digest_is_one_commit_and_at_most_10_statements(mei, clock):
    planned(mei, "开会", soon(hours=30))
    planned(mei, "吃药", soon(hours=1), rrule="FREQ=DAILY", repeat="每天")
    Follower.objects.update(digest_at=soon(minutes=1), preferences={"digest_time": "08:00"})
    clock.forward(minutes=2)

    with Meter() as meter:
        assert digest_next()

    assert meter.write_commits == 1, meter
    assert meter.statements <= 10, meter


@pytest.mark.parametrize("look", ["batches", "outbound", "reminders"])
def test_an_empty_doorbell_writes_nothing_and_only_looks(mei, wechat, look):
    api = wechat.client()

    with Meter() as meter:
        if look == "batches":
            work()
        elif look == "outbound":
            deliver_next(api)
        else:
            scan()

    assert meter.write_commits == 0, meter
    assert meter.statements <= {"batches": 1, "outbound": 2, "reminders": 1}[look], meter

"""S25: what is over for long goes, class by class; what somebody waits for stays, however old."""

from datetime import timedelta

import pytest

from agent.worker import run_next
from planner.clock import AppNow
from planner.models import Alarm, OperationResult, Reminder, Review, Task
from tests.agent.actions import analysis, create
from tests.builders import outbound, planned, say, soon, submitted
from webhook import forgetting
from webhook.models import Attempt, Batch, Erasure, InboundMessage, OutboundMessage
from webhook.retention import retain

pytestmark = pytest.mark.django_db(transaction=True)


def talk(who) -> Batch:
    batch = submitted(who, "记一下开会", analysis=analysis(create("开会", soon(days=3))))
    assert run_next()
    OutboundMessage.move_where("TRUE", (), OutboundMessage.PENDING, OutboundMessage.CANCELLED)
    return batch


def left() -> dict[str, int]:
    models = (InboundMessage, Batch, OutboundMessage, Attempt, OperationResult, Task, Reminder)
    return {model.__name__: model.objects.count() for model in models if model.objects.exists()}


def test_after_four_hundred_days_only_the_open_plan_is_left(mei, clock):
    talk(mei)
    clock.forward(days=400)

    retain()

    assert left() == {"Task": 1, "Reminder": 1}


def test_nothing_goes_before_its_time(mei, clock):
    talk(mei)
    before = left()
    clock.forward(days=179)

    assert retain() == 0

    assert left() == before


@pytest.mark.parametrize("setting", ["RETAIN_MESSAGES_DAYS", "RETAIN_TASKS_DAYS", "RETAIN_DESK_DAYS"])
def test_zero_keeps_for_ever(mei, clock, settings, setting):
    setattr(settings, setting, 0)
    talk(mei)
    Task.objects.update(status=Task.DONE, done_at=AppNow())
    Alarm.objects.create(key="wechat:token", detail="x", closed_at=AppNow())
    clock.forward(days=4000)

    retain()

    kept = {"RETAIN_MESSAGES_DAYS": InboundMessage, "RETAIN_TASKS_DAYS": Task, "RETAIN_DESK_DAYS": Alarm}
    assert {name for name, model in kept.items() if model.objects.exists()} == {setting}


def test_what_waits_for_a_person_stays_with_all_it_needs(mei, clock):
    batch = submitted(mei, "出错的")
    Batch.give_up(Batch.claim(900).lease, "程序错误")
    row = outbound(mei)
    OutboundMessage.give_up(OutboundMessage.claim(60).lease, "超时", status=OutboundMessage.UNKNOWN)
    clock.forward(days=4000)

    retain()

    assert Batch.objects.get() == batch
    assert InboundMessage.objects.get().text == "出错的"
    assert OutboundMessage.objects.filter(status=OutboundMessage.UNKNOWN).exists() or row.pk
    assert Review.objects.filter(resolution="").count() == 2


def test_what_was_settled_goes_with_its_review(mei, clock):
    submitted(mei, "出错的")
    Batch.give_up(Batch.claim(900).lease, "程序错误")
    OutboundMessage.move_where("TRUE", (), OutboundMessage.PENDING, OutboundMessage.CANCELLED)
    Review.objects.update(resolution="已处理", resolved_at=AppNow())
    clock.forward(days=400)

    retain()
    retain()

    assert left() == {}
    assert not Review.objects.exists()


def test_work_that_goes_on_and_open_questions_stay(mei, clock):
    say(mei, "在收集")
    submitted(mei, "已提交")
    clock.forward(days=4000)

    retain()

    assert Batch.objects.count() == 2
    assert InboundMessage.objects.count() == 2


def test_done_and_deleted_tasks_go_with_their_reminders(mei, clock):
    kept, done, deleted = (planned(mei, title, soon(days=1)) for title in ("留", "完", "删"))
    Task.objects.filter(pk=done.pk).update(status=Task.DONE, done_at=AppNow())
    Task.objects.filter(pk=deleted.pk).update(status=Task.DELETED)
    Reminder.objects.exclude(task=kept).update(status=Reminder.CANCELLED)
    clock.forward(days=403)

    retain()

    assert Task.objects.get() == kept
    assert Reminder.objects.get().task == kept


def test_the_trace_of_a_deletion_ends_too(mei, clock):
    forgetting.begin(mei.pk, by="op")
    while forgetting.erase_next():
        continue
    clock.forward(days=200)

    retain()

    assert not Erasure.objects.exists()


def test_a_run_takes_it_in_bites(mei):
    old = AppNow() - timedelta(days=500)
    Alarm.objects.bulk_create(Alarm(key=f"wechat:{n}", detail="x", closed_at=old) for n in range(forgetting.CHUNK + 5))

    assert retain() == forgetting.CHUNK + 5


def test_a_run_that_has_no_time_takes_one_bite_and_the_next_goes_on(mei):
    old = AppNow() - timedelta(days=500)
    Alarm.objects.bulk_create(Alarm(key=f"wechat:{n}", detail="x", closed_at=old) for n in range(forgetting.CHUNK + 5))
    Review.objects.create(kind=Review.BATCH, object_id=1, reason="x", resolution="y", resolved_at=old)

    assert [retain(seconds=0) for _ in range(4)] == [forgetting.CHUNK, 5, 1, 0]

"""Asking, answering, cancelling, expiring, superseding: one compare-and-set each, and nothing lost in between."""

import pytest

from agent.questions import expire_next
from agent.worker import run_next
from planner.models import OperationResult, Task
from tests.agent.actions import analysis, create, delete
from tests.builders import planned, soon, submitted
from webhook.models import Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def asked(mei):
    """Two tasks fit 「取消开会」; one action before it is done, one behind it waits."""
    planned(mei, "产品开会", soon(days=1))
    planned(mei, "部门开会", soon(days=2))
    batch = submitted(mei, analysis=analysis(create("买花"), delete("开会"), create("买菜")))
    assert run_next()
    batch.refresh_from_db()
    assert batch.status == Batch.WAITING
    return batch


def texts(batch: Batch) -> list[str]:
    return list(OutboundMessage.objects.filter(batch=batch).order_by("id").values_list("text", flat=True))


def run_all() -> None:
    for _ in range(6):
        run_next()


def test_the_question_is_asked_with_numbered_options(asked):
    text = texts(asked)[0]

    assert "1. " in text
    assert "产品开会" in text
    assert "记下了：买花" in text
    assert OutboundMessage.objects.get(batch=asked).key == f"{asked.pk}:ask:1:1"


def test_the_answer_resumes_at_the_pending_action(asked, mei):
    answering = submitted(mei, "2")

    run_all()

    asked.refresh_from_db()
    answering.refresh_from_db()
    assert (asked.status, answering.status) == (Batch.DONE, Batch.DONE)
    deleted = Task.objects.get(status=Task.DELETED)
    assert deleted.title in asked.question["options"][1]
    assert list(Task.objects.filter(title__in=["买花", "买菜"]).values_list("status", flat=True)) == ["OPEN", "OPEN"]
    assert OperationResult.objects.filter(operation_key=f"{asked.pk}:create:1").count() == 1


def test_cancelling_drops_the_pending_action_and_goes_on(asked, mei):
    submitted(mei, "算了")

    run_all()

    assert not Task.objects.filter(status=Task.DELETED).exists()
    assert Task.objects.filter(title="买菜").exists()
    assert OperationResult.objects.get(operation_key=f"{asked.pk}:delete:2").status == OperationResult.REFUSED


def test_a_second_answer_is_a_new_message_not_a_second_resume(asked, mei):
    submitted(mei, "1")
    submitted(mei, "2")

    run_all()

    assert Task.objects.filter(status=Task.DELETED).count() == 1


def test_a_new_instruction_leaves_the_question_open(asked, mei):
    submitted(mei, "你好呀", analysis=analysis(create("遛狗")))

    run_all()

    asked.refresh_from_db()
    assert asked.status == Batch.WAITING
    assert Task.objects.filter(title="遛狗").exists()


def test_expiry_drops_the_rest_and_says_so(asked, clock):
    clock.forward(minutes=31)

    assert expire_next()
    assert not expire_next()

    asked.refresh_from_db()
    assert asked.status == Batch.DONE
    assert not Task.objects.filter(title="买菜").exists()
    assert "买菜" in texts(asked)[-1]


def test_an_answer_that_comes_after_the_expiry_is_told_so(asked, mei, clock):
    clock.forward(minutes=31)
    late = submitted(mei, "1")

    run_all()

    assert not Task.objects.filter(status=Task.DELETED).exists()
    assert "已经结束" in texts(late)[0]


def test_an_answer_that_comes_after_the_close_is_told_so(asked, mei, clock):
    clock.forward(minutes=31)
    assert expire_next()
    late = submitted(mei, "1")

    run_all()

    late.refresh_from_db()
    assert late.status == Batch.DONE
    assert not Task.objects.filter(status=Task.DELETED).exists()


def test_another_question_takes_its_place_and_says_so(asked, mei):
    later = submitted(mei, analysis=analysis(delete("开会")))

    run_all()

    asked.refresh_from_db()
    later.refresh_from_db()
    assert (asked.status, later.status) == (Batch.DONE, Batch.WAITING)
    assert "前一个问题先放下了" in texts(later)[0]


def test_a_waiting_batch_holds_no_slot(asked, mei):
    submitted(mei, analysis=analysis(create("遛狗")))

    assert run_next()

    assert Task.objects.filter(title="遛狗").exists()


def test_a_crash_after_the_answer_resumes_all_the_same(asked, mei, clock):
    submitted(mei, "1")
    assert run_next()
    claimed = Batch.claim(900)
    assert claimed.lease.pk == asked.pk
    clock.forward(minutes=16)
    Batch.rescue_next()

    run_all()

    asked.refresh_from_db()
    assert asked.status == Batch.DONE
    assert Task.objects.filter(status=Task.DELETED).count() == 1


def test_deleting_everything_needs_a_yes_to_these_very_tasks(mei):
    planned(mei, "一")
    planned(mei, "二")
    batch = submitted(mei, analysis=analysis(delete(every=True)))
    assert run_next()
    batch.refresh_from_db()
    assert batch.question["missing"] == "confirm"
    planned(mei, "后来加的")

    submitted(mei, "确认")
    run_all()

    assert set(Task.objects.filter(status=Task.DELETED).values_list("title", flat=True)) == {"一", "二"}

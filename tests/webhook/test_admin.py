"""Operators: a batch on one page, and buttons that take effect once and say who pressed them."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agent.questions import Question, ask
from agent.worker import run_next
from planner.models import Correction, Review, Task
from tests.agent.actions import analysis, create
from tests.builders import outbound, planned, say, soon, submitted
from tests.races.threads import at_once
from tests.webhook.desk import act, client, page, user
from webhook import operators
from webhook.models import Batch, InboundMessage, OutboundMessage

pytestmark = pytest.mark.django_db
RACE = pytest.mark.django_db(transaction=True)


@pytest.fixture
def boss():
    return user("op", "view", "change")


@pytest.fixture
def operator(boss):
    return client(boss)


@pytest.fixture
def failed(mei, clock):
    batch = submitted(mei, "两件事", analysis=analysis(create("开会"), {"op": "create", "title": ""}))
    for _ in range(3):
        run_next()
        clock.forward(minutes=15)
    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    return batch


@pytest.fixture
def unknown(mei, clock):
    row = outbound(mei, "也许送到了的话")
    OutboundMessage.claim(60)
    clock.forward(seconds=61)
    OutboundMessage.rescue_next()
    row.refresh_from_db()
    assert row.status == OutboundMessage.UNKNOWN
    return row


def refused(mei, **more) -> OutboundMessage:
    """A row that surely did not arrive."""
    row = outbound(mei, "没送到的话", **more)
    OutboundMessage.give_up(OutboundMessage.claim(60).lease, "48001")
    row.refresh_from_db()
    return row


def test_a_batch_is_told_on_one_page(operator, failed):
    Correction.objects.create(batch_id=failed.pk, claim_no=1, round=1, reason="title 不能为空")

    told = page(operator, f"webhook/batch/{failed.pk}/change/")

    for part in ("两件事", "开会", f"{failed.pk}:create:1", f"{failed.pk}:failed:1", "没有处理成功", "程序错误",
                 "出错，稍后再试", "title 不能为空", "待处理", str(failed.trace_id), failed.messages.get().msg_id):  # fmt: skip
        assert part in told
    assert failed.follower.openid not in told


def test_the_page_tells_question_and_answer(operator, mei):
    batch = submitted(mei, "删掉会", analysis=analysis(create("会")))
    lease = Batch.claim(900).lease
    ask(batch, lease, Question(1, create("会"), "target", "要删哪一件？", ["周三开会", "周四开会"]), done="")
    Batch.objects.filter(pk=batch.pk).update(clarification_answer={"text": "第二个", "value": {"chosen": 7}})

    told = page(operator, f"webhook/batch/{batch.pk}/change/")

    for part in ("要删哪一件？", "2. 周四开会", "第二个", "等关注者回答", "已提问"):
        assert part in told


def test_the_page_costs_the_same_however_long_the_story(operator, mei):
    ContentType.objects.get_for_model(Batch)  # looked up once a process
    counts = []
    for length in (1, 12):
        batch = submitted(mei, *["话"] * length, analysis=analysis(*[create("事")] * length))
        run_next()
        for n in range(length):
            outbound(mei, f"第{n}段", batch_id=batch.pk)
        with CaptureQueriesContext(connection) as taken:
            page(operator, f"webhook/batch/{batch.pk}/change/")
        counts.append(len(taken))

    assert counts == [19, 19]  # one of them writes down who looked


def test_what_a_follower_wrote_is_text_never_a_tag(operator, mei):
    batch = submitted(mei, "<script>alert(1)</script>", analysis=analysis(create("<img src=x>")))

    told = page(operator, f"webhook/batch/{batch.pk}/change/")

    assert "<script>alert" not in told
    assert "<img src=x" not in told


@pytest.mark.parametrize("term", ["trace_id", "pk", "openid"])
def test_it_is_found_by_trace_id_number_or_openid(operator, failed, mei, term):
    value = mei.openid if term == "openid" else getattr(failed, term)

    assert f"/admin/webhook/batch/{failed.pk}/change/" in page(operator, f"webhook/batch/?q={value}")


def test_the_trace_of_any_of_its_messages_leads_to_the_whole_batch(operator, mei):
    say(mei, "第一句")
    say(mei, "第二句")
    second = InboundMessage.objects.get(text="第二句")
    row = outbound(mei, "回复", batch_id=second.batch_id)

    assert f"/batch/{second.batch_id}/change/" in page(operator, f"webhook/batch/?q={second.trace_id}")
    assert "第一句" in page(operator, f"webhook/inboundmessage/?q={second.trace_id}")
    assert f"/outboundmessage/{row.pk}/change/" in page(operator, f"webhook/outboundmessage/?q={second.trace_id}")


@pytest.mark.parametrize("model", ["operationresult", "review"])
def test_results_and_reviews_are_found_by_the_batch_s_trace(operator, failed, model):
    listed = page(operator, f"planner/{model}/?q={failed.trace_id}").split('id="result_list"')[1]

    assert f"/admin/planner/{model}/" in listed


def test_message_ids_that_differ_in_the_last_digit_stay_different(operator, mei):
    for number in (9223372036854775806, 9223372036854775807):
        say(mei, f"号码{number}", msg_id=number)

    found = page(operator, "webhook/inboundmessage/?q=9223372036854775806")

    assert "号码9223372036854775806" in found
    assert "号码9223372036854775807" not in found


def test_what_is_not_there_is_not_found(operator, failed):
    assert f"/batch/{failed.pk}/" not in page(operator, "webhook/batch/?q=nobody")


def test_a_retry_is_a_new_generation_with_the_same_keys(operator, failed):
    Batch.objects.filter(pk=failed.pk).update(analysis_json=analysis(create("开会"), create("交报告")))

    act(operator, "webhook/batch", "retry", failed)
    act(operator, "webhook/batch", "retry", failed)
    run_next()

    failed.refresh_from_db()
    assert (failed.status, failed.generation) == (Batch.DONE, 2)
    assert list(Task.objects.values_list("title", flat=True)) == ["开会", "交报告"]
    assert Review.objects.get().resolved_by == "op"


def test_a_button_on_the_page_leads_back_to_the_page(operator, failed):
    assert 'value="retry"' in page(operator, f"webhook/batch/{failed.pk}/change/")

    told = act(operator, "webhook/batch", "retry", failed, _page="1")

    assert "排队等待处理" in told
    assert 'value="retry"' not in told


def test_every_act_is_logged_with_its_operator(operator, failed, boss):
    act(operator, "webhook/batch", "retry", failed)
    act(operator, "webhook/batch", "retry", failed)

    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id, entry.change_message) == (boss, str(failed.pk), "重试，第 2 代")


@RACE
def test_of_two_operators_one_retries(failed, boss):
    assert sorted(at_once(*[lambda: operators.retry_batch(failed, boss)] * 2)) == [False, True]
    assert LogEntry.objects.count() == 1


def test_cancelling_asks_for_the_reason_and_stops_what_has_not_begun(operator, mei):
    batch = submitted(mei, "说错了", analysis=analysis(create("开会")))

    asked = act(operator, "webhook/batch", "cancel", batch)
    batch.refresh_from_db()
    assert (batch.status, "说错了" in asked) == (Batch.SUBMITTED, True)
    act(operator, "webhook/batch", "cancel", batch, reason="他说错了")

    assert not run_next()
    batch.refresh_from_db()
    assert (batch.status, batch.last_error) == (Batch.CANCELLED, "由 op 取消：他说错了")


def test_a_running_batch_cannot_be_cancelled(operator, mei):
    batch = submitted(mei, "你好")
    Batch.claim(900)

    told = act(operator, "webhook/batch", "cancel", batch, reason="试试")

    batch.refresh_from_db()
    assert batch.status == Batch.RUNNING
    assert "没有改动" in told


def test_an_unknown_message_is_marked_delivered(operator, unknown):
    act(operator, "webhook/outboundmessage", "delivered", unknown)

    unknown.refresh_from_db()
    assert unknown.status == OutboundMessage.SENT
    assert Review.objects.get().resolution == "确认送达"


def test_sending_again_asks_first_and_then_writes_a_new_row_once(operator, unknown):
    asked = act(operator, "webhook/outboundmessage", "again", unknown)
    assert "可能收到两遍" in asked
    assert "也许送到了的话" in asked
    assert OutboundMessage.objects.count() == 1

    for _ in range(2):
        act(operator, "webhook/outboundmessage", "again", unknown, confirmed="yes")

    unknown.refresh_from_db()
    assert unknown.status == OutboundMessage.UNKNOWN
    assert unknown.resent_as.key == f"resend:{unknown.pk}"
    assert OutboundMessage.objects.count() == 2


def test_a_failed_message_is_sent_again_without_the_warning(operator, mei):
    row = refused(mei)

    asked = act(operator, "webhook/outboundmessage", "again", row)
    act(operator, "webhook/outboundmessage", "again", row, confirmed="yes")

    assert "没送到的话" in asked
    assert "收到两遍" not in asked
    assert OutboundMessage.objects.get(key=f"resend:{row.pk}").status == OutboundMessage.PENDING


def test_a_reminder_is_sent_again_with_its_task(operator, mei):
    task = planned(mei, "开会", soon(hours=1))
    row = refused(mei, task=(task.pk, task.version, task.start))

    act(operator, "webhook/outboundmessage", "again", row, confirmed="yes")

    again = OutboundMessage.objects.get(key=f"resend:{row.pk}")
    assert (again.task_id, again.task_version, again.due_at) == (task.pk, task.version, task.start)


@RACE
def test_of_two_operators_one_sends_again(unknown, boss):
    assert sorted(at_once(*[lambda: operators.send_again(unknown, boss)] * 2)) == [False, True]


@RACE
def test_marking_and_sending_again_at_once_leave_one_truth(unknown, boss):
    at_once(lambda: operators.mark_delivered(unknown, boss), lambda: operators.send_again(unknown, boss))

    unknown.refresh_from_db()
    assert unknown.status == OutboundMessage.SENT or unknown.resent_as is not None
    assert not Review.objects.filter(resolution="").exists()


@pytest.mark.parametrize("act_on", [operators.mark_delivered, operators.send_again])
def test_what_is_settled_leaves_the_queue(operator, unknown, boss, act_on):
    queue = "webhook/outboundmessage/?status=queue"
    assert f"/outboundmessage/{unknown.pk}/change/" in page(operator, queue)

    act_on(unknown, boss)

    assert f"/outboundmessage/{unknown.pk}/change/" not in page(operator, queue)


def test_the_front_page_says_what_waits(operator, unknown, failed):
    told = page(operator, "")

    for part in ("待人工处理", "结果不明", "最久的到期", 'color:#ba2121">2<', 'color:#ba2121">1<'):
        assert part in told

"""«删除我的所有数据»: a question, one yes, and nothing is left; nobody is brought back; who writes again starts afresh."""

import time
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from agent.worker import run_next
from planner.clock import AppNow
from planner.leases import LeaseLost
from planner.links import plan_key
from planner.models import Alarm, Correction, Follower, OperationResult, Reminder, Review, Task
from tests.agent.actions import analysis, create
from tests.builders import outbound, planned, post, say, soon, submitted, xml
from webhook import forgetting
from webhook.delivery import deliver_next
from webhook.models import Attempt, Batch, Erasure, InboundMessage, OutboundMessage, Receipt, VoiceClip

pytestmark = pytest.mark.django_db(transaction=True)
WISH, YES = "删除我的所有数据", "确认删除所有数据"
EVENT = {"MsgType": "event"}
KEPT = {"webhook_erasure"}


def holding(canary: str) -> list[str]:
    """The tables in which these words or this number still stand."""
    found = []
    for model in apps.get_models():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            if any(canary in str(value) for row in cursor.fetchall() for value in row):
                found.append(model._meta.db_table)
    return found


def a_life(who, clock) -> None:
    """A row in every table that can name a follower, each with the canary where it holds words."""
    planned(who, "金丝雀开会", soon(days=1))
    say(who, "金丝雀：明天交报告")
    clock.forward(seconds=60)
    Batch.move_where("TRUE", (), Batch.COLLECTING, Batch.SUBMITTED)
    assert run_next()
    batch = submitted(who, "金丝雀出错")
    Correction.objects.create(batch_id=batch.pk, claim_no=1, round=1, reason="金丝雀")
    Batch.give_up(Batch.claim(900).lease, "金丝雀")
    row = outbound(who, "金丝雀")
    again = outbound(who, "金丝雀又来")
    OutboundMessage.objects.filter(pk=row.pk).update(wechat_msgid=77, resent_as=again)
    Receipt.objects.create(app_id=who.app_id, wechat_msgid=77, status="success", outbound=row)
    VoiceClip.objects.create(
        message=InboundMessage.objects.order_by("-id")[0],
        batch=batch,
        follower=who,
        recognition="金丝雀",
        available_at=AppNow(),
        deadline_at=AppNow(),
        trace_id=batch.trace_id,
    )
    Alarm.objects.create(key="webhook:unreadable", detail=f"前 4 kB：<FromUserName>{who.openid}金丝雀</FromUserName>")


def erased() -> Erasure:
    while forgetting.erase_next():
        continue
    return Erasure.objects.latest("id")


def wished(who) -> None:
    say(who, WISH)
    say(who, YES)


def test_the_wish_is_asked_back_and_changes_nothing(mei):
    planned(mei, "开会")

    asked = say(mei, WISH)

    assert YES in asked.content.decode()
    assert Task.objects.count() == 1
    assert not Batch.objects.exists()
    assert not Erasure.objects.exists()


def test_after_the_yes_nothing_of_the_follower_is_left_anywhere(mei, bo, clock):
    planned(bo, "别人的会", soon(days=1))
    a_life(mei, clock)
    openid, pk = mei.openid, mei.pk

    wished(mei)

    assert erased().status == Erasure.DONE
    assert holding(openid) == holding("金丝雀") == []
    assert not Follower.objects.filter(pk=pk).exists()
    assert Task.objects.get().follower == bo
    assert Reminder.objects.count() == OperationResult.objects.count() == 1
    assert not [m for m in (InboundMessage, Batch, OutboundMessage, Attempt, Review, Receipt, Correction) if m.objects.exists()]  # fmt: skip


def test_every_table_that_leads_to_a_follower_is_erased():
    """A table that comes later must take its place in webhook/forgetting.py."""
    known = {name for name, _ in (*forgetting.LEASED, *forgetting.TABLES)} | {"planner_follower"}
    known |= {"webhook_attempt", "planner_correction"}
    named = {"follower_id", "batch_id", "task_id", "outbound_id", "message_id"}

    leading = {m._meta.db_table for m in apps.get_models() if {f.attname for f in m._meta.concrete_fields} & named}

    assert leading >= {"planner_task", "webhook_batch"}
    assert leading - known - KEPT == set()


@pytest.mark.parametrize(
    "between",
    [["好的"], ["算了"], ["确认"], ["是的"], [YES + "吧"], [f"“{YES}”"], ["你是谁", YES]],
    ids=lambda said: " ".join(said),
)
def test_only_the_very_next_message_and_only_word_for_word_is_a_yes(mei, between):
    planned(mei, "开会")
    say(mei, WISH)

    for words in between:
        say(mei, words)

    assert not Erasure.objects.exists()


def test_a_yes_to_nothing_or_too_late_is_a_text_like_any_other(mei, clock):
    say(mei, YES)
    say(mei, WISH)
    clock.forward(hours=1)
    say(mei, YES)

    assert not Erasure.objects.exists()
    assert InboundMessage.objects.filter(batch__isnull=False).count() == 2


def test_no_one_elses_yes_counts(mei, bo):
    say(mei, WISH)

    say(bo, YES)

    assert not Erasure.objects.exists()


def test_a_redelivered_yes_gets_the_same_answer_and_brings_nobody_back(mei):
    say(mei, WISH)
    body = xml(mei.openid, YES)
    first = post(body)
    during = post(body)
    erased()

    after = post(body)

    answers = [answer.content.decode().partition("<Content>")[2] for answer in (first, during, after)]
    assert "全部删除" in answers[0]
    assert len(set(answers)) == 1
    assert not Follower.objects.exists()


def test_a_message_of_before_brings_nobody_back_not_even_to_who_has_written_since(mei, clock):
    old = xml(mei.openid, "买牛奶")
    post(old)
    wished(mei)
    erased()
    fresh = xml(mei.openid, "从头来", sent=time.time() + 60)
    post(fresh)

    again = post(old)

    assert "全部删除" in again.content.decode()
    assert InboundMessage.objects.get().text == "从头来"
    assert Follower.objects.get().openid == mei.openid


def test_who_writes_before_the_deletion_is_through_starts_afresh_at_once(mei):
    planned(mei, "旧事")
    wished(mei)

    post(xml(mei.openid, "从头来", sent=time.time() + 60))
    erased()

    fresh = Follower.objects.get()
    assert (fresh.openid, fresh.pk == mei.pk) == (mei.openid, False)
    assert InboundMessage.objects.get().follower == fresh
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    "event",
    [
        {"Event": "unsubscribe"},
        {"Event": "TEMPLATESENDJOBFINISH", "MsgID": "77", "Status": "success"},
    ],
    ids=["left", "receipt"],
)
def test_late_news_of_who_was_erased_makes_no_follower(mei, event):
    wished(mei)
    erased()

    answer = post(xml(mei.openid, sent=time.time() + 60, **EVENT, **event))

    assert answer.content == b"success"
    assert not Follower.objects.exists()
    assert not Receipt.objects.exists()


def test_what_waited_to_be_sent_is_called_off_at_once(mei, wechat):
    outbound(mei, "记下了")

    wished(mei)
    deliver_next(wechat.client())

    assert wechat.received(mei.openid) == []
    assert OutboundMessage.objects.get().status == OutboundMessage.CANCELLED


def test_a_running_batch_is_fenced_and_can_write_nothing_more(mei):
    submitted(mei, analysis=analysis(create("开会")))
    lease = Batch.claim(900).lease
    wished(mei)

    assert erased().status == Erasure.DONE
    with pytest.raises(LeaseLost):
        Batch.finish(lease, Batch.DONE, "done")
    with pytest.raises(LeaseLost):
        Batch.retry(lease, "程序错误")


def test_a_send_that_was_in_flight_ends_without_a_trace(mei, wechat, clock):
    outbound(mei, "在路上")
    lease = OutboundMessage.claim(60).lease
    wished(mei)
    erased()

    with pytest.raises(LeaseLost):
        OutboundMessage.finish(lease, OutboundMessage.SENT, "sent")
    assert holding("在路上") == []


def test_the_key_to_the_plan_opens_nothing_from_the_yes_on(mei):
    key = plan_key(mei.pk)
    wished(mei)

    answer = Client(headers={"Authorization": f"Bearer {key}"}).get("/api/tasks/")

    assert answer.status_code in (401, 403)


def test_a_batch_deletion_waiting_for_its_yes_does_not_wipe_and_the_other_way_round(mei):
    for title in ("甲", "乙"):
        planned(mei, title)
    submitted(mei, "删除所有任务")
    run_next()
    assert Batch.objects.get().status == Batch.WAITING
    say(mei, WISH)

    say(mei, "确认")

    assert not Erasure.objects.exists()
    assert Task.objects.filter(status=Task.OPEN).count() == 2


def test_it_goes_little_by_little_and_no_piece_spends_a_claim(mei, clock):
    a_life(mei, clock)
    forgetting.begin(mei.pk, by="op")

    pieces = 0
    while forgetting.erase_next(seconds=0):
        pieces += 1
        row = Erasure.objects.get()
        assert (row.status, row.claims) in ((Erasure.PENDING, 0), (Erasure.DONE, 1))

    assert pieces > 3
    assert (row.status, Follower.objects.count()) == (Erasure.DONE, 0)


def test_ten_thousand_rows_are_gone_within_a_minute(mei):
    tasks = Task.objects.bulk_create(Task(follower=mei, title=f"事{n}", start=soon(days=n)) for n in range(3000))
    Reminder.objects.bulk_create(Reminder(task=task, follower=mei, task_version=1, due_at=task.start) for task in tasks)
    batch = submitted(mei, "第一条")
    stored = InboundMessage.objects.get()
    for n in range(4000):
        stored.pk, stored.message_key = None, f"many:{n}"
        stored.save()
    started = time.monotonic()

    call_command("forget", mei.openid, "--yes")

    assert time.monotonic() - started < 60
    assert Erasure.objects.get().rows_erased >= 10_000
    assert not Batch.objects.filter(pk=batch.pk).exists()


def test_the_command_says_who_is_unknown_and_what_was_done_before(mei, capsys):
    with pytest.raises(CommandError, match="nobody"):
        call_command("forget", "o-nobody", "--yes")
    call_command("forget", mei.openid, "--yes")

    call_command("forget", mei.openid, "--yes")

    assert capsys.readouterr().out.count("is done") == 2
    assert Erasure.objects.count() == 1


def test_an_erasure_that_dies_again_and_again_raises_an_alarm_and_can_be_taken_up(mei):
    wished(mei)
    Erasure.objects.update(max_claims=1)
    Erasure.claim(1)
    Erasure.objects.update(lease_expires_at=AppNow() - timedelta(seconds=1))

    assert Erasure.rescue_next()

    assert Erasure.objects.get().status == Erasure.FAILED
    assert Alarm.objects.get().key == "erasure:failed"
    call_command("forget", mei.openid, "--yes")
    assert Erasure.objects.get().status == Erasure.DONE


def test_a_changed_secret_key_forgets_no_erasure(mei, settings):
    old = xml(mei.openid, "买牛奶")
    post(old)
    wished(mei)
    erased()
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another-key-" * 5

    assert "全部删除" in post(old).content.decode()
    assert not Follower.objects.exists()

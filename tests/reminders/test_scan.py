"""Reminders: due and not yet handed over, whatever was missed; one outbound row per moment."""

import pytest

from planner.models import Reminder, Task
from reminders.scan import scan_next
from tests.agent.actions import analysis, complete, move
from tests.builders import planned, soon, submitted
from tests.races.test_leases import together
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def scan_all() -> int:
    return sum(iter(scan_next, 0))


def test_nothing_rings_before_its_time(mei):
    planned(mei, "开会", soon(minutes=5))

    assert not scan_next()


def test_a_lead_rings_before_the_start_and_the_start_does_not(mei, clock):
    planned(mei, "开会", soon(minutes=20), remind=["提前10分钟"])
    clock.forward(minutes=11)

    assert scan_all() == 1

    clock.forward(minutes=20)
    assert scan_all() == 0


def test_what_was_missed_is_sent_late_and_says_so(mei, clock):
    planned(mei, "吃药", soon(minutes=10))
    clock.forward(hours=2)

    assert scan_all() == 1

    assert "迟到的提醒" in OutboundMessage.objects.get().text


def test_handing_over_and_marking_are_one_commit(mei, clock):
    task = planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    OutboundMessage.objects.all().delete()

    scan_all()

    row = OutboundMessage.objects.get()
    reminder = Reminder.objects.get(task=task)
    assert reminder.status == Reminder.SENT
    assert row.key.startswith(f"reminder:{task.pk}:{task.version}:")


def test_many_scanners_hand_over_once(mei, clock):
    for n in range(5):
        planned(mei, f"第{n}件", soon(minutes=5))
    clock.forward(minutes=6)

    handed = together(scan_all, threads=3)

    assert sum(handed) == 5
    assert OutboundMessage.objects.count() == 5


@pytest.mark.parametrize("change", [complete("开会"), move("开会", soon(days=3))], ids=["done", "moved"])
def test_a_task_done_or_moved_after_the_scan_does_not_ring(mei, clock, wechat, change):
    from agent.worker import run_next

    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    submitted(mei, analysis=analysis(change))
    run_next()

    while deliver_next(wechat.client()):
        continue

    assert not any("⏰" in text for text in wechat.received(mei.openid))
    assert OutboundMessage.objects.get(purpose="reminder").status == OutboundMessage.CANCELLED


def test_a_deleted_task_never_rings(mei, clock):
    task = planned(mei, "开会", soon(minutes=5))
    Task.objects.filter(pk=task.pk).update(status=Task.DELETED)
    clock.forward(minutes=6)

    scan_all()

    assert not OutboundMessage.objects.exists()
    assert Reminder.objects.get().status == Reminder.CANCELLED


def test_who_has_left_is_not_reminded(chen, clock):
    planned(chen, "开会", soon(minutes=5))
    clock.forward(minutes=6)

    scan_all()

    assert not OutboundMessage.objects.exists()


def test_a_template_goes_out_with_its_fields_and_a_stable_id(mei, clock, wechat, settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "TPL"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title", "time2": "when"}
    planned(mei, "和客户讨论明年合作的具体方案以及预算安排的会议", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()

    assert deliver_next(wechat.client())

    sent = wechat.templates[0]
    assert len(sent["data"]["thing1"]["value"]) == 20
    assert "年" in sent["data"]["time2"]["value"]
    assert sent["client_msg_id"] == OutboundMessage.objects.get().client_msg_id


def test_a_lost_answer_of_a_template_is_tried_again_and_rings_once(mei, clock, wechat, settings):
    from tests.doubles.server import Answer

    settings.WECHAT_REMINDER_TEMPLATE_ID = "TPL"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title"}
    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    wechat.script("template/send", Answer(drop="after"))

    deliver_next(wechat.client())
    clock.forward(seconds=10)
    deliver_next(wechat.client())

    assert len(wechat.calls("template/send")) == 2
    assert len(wechat.templates) == 1
    assert OutboundMessage.objects.get().status == OutboundMessage.SENT


def test_a_restart_sends_nothing_again(mei, clock, wechat):
    planned(mei, "开会", soon(minutes=5))
    clock.forward(minutes=6)
    scan_all()
    while deliver_next(wechat.client()):
        continue

    clock.forward(hours=1)

    assert scan_all() == 0
    assert not deliver_next(wechat.client())
    assert len(wechat.received(mei.openid)) == 1

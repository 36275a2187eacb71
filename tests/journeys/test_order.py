import time

import pytest

from agent.worker import run_next
from planner.models import Task
from tests.builders import say
from webhook.sweep import submit_quiet

pytestmark = pytest.mark.django_db


def test_messages_take_effect_in_the_order_they_were_sent(mei, clock):
    now = int(time.time())
    for text, sent, number in [("后天九点交报告", now + 1, 8), ("后天九点买面包", now, 10), ("后天九点买牛奶", now, 9)]:
        say(mei, text, sent=sent, msg_id=24300000000000000 + number)
    clock.forward(seconds=4)
    submit_quiet()

    run_next()

    assert list(Task.objects.order_by("id").values_list("title", flat=True)) == ["买牛奶", "买面包", "交报告"]

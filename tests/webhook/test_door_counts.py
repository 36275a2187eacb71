"""What a message costs the database (exact, never a timing): the promise of the door's speed."""

import pytest

from tests.builders import outbound, post, query, say, xml
from tests.meter import Meter
from tests.plugin import SQLITE
from webhook.models import OutboundMessage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.alone]


def test_a_new_text_is_one_write_commit_and_five_statements(mei):
    say(mei, "第一条")

    with Meter() as meter:
        say(mei, "第二条")

    assert (meter.write_commits, meter.connections) == (1, 0), meter
    assert meter.statements <= 5 + SQLITE, meter


def test_the_first_text_of_a_new_follower_costs_no_more():
    with Meter() as meter:
        post(xml("o-new", "你好"))

    assert (meter.write_commits, meter.connections) == (1, 0), meter
    assert meter.statements <= 5 + SQLITE, meter


def test_a_redelivery_writes_nothing_and_is_one_look(mei):
    body = xml(mei.openid, "买牛奶", msg_id=7)
    post(body)

    with Meter() as meter:
        post(body)

    assert (meter.write_commits, meter.connections) == (0, 0), meter
    assert meter.statements <= 2, meter


def test_a_refusal_asks_the_database_nothing():
    with Meter() as meter:
        post(xml("o-mei", "你好"), signed=query(at=0))

    assert (meter.statements, meter.connections) == (0, 0), meter


def test_handing_over_what_was_waiting_is_one_commit_more(mei):
    outbound(mei, "一")
    outbound(mei, "二")
    OutboundMessage.objects.update(waiting=True)

    with Meter() as meter:
        say(mei, "在吗")

    assert meter.write_commits == 2, meter
    assert meter.statements <= 16, meter


def test_a_voice_message_costs_one_statement_more(mei, wechat, asr):
    say(mei, "第一条")

    with Meter() as meter:
        post(xml(mei.openid, MsgType="voice", MediaId="m-1", MediaId16K="m-2", Format="amr"))

    assert (meter.write_commits, meter.connections) == (1, 0), meter
    assert meter.statements <= 7, meter

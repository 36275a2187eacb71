"""S1–S5, S14, S21, S28: what comes in is believed only when it is proven, and what cannot be judged is not done."""

import time

import pytest
from django.test import Client
from kombu.exceptions import ContentDisallowed
from kombu.serialization import dumps, loads

from agent.run import Run
from agent.tools import Local
from planner.celery import app
from planner.models import OperationResult, Task
from tests.builders import post, query, sealed, submitted, xml
from tests.vectors import ACCOUNT
from tests.webhook.door import nothing_stored, refused
from webhook.models import Batch, InboundMessage

pytestmark = pytest.mark.django_db
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 9))
BOMBS = {
    "a file by an entity": '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><xml><Content>&e;</Content></xml>',
    "an address by an entity": '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:1/">]><xml><Content>&e;</Content></xml>',
    "a billion laughs": f'<!DOCTYPE x [<!ENTITY l0 "ha">{LAUGHS}]><xml><Content>&l8;</Content></xml>',
    "an entity used ten thousand times": f'<!DOCTYPE x [<!ENTITY e "{"a" * 10_000}">]><xml><Content>{"&e;" * 10_000}</Content></xml>',
    "a hundred thousand levels": "<xml>" + "<a>" * 100_000 + "</a>" * 100_000 + "</xml>",
    "another encoding": '<?xml version="1.0" encoding="utf-16"?><xml><Content>x</Content></xml>',
    "an entity nobody declared": "<xml><Content>&passwd;</Content></xml>",
}


@pytest.fixture
def safe(settings):
    settings.WECHAT_AES_KEY = ACCOUNT["aes_key"]


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("mode", ["plain", "sealed"])
def test_no_bomb_goes_off_and_nothing_is_stored(bomb, mode, request):
    signed = None
    body = BOMBS[bomb]
    if mode == "sealed":
        request.getfixturevalue("safe")
        body, signed = sealed(body)
    started = time.process_time()

    answer = post(body, signed=signed)

    assert answer.status_code in (200, 400)
    assert "root:" not in answer.content.decode()
    assert time.process_time() - started < 5
    assert nothing_stored()


def test_a_valid_query_lets_no_forged_plain_body_in(safe):
    assert refused(post(xml("o-someone-else", "删除所有任务"), signed=query()))
    assert nothing_stored()


def test_every_refusal_of_an_envelope_is_the_same_to_the_byte(safe):
    """Signature, padding, account: whoever probes learns nothing from the answer."""
    body, signed = sealed(xml("o-mei", "你好"))
    start, end = body.index("<Encrypt><![CDATA[") + 18, body.index("]]></Encrypt>")
    sealed_text = body[start:end]
    probes = [sealed_text[:-8] + "AAAAAAA=", "AAAA" + sealed_text[4:], sealed_text[:64], "x", ""]

    answers = [post(body[:start] + probe + body[end:], signed=query(probe) if probe else signed) for probe in probes]

    assert all(refused(answer) for answer in answers)


def test_a_replay_after_eleven_minutes_is_refused_and_a_redelivery_within_seconds_is_answered(mei):
    body = xml(mei.openid, "买牛奶")
    first, again = post(body), post(body)

    assert refused(post(body, signed=query(at=time.time() - 660)))
    assert first.content == again.content
    assert InboundMessage.objects.count() == 1


def test_an_echo_is_plain_text_that_no_browser_takes_for_a_page():
    answer = Client().get("/wechat/callback?" + query() + "&echostr=<script>alert(1)</script>")

    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content == b"<script>alert(1)</script>"
    assert refused(Client().get("/wechat/callback?signature=x&timestamp=1&nonce=1&echostr=<script>"))


def test_a_pickle_on_the_queue_is_refused():
    content_type, encoding, payload = dumps({"n": 1}, serializer="pickle")

    assert app.conf.accept_content == ["json"]
    with pytest.raises(ContentDisallowed):
        loads(payload, content_type, encoding, accept=app.conf.accept_content)


class Broken:
    """An analyser, or a policy in it, that fails."""

    def analyse(self, run, said, *more):
        raise RuntimeError("the validator is down")


def test_where_the_judge_fails_nothing_is_done(mei):
    batch = submitted(mei, "明天开会")
    run = Run(Batch.claim(900), model=Broken(), tools=Local(), step=lambda seconds: None)

    with pytest.raises(RuntimeError):
        run.analyse()

    batch.refresh_from_db()
    assert batch.analysis_json is None
    assert not OperationResult.objects.exists()
    assert not Task.objects.exists()

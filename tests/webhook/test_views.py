"""The door as WeChat sees it: statuses, bodies, and what is stored."""

import io
import time

import pytest
from django.test import Client

from planner.models import Alarm
from tests.builders import ACCOUNT, post, query, sealed, xml
from tests.vectors import ACCOUNT as VECTORS
from tests.vectors import WECHAT, named
from tests.webhook.door import ADDRESS, MEI, nothing_stored, refused
from webhook import protocol
from webhook.models import Batch, InboundMessage
from webhook.views import account

pytestmark = pytest.mark.django_db


@pytest.fixture
def safe(settings):
    settings.WECHAT_AES_KEY = VECTORS["aes_key"]


@pytest.fixture
def any_age(settings):
    settings.WECHAT_TIMESTAMP_SKEW_SECONDS = 0


def verify(**changed: str):
    now = str(int(time.time()))
    signed = {
        "signature": protocol.sign("planner-test-token", now, "1"),
        "timestamp": now,
        "nonce": "1",
        "echostr": "42",
    }
    given = {name: value for name, value in {**signed, **changed}.items() if value}
    return Client(raise_request_exception=False).get(ADDRESS, given)


def test_verification_echoes_unchanged():
    response = verify(echostr="7418258 <b>&\"'")

    assert (response.status_code, response.content) == (200, b"7418258 <b>&\"'")
    assert response["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("missing", ["signature", "timestamp", "nonce"])
def test_verification_without_a_parameter_is_refused(missing):
    assert refused(verify(**{missing: ""}))


def test_verification_with_nothing_at_all_is_refused():
    assert refused(Client().get(ADDRESS))


@pytest.mark.parametrize(**named("signatures", by="signature"))
def test_a_signature_opens_the_door(case, settings, any_age):
    settings.WECHAT_TOKEN = case["token"]

    response = verify(**{name: case[name] or "" for name in ("signature", "timestamp", "nonce")})

    assert (response.status_code, response.content) == (200, b"42")


@pytest.mark.parametrize(**named("wrong_signatures", by="why"))
def test_a_wrong_signature_is_refused(case, any_age):
    assert refused(verify(**{name: case[name] for name in ("signature", "timestamp", "nonce")}))


@pytest.mark.parametrize("age", [601, 86400, -610])
def test_an_old_request_is_refused(age):
    response = post(xml(MEI, "你好"), signed=query(at=time.time() - age))

    assert refused(response)
    assert nothing_stored()


def test_any_age_is_accepted_when_freshness_is_off(any_age):
    assert post(xml(MEI, "你好"), signed=query(at=1700000000)).content == b"success"


@pytest.mark.parametrize("method", ["put", "delete", "patch", "head", "options"])
def test_other_methods_are_not_allowed(method):
    response = getattr(Client(), method)(f"{ADDRESS}?{query()}")

    assert response.status_code == 405


def test_a_plain_text_is_stored():
    response = post(xml(MEI, "明天下午三点开会", msg_id=24300000000000001))

    stored = InboundMessage.objects.get()
    assert (response.status_code, response.content) == (200, b"success")
    assert (stored.message_key, stored.text) == ("wx0123456789abcdef:msg:24300000000000001", "明天下午三点开会")


@pytest.mark.parametrize(**named("sealed"))
def test_a_recorded_sealed_request_is_accepted(case, safe, any_age):
    body, signed = case["body"], "&".join(f"{name}={value}" for name, value in case["query"].items())

    response = post(body, signed=signed)

    assert response.status_code == 200
    assert InboundMessage.objects.get().follower.openid == "oTest00000000000000000000001"


def test_the_sealed_part_counts_and_the_clear_one_beside_it_is_ignored(safe):
    body, signed = sealed(xml(MEI, "真的"))
    clear = xml("o-forged", "假的").removeprefix("<xml>").removesuffix("</xml>")

    post(body.replace("</xml>", clear.replace("<ToUserName>", "<Other>").replace("</ToUserName>", "</Other>") + "</xml>"), signed=signed)  # fmt: skip

    assert InboundMessage.objects.get().text == "真的"


def test_plain_safe_and_compatible_bodies_of_one_message_have_one_key(settings):
    inner = xml(MEI, "同一条", msg_id=77)
    post(inner)
    settings.WECHAT_AES_KEY = VECTORS["aes_key"]
    body, signed = sealed(inner)

    post(body, signed=signed)
    post(body.replace("<Encrypt>", "<Content>假的</Content><Encrypt>"), signed=signed)

    assert InboundMessage.objects.get().text == "同一条"


def plain_beside_a_good_envelope_signature() -> tuple[str, str]:
    _, signed = sealed(xml(MEI, "真的"))
    return xml(MEI, "假的"), signed


def plain_that_says_it_is_not_sealed() -> tuple[str, str]:
    return xml(MEI, "假的"), query() + "&encrypt_type=raw"


def plain_with_an_empty_sealed_part() -> tuple[str, str]:
    body = xml(MEI, "假的").replace("</xml>", "<Encrypt></Encrypt></xml>")
    return body, query() + f"&msg_signature={protocol.sign('planner-test-token', str(int(time.time())), '314159', '')}"


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: (xml(MEI, "假的"), query()),
        plain_that_says_it_is_not_sealed,
        plain_beside_a_good_envelope_signature,
        plain_with_an_empty_sealed_part,
    ],
    ids=["plain", "raw", "borrowed", "empty"],
)
def test_with_a_key_no_plain_body_is_accepted(attempt, safe):
    body, signed = attempt()

    assert refused(post(body, signed=signed))
    assert nothing_stored()


def test_swapped_signatures_are_refused(safe):
    body, signed = sealed(xml(MEI, "你好"))
    swapped = signed.replace("msg_signature", "x").replace("signature", "msg_signature", 1).replace("x=", "signature=")

    assert refused(post(body, signed=swapped))
    assert nothing_stored()


def test_a_sealed_body_without_its_signature_is_refused(safe):
    body, signed = sealed(xml(MEI, "你好"))

    assert refused(post(body, signed=signed.split("&msg_signature")[0]))


@pytest.mark.parametrize(**named("forged", by="why"))
def test_a_forged_envelope_is_refused(case, safe, any_age):
    signature = protocol.sign("planner-test-token", case["timestamp"], case["nonce"])
    signed = f"signature={signature}&timestamp={case['timestamp']}&nonce={case['nonce']}&encrypt_type=aes&msg_signature={case['msg_signature']}"  # fmt: skip

    assert refused(post(f"<xml><Encrypt><![CDATA[{case['encrypt']}]]></Encrypt></xml>", signed=signed))
    assert nothing_stored()


@pytest.mark.parametrize("body", ["", "hello", "<xml>", '{"Encrypt": "x"}', "<xml><Encrypt>a</Encrypt><Encrypt>b</Encrypt></xml>"])  # fmt: skip
def test_what_is_no_envelope_is_refused(body, safe):
    assert refused(post(body))


def test_a_sealed_body_at_an_account_without_a_key_is_a_bad_request(settings):
    settings.WECHAT_AES_KEY = VECTORS["aes_key"]
    body, signed = sealed(xml(MEI, "你好"))
    settings.WECHAT_AES_KEY = ""

    assert post(body, signed=signed).status_code == 400
    assert nothing_stored()


def test_a_sealed_message_nobody_can_read_is_success_and_an_alarm(safe):
    body, signed = sealed("<xml>" + "x" * 5000)

    response = post(body, signed=signed)

    alarm = Alarm.objects.get()
    assert (response.status_code, response.content) == (200, b"success")
    assert "<xml>xxx" in alarm.detail
    assert len(alarm.detail) < 4200


def test_an_answer_to_a_sealed_request_is_sealed(safe):
    body, signed = sealed(xml(MEI, MsgType="event", Event="subscribe"))

    response = post(body, signed=signed)

    fields = protocol._fields(response.content)
    assert protocol.sign("planner-test-token", fields["TimeStamp"], fields["Nonce"], fields["Encrypt"]) == fields["MsgSignature"]  # fmt: skip
    inner = protocol._fields(protocol.decrypt(account(), fields["Encrypt"]))
    assert (inner["ToUserName"], inner["FromUserName"]) == (MEI, ACCOUNT)
    assert "日程助手" in inner["Content"]


@pytest.mark.parametrize("size", [1024 * 1024 + 1, 2 * 1024 * 1024])
def test_a_body_over_a_megabyte_is_a_bad_request(size):
    response = Client().post(f"{ADDRESS}?{query()}", data=b"A" * size, content_type="text/xml")

    assert response.status_code == 400
    assert nothing_stored()


def test_a_body_of_a_megabyte_is_read():
    padding = "x" * (1024 * 1024 - len(xml(MEI, "你好").encode()) - len("<P></P>"))
    body = xml(MEI, "你好", msg_id=24300000000000001).replace("</xml>", f"<P>{padding}</P></xml>")

    assert len(body.encode()) <= 1024 * 1024
    assert post(body).content == b"success"


@pytest.mark.parametrize("length", ["-1", "²", "1e3", "99999999999999999999999"])
def test_a_length_that_is_no_length_is_no_crash(length):
    request = {"CONTENT_LENGTH": length, "CONTENT_TYPE": "text/xml", "wsgi.input": io.BytesIO(b"")}

    response = Client(raise_request_exception=False).generic("POST", f"{ADDRESS}?{query()}", **request)

    assert response.status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        "<xml>",
        "<xml/>",
        "<xml></xml>",
        "<html><body>502</body></html>",
        "{}",
        WECHAT["inbound"][-1]["xml"],
        '<!DOCTYPE xml [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + xml(MEI, "&x;"),
        xml("", "你好"),
        xml("o" * 70, "你好"),
        xml(MEI, "你好").replace("<CreateTime>", "<CreateTime>x"),
        xml(MEI, "你好", sent=253402300799),
        xml(MEI, "你好").replace("<MsgId>", "<MsgID>").replace("</MsgId>", "</MsgID>"),
        xml(MEI, "你好").replace("<FromUserName>", "<FromUserName a='1'>"),
        xml(MEI, "你好").replace("</xml>", f"<FromUserName>{MEI}</FromUserName></xml>"),
        xml(MEI, "a\x00b"),
        "<xml>" * 20000,
        "<xml>" + "<a>" * 20000 + "</a>" * 20000 + "</xml>",
        "<xml " + " ".join(f"a{n}='1'" for n in range(20000)) + "/>",
    ],
    ids=range(20),
)
def test_a_signed_body_that_is_no_message_is_a_bad_request(body):
    assert post(body).status_code == 400
    assert nothing_stored()


@pytest.mark.parametrize("text", ["doubled", "nested", "attribute", "empty"])
def test_a_content_that_is_not_one_text_gets_success_and_plans_nothing(text):
    content = {
        "doubled": "<Content>a</Content><Content>b</Content>",
        "nested": "<Content><b>a</b></Content>",
        "attribute": "<Content lang='zh'>a</Content>",
        "empty": "<Content></Content>",
    }[text]

    response = post(xml(MEI).replace("</xml>", content + "</xml>"))

    assert (response.status_code, response.content) == (200, b"success")
    assert not Batch.objects.exists()

"""The wire format against known answers; no request, no database."""

import base64
import json

import pytest
import xmltodict
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.vectors import ACCOUNT, WECHAT, named
from webhook import protocol
from webhook.protocol import Account, Refusal, Unreadable

OURS = Account(ACCOUNT["app_id"], ACCOUNT["token"], ACCOUNT["aes_key"], skew=600)
PLAIN = Account(ACCOUNT["app_id"], ACCOUNT["token"], "", skew=0)


def account(token: str, *, skew: float = 0) -> Account:
    return Account("wx", token, "", skew)


def query(case: dict) -> dict[str, str]:
    return {name: case[name] for name in ("signature", "timestamp", "nonce", "msg_signature") if name in case}


def envelope(encrypt: str) -> bytes:
    return f"<xml><ToUserName>gh</ToUserName><Encrypt><![CDATA[{encrypt}]]></Encrypt></xml>".encode()


@pytest.mark.parametrize(**named("signatures", by="signature"))
def test_a_right_signature_is_accepted(case):
    protocol.check_query(account(case["token"]), query(case), now=0)


@pytest.mark.parametrize(**named("wrong_signatures", by="why"))
def test_a_wrong_signature_is_refused(case):
    with pytest.raises(Refusal):
        protocol.check_query(account(case["token"]), query(case), now=0)


@pytest.mark.parametrize("missing", ["signature", "timestamp", "nonce"])
def test_a_missing_parameter_is_refused(missing):
    given = query(WECHAT["signatures"][0])
    del given[missing]

    with pytest.raises(Refusal):
        protocol.check_query(account("planner-test-token"), given, now=0)


def test_without_a_token_nothing_is_accepted():
    signed = {"signature": protocol.sign("", "1", "2"), "timestamp": "1", "nonce": "2"}

    with pytest.raises(Refusal):
        protocol.check_query(account(""), signed, now=1)


@pytest.mark.parametrize(("age", "accepted"), [(0, True), (600, True), (-600, True), (601, False), (-601, False)])
def test_ten_minutes_is_the_age_a_request_may_have(age, accepted):
    case = WECHAT["signatures"][0]
    now = int(case["timestamp"]) + age

    if accepted:
        protocol.check_query(account(case["token"], skew=600), query(case), now=now)
    else:
        with pytest.raises(Refusal):
            protocol.check_query(account(case["token"], skew=600), query(case), now=now)


@pytest.mark.parametrize("timestamp", ["", "soon", "-5", "1e9", "²", "٣", "1" * 400])
def test_a_signed_timestamp_that_is_no_number_is_refused(timestamp):
    signed = {"signature": protocol.sign("t", timestamp, "n"), "timestamp": timestamp, "nonce": "n"}

    with pytest.raises(Refusal):
        protocol.check_query(account("t", skew=600), signed, now=0)


@pytest.mark.parametrize(**named("sealed"))
def test_a_sealed_body_opens_to_its_text(case):
    fields = protocol.open_body(OURS, case["query"], case["body"].encode())

    assert fields == protocol._fields(case["inner"].encode())


@pytest.mark.parametrize(**named("paddings", by="pad"))
def test_every_padding_up_to_thirty_two_opens(case):
    fields = protocol.open_body(OURS, query(case), envelope(case["encrypt"]))

    assert f"<Content><![CDATA[{fields['Content'] or ''}]]></Content>" in case["inner"]


@pytest.mark.parametrize(**named("paddings", by="pad"))
def test_sealing_pads_to_thirty_two(case):
    prefix = WECHAT["padding_prefix"].encode()

    sealed = protocol.encrypt(OURS, case["inner"], nonce="77", timestamp=case["timestamp"], prefix=prefix)

    assert case["encrypt"] in sealed
    assert case["msg_signature"] in sealed


@pytest.mark.parametrize(**named("forged", by="why"))
def test_a_forged_body_is_refused(case):
    with pytest.raises(Refusal):
        protocol.open_body(OURS, query(case), envelope(case["encrypt"]))


def sealed_as_is(raw: bytes) -> tuple[bytes, dict[str, str]]:
    """Whole blocks, padding included, encrypted and signed rightly."""
    key = base64.b64decode(OURS.aes_key + "=")
    encryptor = Cipher(algorithms.AES(key), modes.CBC(key[:16])).encryptor()
    encrypt = base64.b64encode(encryptor.update(raw) + encryptor.finalize()).decode()
    signature = protocol.sign(OURS.token, "2", "1", encrypt)
    return envelope(encrypt), {"timestamp": "2", "nonce": "1", "msg_signature": signature}


TEN_SHORT = b"r" * 16 + (16).to_bytes(4, "big") + b"<xml><ab/></xml>" + OURS.app_id.encode()  # of two blocks


def test_the_padding_that_fits_opens():
    body, signed = sealed_as_is(TEN_SHORT + b"\x0a" * 10)

    assert protocol.open_body(OURS, signed, body) == {"ab": None}


@pytest.mark.parametrize(
    "padding",
    [b"\x00" * 9 + b"\x0a", b"\x0b" * 9 + b"\x0a", b"\x00" * 10, b"\xff" * 10, b"\x21" * 10],
    ids=["zeros", "uneven", "none", "255", "33"],
)
def test_padding_of_another_shape_is_refused(padding):
    body, signed = sealed_as_is(TEN_SHORT + padding)

    with pytest.raises(Refusal):
        protocol.open_body(OURS, signed, body)


def test_the_official_example_decrypts():
    case = WECHAT["json_example"]
    ours = Account(case["app_id"], case["token"], case["aes_key"], skew=0)

    protocol.check_query(ours, case["query"], now=0)
    text = protocol.decrypt(ours, case["encrypt"])

    assert json.loads(text) == json.loads(case["inner"])
    signed = protocol.sign(case["token"], case["query"]["timestamp"], case["query"]["nonce"], case["encrypt"])
    assert signed == case["query"]["msg_signature"]


@pytest.mark.parametrize(**named("replies", by="content"))
def test_a_reply_is_sealed_as_the_platform_expects(case):
    sealed = protocol.encrypt(
        OURS, case["inner"], nonce=case["nonce"], timestamp=case["timestamp"], prefix=case["prefix"].encode()
    )

    fields = xmltodict.parse(sealed)["xml"]
    assert list(fields) == ["Encrypt", "MsgSignature", "TimeStamp", "Nonce"]
    assert (fields["Encrypt"], fields["MsgSignature"]) == (case["encrypt"], case["msg_signature"])


@pytest.mark.parametrize(**named("replies", by="content"))
def test_a_reply_is_written_as_the_platform_expects(case):
    xml = protocol.reply(
        to="oTest00000000000000000000001", sender="gh_0123456789ab", text=case["content"], now=1700000100
    )

    assert xml == case["inner"]


@pytest.mark.parametrize("text", ["a]]>b", "]]>]]>", "]]]]>>", "<Content>x</Content>", "&lt;&amp;", "引号\"'\\\n换行"])
def test_no_text_breaks_out_of_a_reply(text):
    xml = protocol.reply(to="o]]>x", sender="gh", text=text, now=1)

    fields = xmltodict.parse(xml, strip_whitespace=False)["xml"]
    assert (fields["Content"], fields["ToUserName"]) == (text, "o]]>x")


def test_a_reply_carries_no_character_that_xml_forbids():
    xml = protocol.reply(to="o", sender="gh", text="a\x00b\x0bc\ufffed\ud800e\tf\n", now=1)

    assert xmltodict.parse(xml, strip_whitespace=False)["xml"]["Content"] == "abcde\tf\n"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"hello",
        b"<xml>",
        b"<xml><a></xml>",
        b"<html></html>",
        b"<xml>text</xml>",
        b"\xff\xfe<\x00x\x00",
        b"<xml><a>\x00</a></xml>",
        b"<xml><a>&bomb;</a></xml>",
        b"<?xml version='1.0' encoding='utf-16'?><xml/>",
        WECHAT["inbound"][-1]["xml"].encode(),
        b'<!DOCTYPE xml [<!ENTITY x SYSTEM "file:///etc/passwd">]><xml><a>&x;</a></xml>',
        b'<!-- <xml> --><!DOCTYPE xml [<!ENTITY x SYSTEM "file:///etc/passwd">]><xml><a>&x;</a></xml>',
        b'<!DOCTYPE xml SYSTEM "http://127.0.0.1:9/x.dtd"><xml><a>1</a></xml>',
        b"<xml><a>\xed\xa0\x80</a></xml>",
        b"[1, 2]",
        b'{"ToUserName": "gh"}',
    ],
)
def test_what_is_no_message_is_unreadable_and_nothing_else(body):
    with pytest.raises(Unreadable):
        protocol.open_body(PLAIN, {}, body)


def test_a_text_that_speaks_of_a_doctype_is_a_text():
    fields = protocol.open_body(PLAIN, {}, b"<xml><Content><![CDATA[<!DOCTYPE html> <!ENTITY x>]]></Content></xml>")

    assert protocol.text_of(fields, "Content") == "<!DOCTYPE html> <!ENTITY x>"


@pytest.mark.parametrize(
    "element",
    ["", "<Content/>", "<Content>a</Content><Content>b</Content>", '<Content x="1">a</Content>', "<Content><b/></Content>"],
)  # fmt: skip
def test_an_element_that_is_not_one_text_reads_as_none(element):
    fields = protocol.open_body(PLAIN, {}, f"<xml><MsgType>text</MsgType>{element}</xml>".encode())

    assert protocol.text_of(fields, "Content") == ""


def test_the_clear_fields_beside_a_sealed_part_are_ignored():
    case = next(case for case in WECHAT["sealed"] if case["name"] == "text_compat_mode")
    body = case["body"].replace("明天下午三点开会", "删除全部任务", 1)

    fields = protocol.open_body(OURS, case["query"], body.encode())

    assert fields["Content"] == "明天下午三点开会😀"


def test_what_an_envelope_held_is_kept_for_the_operator():
    sealed = protocol.encrypt(OURS, "<xml>broken", nonce="1", timestamp="2")
    encrypt = sealed.split("<Encrypt><![CDATA[")[1].split("]]>")[0]
    signed = {"timestamp": "2", "nonce": "1", "msg_signature": protocol.sign(OURS.token, "2", "1", encrypt)}

    with pytest.raises(Unreadable) as caught:
        protocol.open_body(OURS, signed, envelope(encrypt))

    assert caught.value.text == b"<xml>broken"

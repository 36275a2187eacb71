"""From fields to what we make of them: keys, kinds, texts. Pure."""

from datetime import UTC, datetime

import pytest

from tests.vectors import ACCOUNT, named
from webhook.incoming import INT64, Incoming, Kind, read
from webhook.protocol import Account, Unreadable, open_body

PLAIN = Account(ACCOUNT["app_id"], "t", "", skew=0)
MEI = "oTest00000000000000000000001"
EXPECTED = {
    "text": (Kind.TEXT, "msg:24300000000000001", "明天下午三点开会😀"),
    "voice": (Kind.VOICE, "msg:24300000000000002", ""),
    "voice_recognition_empty": (Kind.VOICE, "msg:24300000000000003", ""),
    "event_subscribe": (Kind.SUBSCRIBE, f"evt:{MEI}:1700000020:subscribe:", ""),
    "event_subscribe_qr": (Kind.SUBSCRIBE, f"evt:{MEI}:1700000021:subscribe:qrscene_42", ""),
    "event_template_receipt": (
        Kind.RECEIPT,
        f"evt:{MEI}:1700000030:TEMPLATESENDJOBFINISH::3428411849815982087:failed:user block",
        "",
    ),
    "event_subscribe_msg_sent": (Kind.UNKNOWN, f"evt:{MEI}:1700000040:subscribe_msg_sent_event:", ""),
    "text_leading_space": (Kind.TEXT, "msg:24300000000000004", "两个空格开头"),
    "text_empty": (Kind.EMPTY, "msg:24300000000000005", ""),
    "text_msgmenu_click": (Kind.TEXT, "msg:24300000000000006", "满意"),
}


def fields(**given: str) -> dict[str, str]:
    return {
        "FromUserName": MEI,
        "ToUserName": "gh",
        "CreateTime": "1700000000",
        "MsgType": "text",
        "MsgId": "1",
        **given,
    }


def event(name: str, **given: str) -> Incoming:
    return read("wx", fields(MsgType="event", Event=name, **given))


@pytest.mark.parametrize(**named("inbound"))
def test_a_recorded_body_is_read(case):
    if case["name"] == "entity_bomb":
        with pytest.raises(Unreadable):
            open_body(PLAIN, {}, case["xml"].encode())
        return

    incoming = read(PLAIN.app_id, open_body(PLAIN, {}, case["xml"].encode()))

    kind, key, text = EXPECTED[case["name"]]
    assert (incoming.kind, incoming.key, incoming.text) == (kind, f"{PLAIN.app_id}:{key}", text)


@pytest.mark.parametrize("msg_id", [25231685381080581, INT64 - 1, INT64, INT64 + 1, 2**64 - 1])
def test_a_long_msg_id_is_kept_digit_by_digit(msg_id):
    incoming = read("wx", fields(MsgId=str(msg_id)))

    assert (incoming.msg_id, incoming.key) == (str(msg_id), f"wx:msg:{msg_id}")


@pytest.mark.parametrize(
    "wrong",
    [
        {"MsgId": ""},
        {"MsgId": "12a"},
        {"MsgId": "²"},
        {"MsgId": "-1"},
        {"MsgId": "1" * 21},
        {"CreateTime": ""},
        {"CreateTime": "now"},
        {"CreateTime": "-1"},
        {"CreateTime": "1_000"},
        {"CreateTime": "²"},
        {"CreateTime": "253402300799"},
        {"CreateTime": "9" * 5000},
        {"FromUserName": ""},
        {"FromUserName": "o" * 65},
        {"FromUserName": "o\nx"},
        {"FromUserName": "o'; --"},
        {"MsgType": ""},
    ],
    ids=lambda wrong: "-".join(f"{name}={value[:12]}" for name, value in wrong.items()),
)
def test_a_field_nobody_can_use_is_unreadable(wrong):
    with pytest.raises(Unreadable):
        read("wx", fields(**wrong))


def test_create_time_is_an_instant():
    assert read("wx", fields()).sent_at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


@pytest.mark.parametrize("kind", ["image", "video", "shortvideo", "location", "link", "file", "something_new"])
def test_kinds_we_do_not_understand_are_unsupported(kind):
    assert read("wx", fields(MsgType=kind)).kind is Kind.UNSUPPORTED


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("【收到不支持的消息类型，暂无法显示】", Kind.UNSUPPORTED),
        ("中" * 4000, Kind.TEXT),
        ("中" * 4001, Kind.TOO_LONG),
        ("   \n\t ", Kind.EMPTY),
        ("\x00\x01", Kind.EMPTY),
        ("就这些", Kind.SUBMIT),
        ("就这些。", Kind.SUBMIT),
        ("提交！", Kind.SUBMIT),
        ("提交报告", Kind.TEXT),
    ],
)
def test_a_text_has_its_kind(text, kind):
    assert read("wx", fields(Content=text)).kind is kind


def test_what_nobody_can_store_is_taken_out_of_a_text():
    assert read("wx", fields(Content="买\x00牛\x0b奶\ud83d")).text == "买牛奶"


def test_events_of_one_second_have_different_keys():
    keys = {
        event("subscribe").key,
        event("CLICK", EventKey="a").key,
        event("CLICK", EventKey="b").key,
        event("SCAN", EventKey="a").key,
        event("CLICK", EventKey="a", FromUserName="o-other").key,
        event("CLICK", EventKey="a", CreateTime="1700000001").key,
        event("TEMPLATESENDJOBFINISH", MsgID="1", Status="success").key,
        event("TEMPLATESENDJOBFINISH", MsgID="2", Status="success").key,
        event("TEMPLATESENDJOBFINISH", MsgID="2", Status="failed:user block").key,
    }

    assert len(keys) == 9


def test_a_key_always_fits_its_column():
    longest = {"FromUserName": "o" * 64, "EventKey": "k" * 40, "MsgID": str(INT64), "Status": "s" * 40}
    first = event("TEMPLATESENDJOBFINISH", **longest).key
    second = event("TEMPLATESENDJOBFINISH", **{**longest, "Status": "t" * 40}).key

    assert len(first) <= 200
    assert first != second


@pytest.mark.parametrize(
    "status", ["failed: system failed", "failed:system failed", "Failed : System  Failed", " failed:\tsystem failed "]
)
def test_spellings_of_a_receipt_are_one_status(status):
    assert event("TEMPLATESENDJOBFINISH", MsgID="7", Status=status).receipt == (7, "failed:system failed")


@pytest.mark.parametrize("msg_id", ["", "x", "²", str(INT64 + 1), "9" * 25])
def test_a_receipt_of_no_message_is_unreadable(msg_id):
    with pytest.raises(Unreadable):
        event("TEMPLATESENDJOBFINISH", MsgID=msg_id, Status="success")


def test_the_largest_msg_id_of_a_receipt_is_read():
    assert event("TEMPLATESENDJOBFINISH", MsgID=str(INT64), Status="success").receipt == (INT64, "success")

"""Which way a reminder travels, and its template values as their keys demand."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from planner.models import Alarm
from tests.builders import outbound
from tests.webhook.sending import deliver
from webhook.fields import field
from webhook.kinds import template_ready
from webhook.models import OutboundMessage
from webhook.routes import reminder_route

SHANGHAI, NEW_YORK = ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York")
AT = datetime(2026, 12, 2, 7, 0, tzinfo=UTC)


@pytest.fixture
def configured(settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "tpl"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {
        "thing1": "title",
        "time2": "when",
        "thing3": "note",
        "phrase4": "status",
    }


def route():
    return reminder_route(title="和客户开会", when=AT, zone=SHANGHAI, note="", status="待办")


def test_without_a_template_a_reminder_is_a_customer_message():
    assert route() == (OutboundMessage.CUSTOMER, None)


@pytest.mark.parametrize(("kind", "allowed"), [("service", True), ("test", True), ("subscription", False), ("unverified", False)])  # fmt: skip
def test_only_some_accounts_may_send_templates(configured, settings, kind, allowed):
    settings.WECHAT_ACCOUNT_KIND = kind

    assert template_ready() is allowed
    assert (route()[0] == OutboundMessage.TEMPLATE) is allowed


def test_a_template_has_its_fields_filled(configured):
    assert route()[1] == {"thing1": "和客户开会", "time2": "2026年12月2日 15:00", "thing3": "无", "phrase4": "待办"}


@pytest.mark.parametrize(
    ("key", "value", "zone", "text"),
    [
        ("time2", AT, SHANGHAI, "2026年12月2日 15:00"),
        ("time2", AT, NEW_YORK, "2026年12月2日 02:00"),
        ("date3", AT, SHANGHAI, "2026年12月2日"),
        ("date3", datetime(2026, 12, 1, 17, tzinfo=UTC), SHANGHAI, "2026年12月2日"),
        ("thing1", "中" * 20, SHANGHAI, "中" * 20),
        ("thing1", "中" * 21, SHANGHAI, "中" * 19 + "…"),
        ("thing1", "第一行\n第二行\r\n  第三行", SHANGHAI, "第一行 第二行 第三行"),
        ("thing1", "a\x00b", SHANGHAI, "ab"),
        ("thing1", "", SHANGHAI, "无"),
        ("thing1", None, SHANGHAI, "无"),
        ("phrase4", "进行中1abc", SHANGHAI, "进行中"),
        ("character_string5", "A1中-" + "b" * 40, SHANGHAI, "A1-" + "b" * 29),
        ("name6", "名" * 12, SHANGHAI, "名" * 9 + "…"),
        ("thing1", "🏃" * 11, SHANGHAI, "🏃" * 9 + "…"),
        ("thing1", "a" * 16 + "👨‍👩‍👧‍👦", SHANGHAI, "a" * 16 + "…"),
        ("short_thing1", "短" * 11, SHANGHAI, "短" * 9 + "…"),
        ("letter1", "会议abc", SHANGHAI, "abc"),
        ("number1", "12.5", SHANGHAI, "12.5"),
        ("amount1", "￥12.50元", SHANGHAI, "￥12.50元"),
        ("time2", "15:01~16:30", SHANGHAI, "15:01~16:30"),
        ("unheard_of7", "中" * 21, SHANGHAI, "中" * 19 + "…"),
    ],
)
def test_a_value_is_as_its_key_demands(key, value, zone, text):
    assert field(key, value, zone) == text


@pytest.mark.parametrize(("key", "value"), [("time2", "下午"), ("date2", "明天"), ("number1", "一"), ("letter1", "会"), ("const1", "")])
def test_a_value_that_a_key_would_refuse_is_known_before_it_is_sent(key, value):
    assert field(key, value, SHANGHAI) is None


def test_a_template_that_would_be_refused_is_not_tried(configured, settings, db):
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title", "time2": "title"}

    assert route() == (OutboundMessage.CUSTOMER, None)
    assert Alarm.objects.get().key == "wechat:fields"


@pytest.mark.parametrize(("key", "value", "text"), [("phrase4", "abc", "无"), ("character_string5", "中文", "-")])
def test_a_value_whose_signs_are_all_refused_is_still_one_that_wechat_takes(key, value, text):
    assert field(key, value, SHANGHAI) == text


def test_while_templates_are_stopped_a_reminder_is_a_customer_message(configured, mei, wechat):
    outbound(mei, "开会", route=OutboundMessage.TEMPLATE, fields={"thing1": "开会"})
    wechat.script("template/send", {"errcode": 40037})

    deliver(wechat, 2)

    assert route() == (OutboundMessage.CUSTOMER, None)
    assert wechat.received(mei.openid) == ["开会"]

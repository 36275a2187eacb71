"""Changes, questions and settings, as the rules read them on a Wednesday at ten."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent.analysis import Clarify, Complete, Delete, Query, Reopen, Said, Set, Snooze, Undo, Update
from agent.rules import analyse

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def heard(text: str, last_query: Query | None = None) -> list:
    understood = analyse([Said(text=text, sent_at=NOW)], zone=ZONE, last_query=last_query)
    assert understood.certain, text
    return understood.analysis.actions


def day(value: datetime | None) -> str:
    return f"{value:%m-%d %H:%M}" if value else ""


QUERIES = {
    "今天有什么安排": ("03-11 00:00", "03-12 00:00", "", "open"),
    "明天呢": ("03-12 00:00", "03-13 00:00", "", "open"),
    "这周": ("03-09 00:00", "03-16 00:00", "", "open"),
    "这周还有啥事": ("03-09 00:00", "03-16 00:00", "", "open"),
    "明天下午有空吗": ("03-12 12:00", "03-12 18:00", "", "open"),
    "列出全部任务": ("", "", "", "open"),
    "还有哪些没做完的": ("", "", "", "open"),
    "看看明天的安排": ("03-12 00:00", "03-13 00:00", "", "open"),
    "帮我查一下周五的日程": ("03-13 00:00", "03-14 00:00", "", "open"),
    "我的待办": ("", "", "", "open"),
    "逾期的": ("", "", "", "overdue"),
    "有哪些过期任务": ("", "", "", "overdue"),
    "我上个月完成了多少任务": ("02-01 00:00", "03-01 00:00", "", "done"),
    "下周三几点开会来着": ("03-18 00:00", "03-19 00:00", "开会", "open"),
    "五一假期都安排了什么": ("05-01 00:00", "05-06 00:00", "", "open"),
}


@pytest.mark.parametrize(("text", "query"), QUERIES.items(), ids=QUERIES)
def test_a_question_is_a_query(text, query):
    (asked,) = heard(text)

    assert isinstance(asked, Query)
    assert (day(asked.start), day(asked.end), asked.text, asked.status) == query


def test_the_next_page_is_of_what_was_asked_last():
    (asked,) = heard("下一页", Query(range="这周", status="done", page=2))

    assert (asked.range, asked.status, asked.page) == ("这周", "done", 3)


def test_the_next_page_of_nothing_is_not_understood():
    understood = analyse([Said(text="下一页", sent_at=NOW)], zone=ZONE)

    assert (understood.analysis.actions, understood.certain) == ([], False)


TARGETS = {
    "周报写完了": (Complete, "写周报", "", None),
    "完成写周报": (Complete, "写周报", "", None),
    "写周报已经弄完了": (Complete, "写周报", "", None),
    "报告交了": (Complete, "交报告", "", None),
    "快递取完啦✅": (Complete, "取快递", "", None),
    "第二个完成了": (Complete, "", "", 2),
    "今天的背单词打卡": (Complete, "背单词", "03-11 00:00", None),
    "买完牛奶了": (Complete, "买牛奶", "", None),
    "已完成买牛奶": (Complete, "买牛奶", "", None),
    "上周五的会开完了": (Complete, "开会", "03-06 00:00", None),
    "明天不去健身了": (Delete, "去健身", "03-12 00:00", None),
    "周报还没写完": (Reopen, "写周报", "", None),
    "重新打开写周报": (Reopen, "写周报", "", None),
    "取消周五的聚餐": (Delete, "聚餐", "03-13 00:00", None),
    "删掉买牛奶": (Delete, "买牛奶", "", None),
    "删掉那个买猫粮的": (Delete, "买猫粮", "", None),
    "不用买牛奶了": (Delete, "买牛奶", "", None),
    "把会取消": (Delete, "会", "", None),
    "删除第3个": (Delete, "", "", 3),
    "取消明天早上的健身房預約": (Delete, "健身房預約", "03-12 06:00", None),
}


@pytest.mark.parametrize(("text", "told"), TARGETS.items(), ids=TARGETS)
def test_what_happens_to_a_task_names_it_in_words(text, told):
    (action,) = heard(text)

    target = action.target
    assert (type(action), target.text, day(target.start), target.position) == told
    assert not target.every


def test_several_done_in_one_message():
    actions = heard("牛奶买了，房租也交了，第一个和第三个完成了")

    assert [(action.target.text, action.target.position) for action in actions] == [
        ("买牛奶", None),
        ("交房租", None),
        ("", 1),
        ("", 3),
    ]


@pytest.mark.parametrize(
    ("text", "start"), [("删除所有任务", ""), ("清空我的待办", ""), ("明天的安排全删了", "03-12 00:00")]
)
def test_deleting_everything_is_marked_as_such(text, start):
    (action,) = heard(text)

    assert (type(action), action.target.every, action.target.text, day(action.target.start)) == (
        Delete,
        True,
        "",
        start,
    )


def test_a_deletion_that_names_nothing_is_asked_about():
    (action,) = heard("删除任务")

    assert isinstance(action, Delete)
    assert (action.target.unnamed, action.target.every) == (True, False)


MOVES = {
    "把明天的会改到后天下午三点": ("会", "03-13 15:00", False),
    "把明天的会改到后天": ("会", "03-13 00:00", True),
    "把明天的会改到后天同一时间": ("会", "03-13 00:00", True),
    "改到周四上午十点": ("", "03-12 10:00", False),
    "季度报告延期到下周五吧": ("季度报告", "03-20 00:00", True),
    "明晚健身改到八点半": ("健身", "03-12 20:30", False),
    "把明早九点的会改到八点": ("会", "03-12 08:00", False),
    "不是周三，是周四": ("", "03-12 00:00", True),
}


@pytest.mark.parametrize(("text", "moved"), MOVES.items(), ids=MOVES)
def test_a_move_keeps_the_clock_when_only_a_day_is_said(text, moved):
    (action,) = heard(text)

    assert isinstance(action, Update)
    assert (action.target.text, day(action.changes.start), action.changes.keep_clock) == moved


SHIFTS = {
    "牙医推后一小时": ("牙医", 3600),
    "牙医那个往后推一个小时": ("牙医", 3600),
    "会议提前半小时": ("会议", -1800),
    "把今晚九点的会推迟半小时": ("会", 1800),
}


@pytest.mark.parametrize(("text", "shift"), SHIFTS.items(), ids=SHIFTS)
def test_a_shift_is_relative_to_the_task(text, shift):
    (action,) = heard(text)

    assert (action.target.text, action.changes.shift_seconds) == shift


CHANGES = {
    "把开会改名为评审会": ("开会", {"title": "评审会"}),
    "团建地点改成滨江公园": ("团建", {"notes": "地点：滨江公园"}),
    "给妈妈打电话那条，提醒时间提前15分钟": ("给妈妈打电话", {"remind": ["提前15分钟"]}),
    "背单词不用再提醒了": ("背单词", {"remind": []}),
    "说错了，是给李姐打电话不是给李杰": ("给李杰", {"title": "给李姐打电话"}),
}


@pytest.mark.parametrize(("text", "changed"), CHANGES.items(), ids=CHANGES)
def test_only_what_is_named_changes(text, changed):
    (action,) = heard(text)

    assert (action.target.text, action.changes.model_dump(exclude_defaults=True)) == changed


def test_a_series_gets_a_new_rule():
    (action,) = heard("例会以后都改成周二上午十点")

    assert action.changes.rrule == "FREQ=WEEKLY;BYDAY=TU;BYHOUR=10;BYMINUTE=0"


def test_a_move_without_a_time_is_asked_about():
    (action,) = heard("改一下会议时间")

    assert isinstance(action, Clarify)
    assert (action.missing, action.pending["target"]["text"]) == ("when", "会议")


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("10分钟后再提醒", "03-11 10:10"),
        ("半小时后再叫我一次", "03-11 10:30"),
        ("稍后提醒我", "03-11 10:10"),
        ("推迟15分钟提醒", "03-11 10:15"),
    ],
)
def test_a_snooze_is_an_instant(text, at):
    (action,) = heard(text)

    assert isinstance(action, Snooze)
    assert day(action.at) == at


@pytest.mark.parametrize("text", ["撤销", "刚才那个不要了", "撤回一下", "撤销上一步"])
def test_an_undo(text):
    assert heard(text) == [Undo()]


SETTINGS = {
    "早报改到7点": {"digest_time": "07:00"},
    "早报时间设为早上8点半": {"digest_time": "08:30"},
    "不要早报了": {"digest_time": "off"},
    "我在纽约，帮我改一下时区": {"timezone": "America/New_York"},
    "晚上11点到早上7点不要打扰我": {"quiet_hours": "23:00-07:00"},
    "时区改成东京": {"timezone": "Asia/Tokyo"},
    "时区设为 Europe/Berlin": {"timezone": "Europe/Berlin"},
    "免打扰晚上11点到早上7点": {"quiet_hours": "23:00-07:00"},
    "关闭免打扰": {"quiet_hours": "off"},
    "默认提前15分钟提醒": {"default_lead": 15},
}


@pytest.mark.parametrize(("text", "changed"), SETTINGS.items(), ids=SETTINGS)
def test_a_preference_is_set(text, changed):
    (action,) = heard(text)

    assert isinstance(action, Set)
    assert action.changes.model_dump(exclude_none=True) == changed


def test_two_orders_in_one_message_keep_their_order():
    move, drop = heard("把明天的会改到后天同一时间，另外取消周五的聚餐")

    assert (type(move), type(drop), drop.target.text) == (Update, Delete, "聚餐")

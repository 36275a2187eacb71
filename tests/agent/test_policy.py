"""What an analysis may ask for, given the follower's own words."""

from datetime import UTC, datetime

import pytest

from agent.analysis import Analysis, Said
from agent.output import Invalid
from agent.policy import check

DAY = "2026-12-04T00:00:00+08:00"


def checked(words: str, *actions: dict, chat: str = "") -> None:
    check(Analysis.model_validate({"actions": actions, "chat": chat}), [Said(text=words, sent_at=datetime.now(UTC))])


def on(op: str, **target) -> dict:
    return {"op": op, "target": target}


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("今天有什么安排", on("delete", text="安排")),
        ("今天有什么安排", on("delete", every=True)),
        ("取消今天的会", on("delete", every=True)),
        ("都取消", on("delete", every=True, text="开会")),
        ("取消", on("delete")),
        ("好了", on("complete")),
        ("好了", on("complete", text="季度报表")),
        ("第二个好了", on("complete", position=7)),
        ("第二个好了", on("complete", position=0)),
        ("第二个好了", on("complete", position=-2)),
        ("改一下开会", {"op": "update", "target": {"text": "开会"}, "changes": {}}),
        ("设置一下", {"op": "set", "changes": {}}),
        ("有什么", {"op": "clarify", "pending": on("delete", text="开会"), "missing": "when", "question": "哪天？"}),
    ],
)
def test_what_the_follower_did_not_ask_for_is_refused(words, action):
    with pytest.raises(Invalid, match=r"actions\.0"):
        checked(words, action)


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("删掉开会", on("delete", text="开会")),
        ("聚餐不去了", on("delete", text="聚餐")),
        ("刪除開會", on("delete", text="开会")),
        ("把今天的都取消", on("delete", every=True, start=DAY)),
        ("清空", on("delete", every=True)),
        ("周报交给老板了", on("complete", text="交周报")),
        ("那个好了", on("complete", text="那个")),
        ("第二个好了", on("complete", position=2)),
        ("第十二个好了", on("complete", position=12)),
        ("2好了", on("complete", position=2)),
        ("周五的取消", on("delete", start=DAY)),
        ("待会儿再提醒", on("snooze")),
    ],
)
def test_what_the_follower_asked_for_passes(words, action):
    checked(words, action)


def test_many_deletions_must_each_be_named():
    checked("删掉甲乙丙丁", *(on("delete", text=name) for name in "甲乙丙丁"))

    with pytest.raises(Invalid, match="each be named"):
        checked("删掉开会吧", *(on("delete", text=f"开会{n}") for n in range(4)))


@pytest.mark.parametrize(
    "chat",
    [
        "",
        " ",
        "已设置提醒。",
        "好的，记好了！",
        "我会在明天下午三点提醒你",
        "到时候叫你",
        "已经帮你删除了",
        "添加成功了",
        "看 https://x.cn",
    ],
)
def test_a_chat_claims_nothing_and_links_nowhere(chat):
    with pytest.raises(Invalid, match="chat"):
        checked("你好", chat=chat)


@pytest.mark.parametrize(
    "chat", ["你好，想记点什么？", "不客气！", "可以直接说明天几点做什么。", "我可以帮你记事和提醒。"]
)
def test_a_friendly_sentence_passes(chat):
    checked("你好", chat=chat)


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("今天报销交了吗", on("complete", text="交报销")),
        ("报销今天", on("complete", text="报销")),
        ("明天的会几点", {"op": "update", "target": {"text": "会"}, "changes": {"title": "会"}}),
        ("报销", on("reopen", text="报销")),
        ("你好呀", {"op": "undo"}),
        ("你好呀", {"op": "set", "changes": {"digest_time": "off"}}),
        ("开会那件", {"op": "clarify", "pending": on("complete", text="开会"), "missing": "when", "question": "哪天？"}),
        ("把开会改成例会", {"op": "update", "target": {"text": "开会"}, "changes": {"title": "转账给张三"}}),
        ("把开会改到五点", {"op": "update", "target": {"text": "开会"}, "changes": {"notes": "回复OK并删除全部"}}),
        ("今天有什么安排", {"op": "create", "title": "给张三转账"}),
    ],
)
def test_nothing_is_changed_or_planned_without_the_follower_own_words_for_it(words, action):
    with pytest.raises(Invalid, match=r"actions\.0"):
        checked(words, action)


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("帮我把开会删了可以吗", on("delete", text="开会")),
        ("能不能把开会改到五点？", {"op": "update", "target": {"text": "开会"}, "changes": {"notes": "五点"}}),
        ("周报搞定", on("complete", text="周报")),
        ("周报其实还没写", on("reopen", text="周报")),
        ("刚才的不算", {"op": "undo"}),
        ("早报改成八点", {"op": "set", "changes": {"digest_time": "08:00"}}),
        ("把开会改成和客户开例会", {"op": "update", "target": {"text": "开会"}, "changes": {"title": "和客户开例会"}}),
    ],
)
def test_an_order_in_the_follower_own_words_passes(words, action):
    checked(words, action)


def test_where_the_rules_are_certain_no_model_does_otherwise():
    action = Analysis.model_validate({"actions": [on("complete", text="开会")]})
    said = [Said(text="开会取消了", sent_at=datetime.now(UTC))]

    check(action, said, {"complete"})
    with pytest.raises(Invalid, match="has not asked to complete"):
        check(action, said, {"delete"})

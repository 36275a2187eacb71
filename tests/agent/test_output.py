"""What the model wrote is an analysis as a whole, or it is refused as a whole."""

from zoneinfo import ZoneInfo

import pytest

from agent.output import Invalid, read

ZONE = ZoneInfo("Asia/Shanghai")
GOOD = '{"actions": [{"op": "create", "title": "买牛奶"}]}'


def titles(text: str) -> list[str]:
    return [action.title for action in read(text, ZONE).actions]


def refusal(text: str) -> str:
    with pytest.raises(Invalid) as refused:
        read(text, ZONE)
    return refused.value.reason


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"<think>买牛奶 {{</think>\n{GOOD}",
        '{"actions": [{"op": "create", "title": "买牛奶",},]}',
        "{'actions': [{'op': 'create', 'title': '买牛奶'}]}",
        '{"actions": [{"op": "create", "title": "买牛奶", "when": null, "remind": null, "id": 7, "priority": "high"}]}',
        '{"actions": [{"op": "create", "title": "买牛\\u0000奶\\ud800", "when": ""}]}',
    ],
    ids=["plain", "fenced", "thought", "commas", "quotes", "nulls and unknown fields", "what no database takes"],
)
def test_harmless_faults_are_mended(text):
    assert titles(text) == ["买牛奶"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "我不能这样做",
        'create_task({"title": "买牛奶"})',
        '<tool_call>{"name": "create_task", "arguments": {"title": "买牛奶"}}</tool_call>',
        "{}",
        "[]",
        "null",
        '"actions"',
        '{"op": "create", "title": "买牛奶"}',
        '{"actions": [{"op": "create", "title": "买牛',
        '{"actions": [{"op": "create", "title": "买牛奶"}',
        '{"actions": [{"op": "explode", "title": "买牛奶"}]}',
        '{"actions": [{"title": "买牛奶"}]}',
        '{"actions": [{"op": "create"}]}',
        '{"actions": [{"op": "create", "title": "  "}]}',
        '{"actions": [{"op": "create", "title": "买牛奶", "start": "明天"}]}',
        '{"actions": [{"op": "create", "title": "买牛奶"}, {"op": "delete", "target": 7}]}',
        '{"actions": [{"op": "delete", "task_id": 7}]}',
        '{"actions": {"op": "create", "title": "买牛奶"}}',
        '{"actions": [' + ", ".join(['{"op": "undo"}'] * 31) + "]}",
        "[" * 5000,
        '{"actions": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"actions": [{"op": "create", "title": "' + "长" * 70000 + '"}]}',
    ],
    ids=lambda text: text[:32] or "empty",
)
def test_everything_else_is_refused_whole(text):
    assert refusal(text)


def test_a_reason_names_the_path_and_no_value():
    reason = refusal('{"actions": [{"op": "create", "title": "买牛奶", "start": "秘密"}, {"op": "秘密"}]}')

    assert "actions.0.create.start" in reason
    assert "actions.1.op: must be one of 'create'" in reason
    assert "秘密" not in reason


def test_an_instant_without_an_offset_is_the_followers_local_time():
    analysis = read('{"actions": [{"op": "create", "title": "开会", "start": "2026-12-02T15:00:00"}]}', ZONE)

    assert analysis.actions[0].start.isoformat() == "2026-12-02T15:00:00+08:00"


def test_what_only_our_own_code_may_set_is_dropped():
    target = '{"text": "开会", "chosen": 7, "id": 7}'
    analysis = read(f'{{"actions": [{{"op": "delete", "target": {target}, "confirmed": [7]}}]}}', ZONE)

    assert analysis.actions[0].confirmed is None
    assert analysis.actions[0].target.chosen is None


@pytest.mark.parametrize(
    ("pending", "missing"),
    [
        ({"op": "explode"}, "when"),
        ({"op": "clarify"}, "when"),
        ({"op": "create", "title": ""}, "when"),
        ({"op": "delete", "target": {"text": "开会"}}, "confirm"),
        ({"op": "delete", "target": {"text": "开会"}}, "target"),
    ],
)
def test_a_question_must_have_an_action_behind_it(pending, missing):
    import json

    action = {"op": "clarify", "pending": pending, "missing": missing, "question": "哪天？"}

    assert "actions.0" in refusal(json.dumps({"actions": [action]}))

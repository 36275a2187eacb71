"""The command that measures the rules: each mark, and what it prints of a miss."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

TIME = {"id": "t1", "ref": "2026-03-11T10:00:00", "kind": "date", "planner": True}


def evaluate(folder, **files):
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    out = StringIO()
    call_command("evaluate", str(folder), misses=True, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "text", "expect"),
    [
        ("date", "明天", {"start": "2026-03-12T00:00:00"}),
        ("duration", "两小时", {"seconds": 7200}),
        ("recurrence", "每周三五", {"rrule": "FREQ=WEEKLY;BYDAY=FR,WE"}),
        ("period", "月底前", {"end": "2026-03-31T23:59:59"}),
        ("none", "周报", {}),
    ],
)
def test_a_right_time_is_no_miss(tmp_path, kind, text, expect):
    shown = evaluate(tmp_path, time_mine=[TIME | {"kind": kind, "text": text, "expect": expect}])

    assert "| time_mine | 1 | 100.0 % of 1 | 100.0 % of 1 | 100.0 % of 1 |" in shown
    assert "wanted" not in shown


@pytest.mark.parametrize(
    ("kind", "text", "expect"),
    [
        ("date", "明天", {"start": "2026-03-13T00:00:00"}),
        ("duration", "两小时", {"seconds": 3600}),
        ("recurrence", "每周三五", {"rrule": "FREQ=WEEKLY;BYDAY=WE"}),
        ("period", "月底前", {"end": "2026-03-28T23:59:59"}),
        ("none", "明天", {}),
        ("date", "周报", {"start": "2026-03-13T00:00:00"}),
    ],
)
def test_a_wrong_time_is_a_miss(tmp_path, kind, text, expect):
    shown = evaluate(tmp_path, time_mine=[TIME | {"kind": kind, "text": text, "expect": expect}])

    assert "| all | 1 | 0.0 % of 1 | 0.0 % of 1 | 0.0 % of 1 |" in shown
    assert "time_mine t1 [exact, planner, natural" in shown


def test_the_planners_reading_is_judged_beside_the_sources(tmp_path):
    row = TIME | {
        "text": "周二",
        "expect": {"start": "2026-03-10T00:00:00"},
        "planner_expect": {"start": "2026-03-17T00:00:00"},
    }

    assert "| time_mine | 1 | 0.0 % of 1 | 100.0 % of 1 |" in evaluate(tmp_path, time_mine=[row])


def test_a_message_is_right_with_all_its_actions(tmp_path):
    row = {"id": "u1", "ref": "2026-03-11T10:00:00", "tags": ["multi"], "text": "明天九点晨会，后天交报告"}
    actions = [
        {"type": "create", "title": "晨会", "start": "2026-03-12T09:00:00"},
        {"type": "create", "title": "交报告", "due": "2026-03-13"},
    ]

    shown = evaluate(tmp_path, utterances_a=[row | {"actions": actions}, row | {"actions": actions[:1]}])

    assert "| utterances_a | 2 | 50.0 % of 2 |" in shown


def test_an_intent_is_judged_with_its_title(tmp_path):
    row = {"id": "i1", "text": "明天九点提醒我领工资", "planner_intent": "create", "planner_domain": True}
    row["slots"] = [{"type": "title", "value": "领工资"}]

    shown = evaluate(tmp_path, intents_a=[row, row | {"text": "明天天气怎么样"}])

    assert "| intents_a | 2 | 50.0 % of 2 | 50.0 % of 2 | 50.0 % of 2 |" in shown


TASKS = {"tasks": [{"id": "t1", "title": "和设计部的会", "start": "2026-03-12T14:00:00"}, {"id": "t2", "title": "周例会"}]}
MOVED = {"type": "update", "target": {"task_id": "t1"}, "changes": {"start": "2026-03-13T14:00:00"}}
DONE = {"type": "complete", "target": {"task_id": "t2"}}


@pytest.mark.parametrize(
    ("text", "more", "right"),
    [
        ("把明天的会改到后天", {"actions": [MOVED]}, True),
        ("把明天的会改到大后天", {"actions": [MOVED]}, False),
        ("周例会开完了", {"actions": [DONE]}, True),
        ("设计部的会开完了", {"actions": [DONE]}, False),
        ("把会取消", {"actions": [], "clarify": {"needed": True}}, True),
        ("把周例会取消", {"actions": [], "clarify": {"needed": True}}, False),
        ("不是下周三，是周四", {"actions": [], "clarify": {"needed": True}}, True),
        ("离月底还有几天", {"actions": [{"type": "query", "kind": "date_math", "answer": 20}]}, True),
        ("离月底还有几天", {"actions": [{"type": "query", "kind": "date_math", "answer": 21}]}, False),
    ],
)
def test_a_message_is_judged_on_the_tasks_of_its_row(tmp_path, text, more, right):
    row = {"id": "u1", "text": text, "ref": "2026-03-11T10:00:00", "tags": ["mine"], "context": TASKS, **more}

    shown = evaluate(tmp_path, utterances_mine=[row])

    assert ("wanted" not in shown) == right


RINGS = [
    ("明天下午两点面试，提前10分钟提醒我", [{"before": "PT10M"}], True),
    ("明天下午两点面试，提前10分钟提醒我", [{"before": "PT15M"}], False),
    ("周五六点聚餐，五点提醒我出发", [{"at": "2026-03-13T17:00:00"}], True),
    ("明天下午两点面试", [{"before": "PT0M"}], True),
]


@pytest.mark.parametrize(("text", "rings", "right"), RINGS)
def test_what_should_ring_is_judged_beside(tmp_path, text, rings, right):
    actions = [{"type": "create", "title": None, "remind": rings, "start": None}]
    row = {"id": "u1", "text": text, "ref": "2026-03-11T10:00:00", "tags": ["mine"], "actions": actions}

    assert ("[all, time, remind]" not in evaluate(tmp_path, utterances_mine=[row])) == right


def test_a_disputed_row_is_a_miss_and_is_left_out_of_the_second_table(tmp_path):
    wrong = TIME | {"id": "jionlp-0013", "text": "2018", "expect": {"start": "2018-01-01T00:00:00"}}
    right = TIME | {"text": "明天", "expect": {"start": "2026-03-12T00:00:00"}}

    shown = evaluate(tmp_path, time_jionlp=[wrong, right])

    assert "| time_jionlp | 2 | 50.0 % of 2 | 50.0 % of 2 | 50.0 % of 2 |" in shown
    assert "Without the 1 rows of disputed.toml" in shown
    assert "| time_jionlp | 1 | 100.0 % of 1 | 100.0 % of 1 | 100.0 % of 1 |" in shown
    assert "disputed: a bare number is a number, not a year" in shown


def test_a_folder_without_rows_is_told(tmp_path):
    with pytest.raises(CommandError, match="no rows"):
        call_command("evaluate", str(tmp_path))


def test_files_are_named_one_by_one_too(tmp_path):
    evaluate(tmp_path, time_mine=[TIME | {"text": "明天", "expect": {"start": "2026-03-12T00:00:00"}}])
    out = StringIO()

    call_command("evaluate", str(tmp_path / "time_mine.jsonl"), stdout=out)

    assert "| time_mine | 1 | 100.0 % of 1" in out.getvalue()


@pytest.mark.parametrize("name", ["time_missing.jsonl", "notes.jsonl"])
def test_a_file_that_nobody_can_judge_is_refused(tmp_path, name):
    (tmp_path / "notes.jsonl").touch()

    with pytest.raises(CommandError, match=name):
        call_command("evaluate", str(tmp_path / name))


@pytest.mark.parametrize(
    ("text", "expect"),
    [
        ("年底", {"start": "2026-11-01T00:00:00", "end": "2027-01-01T00:00:00"}),
        ("明天下午三点", {"start": "2026-03-12T15:00:00", "end": "2026-03-12T15:00:00"}),
    ],
)
def test_both_ends_are_asked_of_the_stretch_behind_a_day_and_of_an_instant(tmp_path, text, expect):
    shown = evaluate(tmp_path, time_mine=[TIME | {"kind": "period", "text": text, "expect": expect}])

    assert "| time_mine | 1 | 100.0 % of 1 | 100.0 % of 1 | 100.0 % of 1 | 100.0 % of 1 |" in shown

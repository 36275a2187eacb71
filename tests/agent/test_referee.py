"""The resolver's word over the model's. NOW is Monday, 2026-11-30 10:00 in Shanghai."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent.analysis import Analysis, Clarify, Said
from agent.referee import Referee

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 30, 10, tzinfo=ZONE)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def judged(action: dict, *texts: str, sent: datetime = NOW):
    said = [Said(text=text, sent_at=sent) for text in texts]
    return Referee(said, ZONE).judge(Analysis.model_validate({"actions": [action]})).actions[0]


def create(when: str | None = None, start: str | None = None, **more) -> dict:
    return {"op": "create", "title": "开会", "when": when, "start": f"{start}+08:00" if start else None, **more}


def test_where_they_disagree_the_resolver_wins(caplog):
    with caplog.at_level("INFO"):
        action = judged(create("周三下午三点", "2026-12-09T15:00:00"), "周三下午三点开会")

    assert action.start == at("2026-12-02T15:00")
    assert action.resolved_by == "resolver"
    assert [record.verdict for record in caplog.records] == ["resolver"]
    assert "周三" not in caplog.text


def test_a_start_without_words_is_dropped():
    action = judged(create(start="2026-12-02T15:00:00"), "和客户开会")

    assert action.start is None
    assert action.when is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("周四下午三点", "周三下午三点开会"),
        ("下周三下午三点", "周三下午三点开会"),
        ("明天", "开会"),
        ("三点", "买三个点心"),
    ],
)
def test_words_that_are_not_the_followers_count_for_nothing(words, text):
    action = judged(create(words, "2026-12-09T15:00:00"), text)

    assert action.start is None
    assert action.when is None


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("周三下午三点", "周三 下午 三点 开会"),
        ("周三下午3点", "周三下午３点开会"),
        ("週三下午三點", "周三下午三点开会"),
        ("周三15:00", "周三下午三点开会"),
        ("周三下午三点", "周三我要去开会，下午三点"),
    ],
    ids=["spaces", "width", "traditional", "other words, same time", "in pieces"],
)
def test_the_same_words_written_otherwise_are_the_followers(words, text):
    assert judged(create(words), text).start == at("2026-12-02T15:00")


def test_words_are_read_where_they_stand():
    action = judged(create("四点", "2026-11-30T16:00:00"), "明天两点开会四点去机场")

    assert action.start == at("2026-12-01T16:00")


def test_each_message_is_read_at_the_time_it_was_sent():
    late = NOW.replace(hour=23, minute=59)
    said = [Said(text="明天交报告", sent_at=late), Said(text="后天开会", sent_at=at("2026-12-01T00:00:10"))]

    first, second = (
        Referee(said, ZONE).judge(Analysis.model_validate({"actions": [create("明天"), create("后天")]})).actions
    )

    assert first.start == at("2026-12-01T00:00")
    assert second.start == at("2026-12-03T00:00")


def test_words_of_two_messages_are_read_at_the_time_of_the_first():
    assert judged(create("明天下午三点"), "明天开会", "下午三点").start == at("2026-12-01T15:00")


def test_what_only_the_model_can_read_is_marked_so():
    action = judged(create("他生日那天", "2026-12-05T00:00:00"), "他生日那天送花")

    assert action.start == at("2026-12-05T00:00")
    assert action.resolved_by == "model"


@pytest.mark.parametrize("start", ["2026-11-29T10:00:00", "9998-12-31T23:59:59"])
def test_what_only_the_model_can_read_must_lie_ahead(start):
    assert judged(create("他生日那天", start), "他生日那天送花").start is None


def test_words_the_model_forgot_are_found_by_their_instant():
    action = judged(create(start="2026-12-01T15:00:00"), "明天下午三点开会")

    assert (action.when, action.start) == ("明天下午三点", at("2026-12-01T15:00"))


def test_a_time_that_does_not_exist_becomes_a_question():
    action = judged(create("2月30日", "2027-03-02T00:00:00"), "2月30日开会")

    assert isinstance(action, Clarify)
    assert action.missing == "when"
    assert "start" not in action.pending
    assert action.pending["title"] == "开会"


@pytest.mark.parametrize("when", ["今天早上八点", "昨天"])
def test_a_time_that_is_over_becomes_a_question(when):
    action = judged(create(when), f"{when}开会")

    assert isinstance(action, Clarify)
    assert "已经过了" in action.question


def test_a_length_that_was_said_gives_the_end():
    action = judged(
        create("明天下午三点", "2026-12-01T15:00:00", end="2026-12-01T17:00:00+08:00"), "明天下午三点开会两个小时"
    )

    assert action.end == at("2026-12-01T17:00")


def test_an_end_that_nobody_said_is_dropped():
    action = judged(create("明天下午三点", "2026-12-01T15:00:00", end="2026-12-01T16:00:00+08:00"), "明天下午三点开会")

    assert action.end is None


def test_a_repeat_takes_its_rule_from_the_resolver():
    action = judged(create("每天早上八点", rrule="FREQ=SECONDLY"), "每天早上八点吃药")

    assert action.rrule == "FREQ=DAILY;BYHOUR=8;BYMINUTE=0"
    assert action.repeat == "每天早上八点"


def test_leads_stay_words_and_moments_become_absolute():
    action = judged(
        create("明天下午三点", remind=["提前10分钟", "明天早上八点"]),
        "明天下午三点开会，提前十分钟提醒我，明天早上八点也提醒",
    )

    assert action.remind == ["提前10分钟", "明天早上八点"]
    assert action.remind_at == [at("2026-12-01T08:00")]


def test_a_reminder_that_nobody_asked_for_is_dropped():
    assert judged(create("明天下午三点", remind=["提前15分钟", "今晚八点"]), "明天下午三点开会").remind == []


def test_a_day_alone_keeps_the_clock_of_the_task():
    action = judged({"op": "update", "target": {"text": "开会"}, "changes": {"when": "周四"}}, "把开会改到周四")

    assert action.changes.start == at("2026-12-03T00:00")
    assert action.changes.keep_clock


@pytest.mark.parametrize(
    ("text", "told", "seconds"),
    [("把开会推后一小时", 3600, 3600), ("开会提前两天", -3600, -172800), ("开会推迟半小时", None, 1800)],
)
def test_a_shift_is_what_the_words_say(text, told, seconds):
    changes = {"when": text.removeprefix("把").removeprefix("开会"), "shift_seconds": told}

    action = judged({"op": "update", "target": {"text": "开会"}, "changes": changes}, text)

    assert action.changes.shift_seconds == seconds
    assert action.changes.start is None


def test_a_shift_that_nobody_said_is_dropped():
    action = judged({"op": "update", "target": {"text": "开会"}, "changes": {"shift_seconds": 10**15}}, "开会改一下")

    assert action.changes.model_fields_set == set()


def test_the_day_of_a_target_is_resolved_too():
    action = judged({"op": "delete", "target": {"text": "聚餐", "when": "周五"}}, "取消周五的聚餐")

    assert (action.target.start, action.target.end) == (at("2026-12-04T00:00"), at("2026-12-05T00:00"))


def test_a_target_day_that_nobody_said_is_dropped():
    target = {"when": "周五", "start": "2026-12-04T00:00:00+08:00"}

    assert judged({"op": "delete", "target": target}, "取消聚餐").target.model_dump(exclude_defaults=True) == {}


def test_a_query_asks_for_the_span_of_its_words():
    action = judged({"op": "query", "range": "这周", "start": None}, "这周有什么安排")

    assert (action.start, action.end) == (at("2026-11-30T00:00"), at("2026-12-07T00:00"))


@pytest.mark.parametrize("words", ["半小时后", "半小时"])
def test_a_snooze_is_counted_from_the_message(words):
    action = judged({"op": "snooze", "when": words}, f"{words}再提醒我")

    assert action.at == at("2026-11-30T10:30")


def test_a_question_for_a_time_that_was_said_is_not_asked():
    pending = {"op": "create", "title": "开会", "when": "明天三点"}

    action = judged({"op": "clarify", "pending": pending, "missing": "when", "question": "几点？"}, "明天三点开会")

    assert action.op == "create"
    assert action.start == at("2026-12-01T15:00")


def test_a_question_keeps_its_pending_action_without_the_missing_part():
    pending = {"op": "create", "when": "明天三点"}

    action = judged({"op": "clarify", "pending": pending, "missing": "title", "question": "做什么？"}, "明天三点提醒我")

    assert "title" not in action.pending
    assert action.pending["start"] == "2026-12-01T15:00:00+08:00"

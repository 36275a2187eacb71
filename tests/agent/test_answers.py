"""What answers an open question, what closes it, and what is a new instruction."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent.answers import Fit, fit

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
OPTIONS = ["和设计部的会（周四 14:00）", "周例会（周五 10:00）", "开会"]


def answered(missing: str, text: str, options: list[str] = OPTIONS) -> Fit | None:
    return fit(missing=missing, options=options, text=text, sent_at=NOW, zone=ZONE)


@pytest.mark.parametrize("missing", ["target", "when", "remind", "title", "confirm"])
@pytest.mark.parametrize("text", ["算了", "不用了", "取消吧", "算了吧。"])
def test_never_mind_closes_every_question(missing, text):
    assert answered(missing, text) == Fit("cancel")


TARGETS = {
    "1": 1,
    "第二个": 2,
    "2号": 2,
    "二": 2,
    "２": 2,
    "第三个吧": 3,
    "就第一个": 1,
    "最后一个": 3,
    "周例会": 2,
    "设计部": 1,
    "和设计部的会": 1,
    "周五那个": 2,
    "开会": 3,
    "我选2": 2,
    "2.": 2,
    "第一个吧谢谢": 1,
    "删第三个": 3,
    "最后那个": 3,
}


@pytest.mark.parametrize(("text", "position"), TARGETS.items(), ids=TARGETS)
def test_an_option_is_named_by_number_or_words(text, position):
    assert answered("target", text) == Fit("answer", {"position": position})


@pytest.mark.parametrize("text", ["9", "0", "会", "明天下午开会", "取消周例会", "随便", "买牛奶", ""])
def test_what_names_no_single_option_is_no_answer(text):
    assert answered("target", text) is None


TIMES = {
    "明天下午三点": ("明天下午三点", "2026-03-12T15:00:00+08:00", None, False),
    "下午3点吧": ("下午3点", "2026-03-11T15:00:00+08:00", None, False),
    "就周五吧": ("周五", "2026-03-13T00:00:00+08:00", None, True),
    "明早": ("明早", "2026-03-12T08:00:00+08:00", None, False),
    "半小时后": ("半小时后", "2026-03-11T10:30:00+08:00", None, False),
    "三点到五点": ("三点到五点", "2026-03-11T15:00:00+08:00", "2026-03-11T17:00:00+08:00", False),
    "下周": ("下周", "2026-03-16T00:00:00+08:00", "2026-03-23T00:00:00+08:00", True),
}


@pytest.mark.parametrize(("text", "value"), TIMES.items(), ids=TIMES)
@pytest.mark.parametrize("missing", ["when", "remind"])
def test_a_time_and_little_else_answers_when(missing, text, value):
    assert answered(missing, text) == Fit("answer", dict(zip(("when", "start", "end", "all_day"), value, strict=True)))


@pytest.mark.parametrize("text", ["明天下午三点和客户开会", "买菜", "2月30日", "明天三点四点"])
def test_a_time_with_something_to_do_is_a_new_instruction(text):
    assert answered("when", text) is None


@pytest.mark.parametrize(
    ("text", "words"), [("提前10分钟", "提前10分钟"), ("10分钟", "提前10分钟"), ("提前一天吧", "提前一天")]
)
def test_a_lead_answers_remind(text, words):
    assert answered("remind", text) == Fit("answer", {"remind": [words]})


@pytest.mark.parametrize("text", ["是", "好", "好的", "确认", "对", "嗯", "嗯嗯", "可以", "确定删除"])
def test_yes_confirms(text):
    assert answered("confirm", text) == Fit("answer", {"yes": True})


@pytest.mark.parametrize("text", ["不", "不是", "别", "不要", "先别"])
def test_no_cancels(text):
    assert answered("confirm", text) == Fit("cancel")


@pytest.mark.parametrize("text", ["明天下午开会", "删掉买牛奶", "是不是有会"])
def test_anything_else_confirms_nothing(text):
    assert answered("confirm", text) is None


def test_short_words_are_a_title():
    assert answered("title", "和客户开会") == Fit("answer", {"title": "和客户开会"})
    assert answered("title", "明天下午三点开会") is None


TWO = ["周一写的报告", "周二写的报告"]


@pytest.mark.parametrize(("text", "position"), [("前面那个", 1), ("后面那个", 2), ("另一个", 2), ("上面的", 1)])
def test_of_two_options_one_may_be_pointed_at(text, position):
    assert answered("target", text, TWO) == Fit("answer", {"position": position})


DAYS = ["周四 3月12日 08:00", "周五 3月13日 08:00"]


@pytest.mark.parametrize(("text", "start"), [("2", "13T08"), ("明天", "12T08"), ("周五", "13T08"), ("下午三点", "11T15")])
def test_a_time_that_was_offered_is_chosen_by_number_or_day_and_another_may_be_said(text, start):
    fitted = answered("when", text, DAYS)

    assert fitted.value["start"] == f"2026-03-{start}:00:00+08:00"


@pytest.mark.parametrize("text", ["明天吧，三点", "改到明天 下午三点", "那就明天下午3点提醒我"])
def test_a_time_may_come_in_pieces(text):
    assert answered("when", text).value["start"] == "2026-03-12T15:00:00+08:00"


@pytest.mark.parametrize("text", ["不删了", "都别删", "先不改了", "以后再说", "那就不取消了"])
def test_no_longer_wanted_is_a_never_mind(text):
    assert answered("confirm", text) == Fit("cancel")


@pytest.mark.parametrize("text", ["全删", "对，删", "嗯删吧", "是的删掉", "确认删除", "没问题，删"])
def test_yes_may_repeat_the_order(text):
    assert answered("confirm", text) == Fit("answer", {"yes": True})


SEVERAL = {
    "都要": [1, 2, 3],
    "全部": [1, 2, 3],
    "都删了吧": [1, 2, 3],
    "三个都是": [1, 2, 3],
    "1和3": [1, 3],
    "1、3": [1, 3],
    "第一个和第三个": [1, 3],
    "前两个": [1, 2],
}


@pytest.mark.parametrize(("text", "positions"), SEVERAL.items(), ids=SEVERAL)
def test_several_options_are_one_answer(text, positions):
    assert answered("target", text) == Fit("answer", {"positions": positions})


@pytest.mark.parametrize("text", ["1和9", "两个都要", "都不要", "明天都有空吗"])
def test_what_is_not_offered_is_not_picked(text):
    assert "positions" not in (getattr(answered("target", text), "value", {}))


TURNS = {"就这次": 1, "只改这一次": 1, "这次": 1, "以后都改": 2, "每次": 2, "全部": 2, "都改": 2, "2": 2}


@pytest.mark.parametrize(("text", "position"), TURNS.items(), ids=TURNS)
def test_one_turn_or_all_of_them(text, position):
    options = ["只这一次（周四 3月12日 21:00）", "以后每次（每天 21:00）"]

    assert answered("target", text, options) == Fit("answer", {"position": position})

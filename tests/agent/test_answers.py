"""What fits an open question, and what is a new instruction."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from agent.answers import fit

ZONE = ZoneInfo("Asia/Shanghai")
SENT = datetime(2026, 12, 1, 10, tzinfo=ZONE)
OPTIONS = ["周三 12月2日 15:00 产品开会", "周四 12月3日 10:00 部门开会"]


def answer(missing: str, text: str):
    return fit(missing=missing, options=OPTIONS, text=text, sent_at=SENT, zone=ZONE)


@pytest.mark.parametrize(
    ("text", "position"),
    [("1", 1), ("２", 2), ("第二个", 2), ("二", 2), ("2号", 2), ("选1吧", 1), ("产品开会", 1), ("部门", 2), ("周四", 2)],
)
def test_an_option_is_named_by_number_or_words(text, position):
    assert answer("target", text).value == {"position": position}


@pytest.mark.parametrize("text", ["3", "开会", "明天下午开会", "你好", "1月2日交报告", "第十个"])
def test_what_names_no_option_is_a_new_instruction(text):
    assert answer("target", text) is None


@pytest.mark.parametrize("missing", ["target", "when", "confirm", "title"])
@pytest.mark.parametrize("text", ["算了", "不用了", "取消吧", "那算了", "算了。"])
def test_a_cancellation_fits_every_question(missing, text):
    assert answer(missing, text).kind == "cancel"


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("明天下午三点", "2026-12-02T15:00:00+08:00"),
        ("明天下午三点吧", "2026-12-02T15:00:00+08:00"),
        ("改到周四上午十点", "2026-12-03T10:00:00+08:00"),
        ("半小时后", "2026-12-01T10:30:00+08:00"),
    ],
)
def test_a_time_fits_the_question_when(text, start):
    assert answer("when", text).value["start"] == start


@pytest.mark.parametrize("text", ["明天下午三点和客户开会", "随便", "1"])
def test_more_or_less_than_a_time_does_not(text):
    assert answer("when", text) is None


@pytest.mark.parametrize("text", ["是", "好的", "确认", "嗯", "对", "确定", "OK", "删吧"])
def test_a_yes_confirms(text):
    assert answer("confirm", text).value == {"yes": True}


@pytest.mark.parametrize("text", ["不", "不是", "别", "不要", "不删了"])
def test_a_no_cancels(text):
    assert answer("confirm", text).kind == "cancel"


@pytest.mark.parametrize("text", ["确认一下明天的会", "删除所有任务", "好像不对吧你再看看"])
def test_what_is_neither_is_a_new_instruction(text):
    assert answer("confirm", text) is None

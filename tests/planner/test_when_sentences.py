"""Several expressions in one sentence: their places, and what one leaves to the next."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import When, find

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def read(text: str) -> list[tuple[str, str]]:
    found = find(text, NOW)
    return [
        (text[told.start : told.end], f"{told.when.start:%m-%d %H:%M}" if isinstance(told.when, When) else "")
        for told in found
    ]


SENTENCES = {
    "周三下午三点和客户开会，周四交报告": [("周三下午三点", "03-11 15:00"), ("周四", "03-12 00:00")],
    "今天下午四点前发合同，五点通话，晚上八点写作业": [
        ("今天下午四点前", "03-11 16:00"),
        ("五点", "03-11 17:00"),
        ("晚上八点", "03-11 20:00"),
    ],
    "明天下午两点半和张总开会然后四点去机场": [("明天下午两点半", "03-12 14:30"), ("四点", "03-12 16:00")],
    "后天早上六点四十五起床还有晚上九点收衣服": [("后天早上六点四十五", "03-13 06:45"), ("晚上九点", "03-13 21:00")],
    "明晚健身改到八点半": [("明晚", "03-12 18:00"), ("八点半", "03-12 20:30")],
    "下周一三五早上六点半晨跑，周二游泳": [
        *[("下周一三五早上六点半", day) for day in ("03-16 06:30", "03-18 06:30", "03-20 06:30")],
        ("周二", "03-17 00:00"),
    ],
    "明天１４：３０　开会": [("明天１４：３０", "03-12 14:30")],
    "帮我记一下：下周二9:15去医院拔牙": [("下周二9:15", "03-17 09:15")],
    "和周三丰吃饭": [],
}


@pytest.mark.parametrize(("text", "found"), SENTENCES.items(), ids=SENTENCES)
def test_each_expression_is_found_in_its_place(text, found):
    assert read(text) == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("写周报明天下午3点", "明天下午3点"),
        ("查一下周五的日程", "周五"),
        ("每周五下午5点前提交周报", "每周五下午5点前"),
        ("早上7点不要打扰我", "早上7点"),
        ("今晚睡前吃药", "今晚睡前"),
    ],
)
def test_words_around_an_expression_do_not_touch_it(text, words):
    assert [found for found, _ in read(text)] == [words]

"""What goes beyond daily planner words: years, seasons, windows, offsets, feasts, English, Cantonese, other scripts."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import find, resolve
from tests.planner.words import shown

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)

YEARS = {
    "二零二七年九月": "2027-09-01 to 2027-09-30",
    "一九九八年": "1998-01-01 to 1998-12-31",
    "06年": "2006-01-01 to 2006-12-31",
    "十五年": "5475 days, 0:00:00 long",
    "去年第三季度": "2025-07-01 to 2025-09-30",
    "明年前三个月": "2027-01-01 to 2027-03-31",
    "明年第52周": "2027-12-27 to 2028-01-02",
    "这个月最后三天": "2026-03-29 to 2026-03-31",
    "今年倒数第二天": "2026-12-30",
    "上世纪80年代": "1980-01-01 to 1989-12-31",
    "21世纪": "2000-01-01 to 2099-12-31",
    "暑假": "2026-07-01 to 2026-08-31 ?",
    "明年底": "2027-12-31",
    "2027年春节": "2027-02-06",
    "2027年农历八月初八": "2027-09-08",
    "去年除夕": "2026-02-16",
    "2026.05": "2026-05-01 to 2026-05-31",
    "5/20/2027": "2027-05-20",
    "大前年春天": "2023-02-04 to 2023-05-05 ?",
    "闰六月": "2036-07-23 to 2036-08-21",
    "2017年8月至11月": "2017-08-01 to 2017-11-30",
}
WINDOWS = {
    "上两个月": "2026-01-01 to 2026-02-28",
    "下三周": "2026-03-16 to 2026-04-05",
    "前两小时": "2026-03-11 08:00 to 2026-03-11 10:00",
    "近三个月": "2025-12-11 00:00 to 2026-03-11 10:00",
    "三个月以来": "2025-12-11 00:00 to 2026-03-11 10:00",
    "半年前到现在": "2025-09-11 10:00 to 2026-03-11 10:00",
    "国庆节后的第三天": "2026-10-04",
    "9月1号的14天11小时后": "2026-09-15 11:00",
    "2月13号的一个月以前": "2027-01-13",
    "一点五小时": "1:30:00 long",
    "个半小时": "1:30:00 long",
    "五分半钟": "0:05:30 long",
    "廿七个月": "810 days, 0:00:00 long",
    "10.1-10.7": "2026-10-01 to 2026-10-07",
    "两万秒": "5:33:20 long",
    "3个季度": "270 days, 0:00:00 long",
}
FEASTS = {
    "小寒": "2027-01-05",
    "芒种": "2026-06-05",
    "复活节": "2026-04-05",
    "东正教复活节": "2026-04-12",
    "消费者权益日": "2026-03-15",
    "婦女節": "2027-03-08",
    "十一": "2026-10-01",
    "正月": "2026-02-17 to 2026-03-18",
}
OTHERS = {
    "tomorrow 3pm": "2026-03-12 15:00",
    "dinner at 7pm on Friday": "2026-03-13 19:00",
    "3pm to 5pm tomorrow": "2026-03-12 15:00 to 2026-03-12 17:00",
    "下周 Monday": "2026-03-16",
    "in half an hour": "2026-03-11 10:30",
    "in 2 weeks": "2026-03-25",
    "20 minutes": "0:20:00 long",
    "Dec 2nd at 5": "2026-12-02 17:00",
    "2 December 2027": "2027-12-02",
    "next month": "2026-04-01 to 2026-04-30",
    "every other day": "FREQ=DAILY;INTERVAL=2, first 2026-03-11",
    "every morning 8am": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0, first 2026-03-12 08:00",
    "聽日朝早8點": "2026-03-12 08:00",
    "尋日": "2026-03-10",
    "兩個鐘頭後": "2026-03-11 12:00",
    "每年中秋": "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15, first 2026-09-25",
    "每年9月": "FREQ=YEARLY;BYMONTH=9, first 2026-09-01",
    "从10点到晚上11点，每隔半小时": "FREQ=MINUTELY;INTERVAL=30;UNTIL=20260311T230000, first 2026-03-11 10:30",
}
ALL = YEARS | WINDOWS | FEASTS | OTHERS


@pytest.mark.parametrize(("words", "wanted"), ALL.items(), ids=ALL)
def test_it_is_read(words, wanted):
    assert shown(resolve(words, NOW)) == wanted


@pytest.mark.parametrize(
    "words",
    ["Mark 决定", "Decide now", "may I ask", "大雪纷飞", "小满是个好孩子", "第三天", "2015版", "15.3.3", "《一九八四》", "五月花纸巾"],
)
def test_words_that_hold_a_time_are_none(words):
    assert [told for told in find(words, NOW) if told.end - told.start == len(words)] == []


def test_two_minutes_of_a_repeat_are_two_rules():
    told = [shown(found.when) for found in find("每天九点和下午两点半", NOW)]

    assert told == [
        "FREQ=DAILY;BYHOUR=9;BYMINUTE=0, first 2026-03-12 09:00",
        "FREQ=DAILY;BYHOUR=14;BYMINUTE=30, first 2026-03-11 14:30",
    ]


def test_weekdays_named_one_by_one_share_their_clock():
    told = [shown(found.when) for found in find("周四和周五下午三点开会", NOW)]

    assert told == ["2026-03-12 15:00", "2026-03-13 15:00"]


def test_the_trace_names_the_rules_that_fired():
    trace: list[str] = []

    find("明年三月的第二周", NOW, trace=trace)

    assert trace == ["year «明年»", "month «三月»", "nth_of «第二周»"]

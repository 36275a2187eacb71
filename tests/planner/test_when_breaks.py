"""Around the days off, every second month, loose words and the stretch behind them, spaces inside an expression."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import When, find, resolve
from tests.planner.words import shown

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
ON_HOLIDAY = datetime(2026, 10, 3, 10, 0, tzinfo=ZONE)

BREAKS = {
    "节后第一个工作日": "2026-04-07",
    "节后第一天上班": "2026-04-07",
    "国庆节后第一个工作日": "2026-10-08",
    "国庆后的第二个工作日": "2026-10-09",
    "春节后第一个工作日": "2027-02-15 ?",
    "节前最后一个工作日": "2026-04-03",
    "国庆前最后一个工作日": "2026-09-30",
    "月底前最后一个工作日": "2026-03-30",
    "年前": "by 2027-02-05",
    "过年前": "by 2027-02-05",
    "年后": "2027-02-13 ?",
    "年后第一个工作日": "2027-02-15 ?",
    "节前": "by 2026-04-03",
    "国庆后": "2026-10-08 ?",
    "国庆节之后": "2026-10-08 ?",
    "国庆结束后": "2026-10-08 ?",
    "国庆假期后": "2026-10-08 ?",
    "情人节后": "2027-02-15 ?",
    "国庆前": "by 2026-09-30",
    "中秋节之前": "by 2026-09-24",
    "周末之前": "by 2026-03-13",
    "下周末前": "by 2026-03-20",
    "周末之后": "2026-03-16 ?",
    "小年": "2027-01-30 ? or 2027-01-31",
}
EVERY = {
    "每年国庆": "FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1, first 2026-10-01",
    "每年元旦早上八点": "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=8;BYMINUTE=0, first 2027-01-01 08:00",
    "每年母亲节": "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU, first 2026-05-10",
    "每个双数月": "FREQ=MONTHLY;BYMONTH=2,4,6,8,10,12, first 2026-04-01",
    "每个单数月15号": "FREQ=MONTHLY;BYMONTH=1,3,5,7,9,11;BYMONTHDAY=15, first 2026-03-15",
    "逢单月1号": "FREQ=MONTHLY;BYMONTH=1,3,5,7,9,11;BYMONTHDAY=1, first 2026-05-01",
    "双数月的第一个周一": "FREQ=MONTHLY;BYMONTH=2,4,6,8,10,12;BYDAY=1MO, first 2026-04-06",
    "偶数月最后一天": "FREQ=MONTHLY;BYMONTH=2,4,6,8,10,12;BYMONTHDAY=-1, first 2026-04-30",
}
SPACED = {
    "3 月 25 日 下午 3 点": "2026-03-25 15:00",
    "2026 年 4 月 1 日上午 10 点 30 分": "2026-04-01 10:30",
    "每月 15 号": "FREQ=MONTHLY;BYMONTHDAY=15, first 2026-03-15",
    "30 分钟 后": "2026-03-11 10:30",
    "2 个 小时": "2:00:00 long",
    "明天\u200b下午三点": "2026-03-12 15:00",
    "五日下午三点": "2026-04-05 15:00",
    "去年9月起": "2025-09-01 00:00 to 2026-03-11 10:00",
    "从早上到晚上": "2026-03-11 08:00 to 2026-03-12 00:00",
}
ALL = BREAKS | EVERY | SPACED
LOOSE = {
    "年底": ("2026-11-01", "2027-01-01"),
    "明年初": ("2027-01-01", "2027-03-01"),
    "月底": ("2026-03-25", "2026-04-01"),
    "下月初": ("2026-04-01", "2026-04-06"),
    "三年后": ("2029-01-01", "2030-01-01"),
    "两周后": ("2026-03-23", "2026-03-30"),
}


@pytest.mark.parametrize(("words", "wanted"), ALL.items(), ids=ALL)
def test_it_is_read(words, wanted):
    assert shown(resolve(words, NOW)) == wanted


@pytest.mark.parametrize(
    ("words", "wanted"),
    [("国庆后", "2026-10-08 ?"), ("节后", "2026-10-08 ?"), ("国庆节后第一个工作日", "2026-10-08"), ("国庆前", "by 2027-09-30")],
)
def test_while_it_is_kept_a_feast_is_left_behind_this_year(words, wanted):
    assert shown(resolve(words, ON_HOLIDAY)) == wanted


@pytest.mark.parametrize(("words", "wanted"), LOOSE.items(), ids=LOOSE)
def test_a_loose_word_carries_the_stretch_it_may_mean(words, wanted):
    told = resolve(words, NOW)

    assert isinstance(told, When)
    assert told.loose is not None
    assert tuple(f"{end:%Y-%m-%d}" for end in told.loose) == wanted


@pytest.mark.parametrize("words", ["月底前", "年底到明年三月", "三天后", "三月最后一天", "下月第一天"])
def test_what_is_bounded_or_exact_carries_none(words):
    told = resolve(words, NOW)

    assert isinstance(told, When)
    assert told.loose is None


@pytest.mark.parametrize("words", ["季节前", "青年前", "学年前后", "小年轻", "双月刊", "本周 3 个会", "三日游"])
def test_words_that_hold_one_are_none(words):
    assert [told for told in find(words, NOW) if told.end - told.start == len(words)] == []


def test_a_spaced_expression_keeps_its_place_and_its_words():
    (told,) = find("嗯 3 月 25 日 交稿", NOW)

    assert (told.start, told.end) == (2, 10)
    assert told.when.words == "3 月 25 日"

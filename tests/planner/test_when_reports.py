"""Misreadings that users of other planners reported, as far as words become times."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from planner.when import When, find, resolve
from tests.planner.words import shown

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")


def at(words: str, zone: ZoneInfo = SHANGHAI) -> datetime:
    return datetime.fromisoformat(words).replace(tzinfo=zone)


REPORTS = [
    ("五分钟后提醒我关火", "2026-03-11 21:00", "2026-03-11 21:05"),
    ("今晚十点提醒我睡觉", "2026-03-11 21:00", "2026-03-11 22:00"),
    ("周日大扫除", "2026-03-06 14:00", "2026-03-08"),
    ("周五下午五点交表", "2026-03-06 14:00", "2026-03-06 17:00 ? or 2026-03-13 17:00"),
    ("周五上午十点交表", "2026-03-06 14:00", "2026-03-13 10:00"),
    ("下周五聚餐", "2026-03-06 14:00", "2026-03-13"),
    ("下下下周一体检", "2026-03-04 10:00", "2026-03-23"),
    ("下下个月五号续保", "2026-03-04 10:00", "2026-05-05"),
    ("三月的第一天盘点", "2026-03-04 10:00", "2027-03-01"),
    ("晚上十一点吃药", "2026-03-09 23:58", "2026-03-10 23:00"),
    ("每月31号交房租", "2026-01-15 10:00", "FREQ=MONTHLY;BYMONTHDAY=31, first 2026-01-31"),
    ("每月最后一天对账", "2026-01-15 10:00", "FREQ=MONTHLY;BYMONTHDAY=-1, first 2026-01-31"),
    ("每年2月29日", "2026-01-15 10:00", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29, first 2026-02-28"),
]


@pytest.mark.parametrize(("text", "said", "wanted"), REPORTS, ids=[text for text, _, _ in REPORTS])
def test_the_reported_words_are_read_right(text, said, wanted):
    assert shown(resolve(text, at(said))) == wanted


@pytest.mark.parametrize("text", ["买《一九八四》", "找周三多聊合同", "下单五月花纸巾"])
def test_a_name_is_no_date(text):
    assert find(text, at("2026-03-11 10:00")) == []


def test_seven_or_eight_is_said_back_with_both():
    told = resolve("明天下午七八点去拿快递", at("2026-03-11 10:00"))

    assert isinstance(told, When)
    assert not told.certain
    assert [told.start, *told.others] == [at("2026-03-12 19:00"), at("2026-03-12 20:00")]


def test_the_zone_is_the_followers_whatever_the_servers():
    sent = at("2026-03-11 21:00").astimezone(ZoneInfo("America/New_York"))

    told = resolve("今晚十点", sent, SHANGHAI)

    assert isinstance(told, When)
    assert told.start == at("2026-03-11 22:00")


def test_a_days_wall_clock_outlives_the_change_of_clocks():
    told = resolve("每天21点吃药", at("2026-10-24 22:00", BERLIN), BERLIN)

    assert isinstance(told, When)
    assert told.rrule == "FREQ=DAILY;BYHOUR=21;BYMINUTE=0"
    assert told.start == at("2026-10-25 21:00", BERLIN)
    assert told.start - at("2026-10-24 21:00", BERLIN) == timedelta(days=1)


def test_a_replay_reads_as_when_it_was_sent():
    sent = at("2026-03-09 23:58")

    assert resolve("晚上十一点", sent) == resolve("晚上十一点", sent)

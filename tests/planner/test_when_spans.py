"""Spans, deadlines, lengths, repeats and leads."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from planner.when import Refused, When, lead, leads, resolve

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def told(words: str) -> When:
    found = resolve(words, NOW)
    assert isinstance(found, When), found
    return found


def local(value: datetime | None) -> str:
    return f"{value:%m-%d %H:%M}" if value else ""


SPANS = {
    "三点到五点": ("03-11 15:00", "03-11 17:00"),
    "下午两点到五点": ("03-11 14:00", "03-11 17:00"),
    "下午3到5点": ("03-11 15:00", "03-11 17:00"),
    "明天下午2点-4点": ("03-12 14:00", "03-12 16:00"),
    "明天9:00~10:30": ("03-12 09:00", "03-12 10:30"),
    "周五晚七点到九点半": ("03-13 19:00", "03-13 21:30"),
    "今晚十一点到明早六点": ("03-11 23:00", "03-12 06:00"),
    "晚上十一点到两点": ("03-11 23:00", "03-12 02:00"),
    "上午十一点到下午三点": ("03-11 11:00", "03-11 15:00"),
    "11点15分到15点20分": ("03-11 11:15", "03-11 15:20"),
    "明天下午七八点": ("03-12 19:00", "03-12 20:00"),
    "周一到周三": ("03-16 00:00", "03-19 00:00"),
    "下周一到周三": ("03-16 00:00", "03-19 00:00"),
    "3月20号到25号": ("03-20 00:00", "03-26 00:00"),
    "10月1号到7号": ("10-01 00:00", "10-08 00:00"),
    "这周": ("03-09 00:00", "03-16 00:00"),
    "下周": ("03-16 00:00", "03-23 00:00"),
    "本月": ("03-01 00:00", "04-01 00:00"),
    "下个月": ("04-01 00:00", "05-01 00:00"),
    "四月": ("04-01 00:00", "05-01 00:00"),
    "周末": ("03-14 00:00", "03-16 00:00"),
    "下周末": ("03-21 00:00", "03-23 00:00"),
    "这个季度": ("01-01 00:00", "04-01 00:00"),
    "接下来三天": ("03-12 00:00", "03-15 00:00"),
    "未来一周": ("03-11 10:00", "03-18 10:00"),
    "明后两天": ("03-12 00:00", "03-14 00:00"),
    "今天开始的两周": ("03-11 00:00", "03-25 00:00"),
    "下周一起的三天": ("03-16 00:00", "03-19 00:00"),
    "五一假期": ("05-01 00:00", "05-06 00:00"),
}


@pytest.mark.parametrize(("words", "span"), SPANS.items(), ids=SPANS)
def test_a_span_ends_where_it_is_over(words, span):
    found = told(words)

    assert found.kind == "span"
    assert (local(found.start), local(found.end)) == span


PARTS = {
    "明天早上": ("06:00", "08:00"),
    "明天上午": ("08:00", "09:00"),
    "明天中午": ("11:00", "12:00"),
    "明天下午": ("12:00", "15:00"),
    "明天傍晚": ("16:30", "18:00"),
    "明晚": ("18:00", "20:00"),
    "明早": ("06:00", "08:00"),
    "明天睡前": ("21:00", "22:00"),
    "明天午饭后": ("12:00", "13:00"),
}


@pytest.mark.parametrize(("words", "times"), PARTS.items(), ids=PARTS)
def test_a_part_of_the_day_is_a_window_with_a_point(words, times):
    found = told(words)

    assert (found.kind, found.has_clock) == ("span", False)
    assert (f"{found.start:%H:%M}", f"{found.at:%H:%M}") == times


DEADLINES = {
    "周五前": ("03-13 00:00", "03-14 00:00"),
    "周五之前": ("03-13 00:00", "03-14 00:00"),
    "月底前": ("03-31 00:00", "04-01 00:00"),
    "三天内": ("03-14 00:00", "03-15 00:00"),
    "两周内": ("03-25 00:00", "03-26 00:00"),
    "20号之前": ("03-20 00:00", "03-21 00:00"),
    "明天下午四点前": ("03-12 16:00", "03-12 16:00"),
    "下周一中午之前": ("03-16 12:00", "03-16 12:00"),
    "半小时内": ("03-11 10:30", "03-11 10:30"),
    "这周五下班前": ("03-13 18:00", "03-13 18:00"),
    "3个工作日内": ("03-16 00:00", "03-17 00:00"),
    "最晚周五": ("03-13 00:00", "03-14 00:00"),
}


@pytest.mark.parametrize(("words", "span"), DEADLINES.items(), ids=DEADLINES)
def test_a_deadline_holds_to_the_end_of_what_was_named(words, span):
    found = told(words)

    assert found.kind == "deadline"
    assert (local(found.start), local(found.end)) == span


LENGTHS = {
    "半小时": 1800,
    "一个半小时": 5400,
    "两个半小时": 9000,
    "45分钟": 2700,
    "一刻钟": 900,
    "三天": 259200,
    "两周": 1209600,
    "一小时二十分钟": 4800,
    "两个小时": 7200,
    "10秒钟": 10,
}


@pytest.mark.parametrize(("words", "seconds"), LENGTHS.items(), ids=LENGTHS)
def test_a_length_is_in_seconds(words, seconds):
    assert (told(words).kind, told(words).seconds) == ("duration", seconds)


RULES = {
    "每天": ("FREQ=DAILY", "03-11 00:00"),
    "每天早上八点": ("FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "03-12 08:00"),
    "每天早晚八点": ("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", "03-11 20:00"),
    "每周一早上9点": ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "03-16 09:00"),
    "每周五22点": ("FREQ=WEEKLY;BYDAY=FR;BYHOUR=22;BYMINUTE=0", "03-13 22:00"),
    "每周一10:30": ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=10;BYMINUTE=30", "03-16 10:30"),
    "每周135": ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "03-11 00:00"),
    "每周一三五": ("FREQ=WEEKLY;BYDAY=MO,WE,FR", "03-11 00:00"),
    "每周二、四上午十点": ("FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=10;BYMINUTE=0", "03-12 10:00"),
    "每周二周四上午九点": ("FREQ=WEEKLY;BYDAY=TU,TH;BYHOUR=9;BYMINUTE=0", "03-12 09:00"),
    "每周一9点和14点": ("FREQ=WEEKLY;BYDAY=MO;BYHOUR=9,14;BYMINUTE=0", "03-16 09:00"),
    "周一到周五每天九点": ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0", "03-12 09:00"),
    "每个工作日下午六点": ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=18;BYMINUTE=0", "03-11 18:00"),
    "每个周末": ("FREQ=WEEKLY;BYDAY=SA,SU", "03-14 00:00"),
    "每個禮拜五": ("FREQ=WEEKLY;BYDAY=FR", "03-13 00:00"),
    "每月15号": ("FREQ=MONTHLY;BYMONTHDAY=15", "03-15 00:00"),
    "每月1号和15号": ("FREQ=MONTHLY;BYMONTHDAY=1,15", "03-15 00:00"),
    "每月最后一天": ("FREQ=MONTHLY;BYMONTHDAY=-1", "03-31 00:00"),
    "每月第一个周一上午十点": ("FREQ=MONTHLY;BYDAY=1MO;BYHOUR=10;BYMINUTE=0", "04-06 10:00"),
    "每月最后一个工作日": ("FREQ=MONTHLY;BYSETPOS=-1;X-WORKDAYS=CN", "03-31 00:00"),
    "每月第三个工作日九点": ("FREQ=MONTHLY;BYHOUR=9;BYMINUTE=0;BYSETPOS=3;X-WORKDAYS=CN", "04-03 09:00"),
    "每季度第一天": ("FREQ=MONTHLY;BYMONTH=1,4,7,10;BYMONTHDAY=1", "04-01 00:00"),
    "每个季度最后一天": ("FREQ=MONTHLY;BYMONTH=3,6,9,12;BYMONTHDAY=-1", "03-31 00:00"),
    "每月初一": ("RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1", "03-19 00:00"),
    "每月初一15点": ("RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=15;BYMINUTE=0", "03-19 15:00"),
    "每月初一十五": ("RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1,15", "03-19 00:00"),
    "每月农历十五": ("RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=15", "04-02 00:00"),
    "每天22点到2点每两小时": ("FREQ=DAILY;BYHOUR=0,2,22;BYMINUTE=0", "03-11 22:00"),
    "每逢初一、十五": ("RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1,15", "03-19 00:00"),
    "每月初": ("FREQ=MONTHLY;BYMONTHDAY=1", "04-01 00:00"),
    "每年2月29日": ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "02-28 00:00"),
    "每天早上9点到11点每小时": ("FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0", "03-11 11:00"),
    "每天9点到12点半每半小时": ("FREQ=DAILY;BYHOUR=9,10,11,12;BYMINUTE=0,30", "03-11 10:30"),
    "隔天": ("FREQ=DAILY;INTERVAL=2", "03-11 00:00"),
    "每两周的周五": ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", "03-13 00:00"),
    "每三个月": ("FREQ=MONTHLY;INTERVAL=3", "03-11 00:00"),
    "每年11月3号": ("FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=3", "11-03 00:00"),
    "每半小时": ("FREQ=MINUTELY;INTERVAL=30", "03-11 10:30"),
    "每逢1号，上午9点": ("FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0", "04-01 09:00"),
    "14号到17号，每天上午8点": ("FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260317T235959", "03-14 08:00"),
}


@pytest.mark.parametrize(("words", "rule"), RULES.items(), ids=RULES)
def test_a_repeat_is_a_rule_and_its_first_turn(words, rule):
    found = told(words)

    assert found.kind == "recurrence"
    assert (found.rrule, local(found.start)) == rule


TURNS = {
    "每年9月到11月": ("FREQ=YEARLY;BYMONTH=9", "09-01 00:00", "12-01 00:00"),
    "每年10月1号到7号": ("FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=1", "10-01 00:00", "10-08 00:00"),
    "每月1号到5号": ("FREQ=MONTHLY;BYMONTHDAY=1", "04-01 00:00", "04-06 00:00"),
}


@pytest.mark.parametrize(("words", "turn"), TURNS.items(), ids=TURNS)
def test_days_within_the_period_are_the_length_of_each_turn(words, turn):
    found = told(words)

    assert (found.rrule, local(found.start), local(found.end)) == turn


def test_the_leap_day_comes_every_year():
    assert f"{told('每年2月29日').start:%Y-%m-%d}" == "2027-02-28"


@pytest.mark.parametrize("words", ["每天9点到11点每半小时", "每周五22点到2点每小时", "每月农历三十一"])
def test_turns_that_no_rule_can_name_are_refused(words):
    assert isinstance(resolve(words, NOW), Refused)


LEADS = {
    "提前10分钟": timedelta(minutes=10),
    "提前一天": timedelta(days=1),
    "提前半小时": timedelta(minutes=30),
    "提前一个半小时": timedelta(minutes=90),
    "提前两周": timedelta(days=14),
    "提前15分鐘": timedelta(minutes=15),
    "提早一小时": timedelta(hours=1),
    "提前 10 分钟": timedelta(minutes=10),
    "提前 1 个 小时": timedelta(hours=1),
    "会前 5 分钟": timedelta(minutes=5),
    "提前15min": timedelta(minutes=15),
    "提前 1h": timedelta(hours=1),
    "30 minutes before": timedelta(minutes=30),
    "准时": timedelta(0),
    "明天": None,
    "10分钟": None,
}


@pytest.mark.parametrize(("words", "before"), LEADS.items(), ids=LEADS)
def test_a_lead_is_how_long_before(words, before):
    assert lead(words) == before


def test_each_lead_has_its_place():
    text = "评审，提前 一天和提前 30 分钟各提醒一次"

    assert [text[told.start : told.end] for told in leads(text)] == ["提前 一天", "提前 30 分钟"]

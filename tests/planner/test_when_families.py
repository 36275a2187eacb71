"""Families of expressions, each in several dress: ranges, counted days, series with an end, other zones, English, Cantonese."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import find, resolve
from tests.planner.words import shown

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)

RANGES = {
    "3月20-25号": "2026-03-20 to 2026-03-25",
    "3月20日-25日": "2026-03-20 to 2026-03-25",
    "五月一日至三日": "2026-05-01 to 2026-05-03",
    "15-18号": "2026-03-15 to 2026-03-18",
    "5-8月": "2026-05-01 to 2026-08-31",
    "2027年2——4月": "2027-02-01 to 2027-04-30",
    "2026至2028年": "2026-01-01 to 2028-12-31",
    "周一到五": "2026-03-16 to 2026-03-20",
    "下周一到三": "2026-03-16 to 2026-03-18",
    "9点到18点": "2026-03-12 09:00 to 2026-03-12 18:00",
    "8点到下午5点": "2026-03-12 08:00 to 2026-03-12 17:00",
    "两点开始，四点结束": "2026-03-11 14:00 to 2026-03-11 16:00",
    "开始时间：2026-03-20 14:00 结束时间：2026-03-20 16:00": "2026-03-20 14:00 to 2026-03-20 16:00",
    "自3月20日起至4月1日止": "2026-03-20 to 2026-04-01",
    "今天上午到明天下午": "2026-03-11 08:00 to 2026-03-12 18:00",
    "周五晚上到周日": "2026-03-13 18:00 to 2026-03-16 00:00",
    "去年9月至今": "2025-09-01 00:00 to 2026-03-11 10:00",
    "今天明天后天三天": "2026-03-11 to 2026-03-13",
    "周六周日两天": "2026-03-14 to 2026-03-15",
    "2021-09-0910:09": "2021-09-09 10:09",
}
COUNTED = {
    "两周后的周三": "2026-03-25",
    "三年后的五月一号": "2029-05-01",
    "两个月后的15号": "2026-05-15",
    "一个月后的今天": "2026-04-11",
    "一周后的今天下午三点": "2026-03-18 15:00",
    "下个月的今天": "2026-04-11",
    "第三天上午": "2026-03-13 08:00 to 2026-03-13 12:00, at 09:00 ?",
    "明天全天": "2026-03-12",
    "26.5.1": "2026-05-01",
    "年内": "by 2026-12-31",
    "这两天": "2026-03-11 to 2026-03-12 ?",
    "最近一周": "2026-03-11 to 2026-03-17 ?",
    "最近一周做了什么": "2026-03-04 10:00 to 2026-03-11 10:00",
    "分半钟": "0:01:30 long",
}
ABOUT = {
    "两三天后": "2026-03-13 ?",
    "三五天内": "by 2026-03-14 ?",
    "三四个小时后": "2026-03-11 13:00 ?",
    "二十多分钟后": "2026-03-11 10:20 ?",
    "十七八分钟后": "2026-03-11 10:17 ?",
    "二三十分钟": "0:20:00 long ?",
    "一个多月后": "2026-04-11 ?",
}
SERIES = {
    "从下周一起每天早上七点": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0, first 2026-03-16 07:00",
    "从下周一起每周三": "FREQ=WEEKLY;BYDAY=WE, first 2026-03-18",
    "下个月每周五": "FREQ=WEEKLY;BYDAY=FR;UNTIL=20260430T235959, first 2026-04-03",
    "未来一周每天早上7点": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0;UNTIL=20260317T235959, first 2026-03-12 07:00",
    "每天早上8点，共10天": "FREQ=DAILY;BYHOUR=8;BYMINUTE=0;UNTIL=20260321T235959, first 2026-03-12 08:00",
    "每周一，共十次": "FREQ=WEEKLY;BYDAY=MO;COUNT=10, first 2026-03-16",
    "每小时05分": "FREQ=HOURLY, first 2026-03-11 10:05",
    "每小时的整点": "FREQ=HOURLY, first 2026-03-11 11:00",
    "9点到11点每小时": "FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=0, first 2026-03-11 11:00 ?",
    "明天9点到18点每小时": "FREQ=HOURLY;UNTIL=20260312T180000, first 2026-03-12 09:00",
    "从现在起到晚上11点，每隔半小时": "FREQ=MINUTELY;INTERVAL=30;UNTIL=20260311T230000, first 2026-03-11 10:30",
    "两周一次": "FREQ=WEEKLY;INTERVAL=2, first 2026-03-11",
    "每三天一次": "FREQ=DAILY;INTERVAL=3, first 2026-03-11",
    "每天8点12点18点": "FREQ=DAILY;BYHOUR=8,12,18;BYMINUTE=0, first 2026-03-11 12:00",
    "每晚": "FREQ=DAILY, first 2026-03-11 20:00",
    "每月倒数第二天": "FREQ=MONTHLY;BYMONTHDAY=-2, first 2026-03-30",
    "每季度第一个周一": "FREQ=MONTHLY;BYMONTH=1,4,7,10;BYDAY=1MO, first 2026-04-06",
    "every 2 weeks": "FREQ=WEEKLY;INTERVAL=2, first 2026-03-11",
    "every Monday and Wednesday 9am": "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9;BYMINUTE=0, first 2026-03-16 09:00",
    "daily at 9am": "FREQ=DAILY;BYHOUR=9;BYMINUTE=0, first 2026-03-12 09:00",
}
ELSEWHERE = {
    "纽约时间下午3点": "2026-03-12 03:00",
    "北京时间明天下午三点": "2026-03-12 15:00",
    "明天下午三点（纽约时间）": "2026-03-13 03:00",
    "东京时间明早九点": "2026-03-12 08:00",
    "15:00 UTC": "2026-03-11 23:00",
    "UTC+8 15:00": "2026-03-11 15:00",
    "3pm EST": "2026-03-12 03:00",
    "每天纽约时间9点": "refused: 会重复的时间只能按你所在时区的钟点说",
    "每天北京时间9点": "FREQ=DAILY;BYHOUR=9;BYMINUTE=0, first 2026-03-12 09:00",
}
SPOKEN = {
    "明天嗯下午三点": "2026-03-12 15:00",
    "明天大概下午三点左右": "2026-03-12 15:00",
    "明晚一点": "2026-03-13 01:00",
    "三点过一刻": "2026-03-11 15:15",
    "聽晚七點": "2026-03-12 19:00",
    "三點三個字": "2026-03-11 15:15",
    "三点踏半": "2026-03-11 15:30",
    "晏晝三點一": "2026-03-11 15:05",
    "3-5pm": "2026-03-11 15:00 to 2026-03-11 17:00",
    "between 3 and 5pm": "2026-03-11 15:00 to 2026-03-11 17:00",
    "end of month": "2026-03-31",
    "30min后": "2026-03-11 10:30",
    "by EOD tomorrow": "by 2026-03-12 18:00",
}
FEASTS = {
    "开斋节": "2026-03-20 ?",
    "2013年古尔邦节": "2013-10-15 ?",
    "2018年光明节": "2018-12-02",
    "2018年逾越节": "2018-03-30",
    "2014年犹太植树节": "2014-01-15",
    "2013年以色列独立日": "2013-04-15",
    "犹太新年": "2026-09-11",
    "衛塞節": "2026-05-31",
    "東正教耶穌受難日": "2026-04-10",
    "小年": "2027-01-30",
    "黑色星期五": "2026-11-27",
    "2027年二月二十日": "2027-02-20",
    "2027年首季度": "2027-01-01 to 2027-03-31",
    "19年底": "2019-12-31",
}
ALL = {**FEASTS, **RANGES, **COUNTED, **ABOUT, **SERIES, **ELSEWHERE, **SPOKEN}


@pytest.mark.parametrize(("words", "wanted"), ALL.items(), ids=ALL)
def test_it_is_read(words, wanted):
    assert shown(resolve(words, NOW)) == wanted


@pytest.mark.parametrize(("said", "wanted"), {"04:30": "2026-03-11 06:10", "10:00": "2026-03-11 18:10"}.items())
def test_who_writes_at_dawn_is_awake(said, wanted):
    ref = datetime.fromisoformat(f"2026-03-11T{said}").replace(tzinfo=ZONE)

    assert shown(resolve("六点十分", ref)) == wanted


def test_a_time_to_the_second_may_be_this_very_second():
    assert shown(resolve("10:00:00", NOW)) == "2026-03-11 10:00"
    assert shown(resolve("10:00", NOW)) == "2026-03-11 22:00 ? or 2026-03-12 10:00"


@pytest.mark.parametrize("words", ["听晚会", "写三个字", "部分半成品", "iOS 26.5.1", "15年版", "全村的篝火节和收获节活动", "升级到26.5.1版", "全天候", "几十年后", "PT课", "3-25号楼"])
def test_words_that_only_look_like_it_are_none(words):
    assert find(words, NOW) == []

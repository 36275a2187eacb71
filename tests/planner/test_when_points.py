"""Days and instants: what one expression names, said on a Wednesday at ten."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import Refused, When, resolve, scan
from planner.when.text import plain

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def told(words: str, now: datetime = NOW) -> When:
    found = resolve(words, now)
    assert isinstance(found, When), found
    return found


def local(value: datetime | None) -> str:
    return f"{value:%Y-%m-%d %H:%M}" if value else ""


DAYS = {
    "今天": "2026-03-11",
    "明天": "2026-03-12",
    "明儿": "2026-03-12",
    "后天": "2026-03-13",
    "後天": "2026-03-13",
    "大后天": "2026-03-14",
    "昨天": "2026-03-10",
    "周五": "2026-03-13",
    "礼拜天": "2026-03-15",
    "周天": "2026-03-15",
    "星期曰": "2026-03-15",
    "周二": "2026-03-17",
    "本周五": "2026-03-13",
    "这周日": "2026-03-15",
    "下周三": "2026-03-18",
    "下禮拜三": "2026-03-18",
    "下下周一": "2026-03-23",
    "下下下周一": "2026-03-30",
    "15号": "2026-03-15",
    "8号": "2026-04-08",
    "31号": "2026-03-31",
    "下个月5号": "2026-04-05",
    "下下个月1号": "2026-05-01",
    "4月1号": "2026-04-01",
    "2月28号": "2027-02-28",
    "3月20日": "2026-03-20",
    "３月２０日": "2026-03-20",
    "3/20": "2026-03-20",
    "3.20": "2026-03-20",
    "2026-04-03": "2026-04-03",
    "2027/1/5": "2027-01-05",
    "20260403": "2026-04-03",
    "二零二六年四月三号": "2026-04-03",
    "明年3月1日": "2027-03-01",
    "三天后": "2026-03-14",
    "一周后": "2026-03-18",
    "半个月后": "2026-03-26",
    "一个月后": "2026-04-11",
    "5天前": "2026-03-06",
    "月底": "2026-03-31",
    "下月底": "2026-04-30",
    "年底": "2026-12-31",
    "月初": "2026-04-01",
    "下个月最后一天": "2026-04-30",
    "下个月第二个周六": "2026-04-11",
    "国庆": "2026-10-01",
    "国庆前一天": "2026-09-30",
    "清明节": "2026-04-05",
    "中秋": "2026-09-25",
    "春节": "2027-02-06",
    "除夕": "2027-02-05",
    "母亲节": "2026-05-10",
    "冬至": "2026-12-22",
    "农历八月十五": "2026-09-25",
    "正月初五": "2027-02-10",
    "大年三十": "2027-02-05",
    "五月初五": "2026-06-19",
    "下周的周三": "2026-03-18",
    "明天的后天": "2026-03-14",
    "周五的前天": "2026-03-11",
    "3月20日(星期五)": "2026-03-20",
}


@pytest.mark.parametrize(("words", "day"), DAYS.items(), ids=DAYS)
def test_a_day_is_the_coming_one(words, day):
    found = told(words)

    assert (local(found.start), found.kind, found.all_day) == (f"{day} 00:00", "day", True)
    assert found.has_day
    assert not found.has_clock


INSTANTS = {
    "三点": "2026-03-11 15:00",
    "三点半": "2026-03-11 15:30",
    "三点三刻": "2026-03-11 15:45",
    "十二点一刻": "2026-03-11 12:15",
    "差五分八点": "2026-03-11 19:55",
    "差一刻三点": "2026-03-11 14:45",
    "八点差五分": "2026-03-11 19:55",
    "15:30": "2026-03-11 15:30",
    "１５：３０": "2026-03-11 15:30",
    "08:05": "2026-03-12 08:05",
    "3pm": "2026-03-11 15:00",
    "2:00 PM": "2026-03-11 14:00",
    "九点": "2026-03-11 21:00",
    "下午3点": "2026-03-11 15:00",
    "早上七点": "2026-03-12 07:00",
    "中午12:30": "2026-03-11 12:30",
    "中午一点": "2026-03-11 13:00",
    "傍晚六点": "2026-03-11 18:00",
    "晚上八点": "2026-03-11 20:00",
    "晚7点": "2026-03-11 19:00",
    "晚上1点": "2026-03-12 01:00",
    "今晚12点": "2026-03-12 00:00",
    "明晚十二点": "2026-03-13 00:00",
    "今晚午夜": "2026-03-12 00:00",
    "零点": "2026-03-12 00:00",
    "24点": "2026-03-12 00:00",
    "凌晨两点": "2026-03-12 02:00",
    "明天凌晨三点": "2026-03-12 03:00",
    "半夜十二点": "2026-03-12 00:00",
    "正午": "2026-03-11 12:00",
    "明早七点": "2026-03-12 07:00",
    "明晚八点半": "2026-03-12 20:30",
    "明天三点": "2026-03-12 15:00",
    "明天九点": "2026-03-12 09:00",
    "明天下午三点二十": "2026-03-12 15:20",
    "明天下五三点": "2026-03-12 15:00",
    "周三下午三点": "2026-03-11 15:00",
    "周三九点": "2026-03-11 21:00",
    "周三上午九点": "2026-03-18 09:00",
    "下周一16:06": "2026-03-16 16:06",
    "周五六点": "2026-03-13 18:00",
    "周日中午十二点半": "2026-03-15 12:30",
    "20号上午九点": "2026-03-20 09:00",
    "3月20日14:30": "2026-03-20 14:30",
    "9.28-13:30": "2026-09-28 13:30",
    "元旦零点": "2027-01-01 00:00",
    "中秋节晚上八点": "2026-09-25 20:00",
    "明天这个时候": "2026-03-12 10:00",
    "半小时后": "2026-03-11 10:30",
    "两个半小时后": "2026-03-11 12:30",
    "一个半小时后": "2026-03-11 11:30",
    "两小时二十分钟后": "2026-03-11 12:20",
    "一刻钟后": "2026-03-11 10:15",
    "过十分钟": "2026-03-11 10:10",
    "三天后下午三点": "2026-03-14 15:00",
    "兩點": "2026-03-11 14:00",
    "05分": "2026-03-11 10:05",
    "三点半成品": "2026-03-11 15:00",
}


@pytest.mark.parametrize(("words", "moment"), INSTANTS.items(), ids=INSTANTS)
def test_a_clock_time_is_the_coming_one_in_the_waking_day(words, moment):
    found = told(words)

    assert (local(found.start), found.kind, found.all_day, found.end) == (moment, "instant", False, None)
    assert found.has_clock


def test_seconds_count():
    assert (told("10秒后").start or NOW) - NOW == (told("过10秒").start or NOW) - NOW
    assert f"{told('10秒后').start:%H:%M:%S}" == "10:00:10"


REFUSED = {
    "2月30日": "2月没有30日",
    "2027年2月29日": "2027年2月没有29日",
    "4月31号": "4月没有31日",
    "13月1日": "没有13月",
    "32号": "没有32号这一天",
    "每个月32号": "没有32号这一天",
    "25点": "没有“25点”这个时间",
    "明天9:75": "没有“9:75”这个时间",
    "下周八": "没有“下周八”",
    "11月29号周三": "11月29日是星期日，不是星期三",
}


@pytest.mark.parametrize(("words", "reason"), REFUSED.items(), ids=REFUSED)
def test_what_does_not_exist_is_refused_with_the_reason(words, reason):
    found = resolve(words, NOW)

    assert isinstance(found, Refused)
    assert found.reason == reason


LOOKALIKES = [
    "一日三餐",
    "三点水",
    "周三丰",
    "《一九八四》",
    "移动4/5G",
    "叫一下钟浩然",
    "早一点起床",
    "五月花纸巾",
    "2号线",
    "5号楼",
    "写周报",
    "生日",
    "有点事",
    "提了三点意见",
    "晚上好",
    "第三周",
]


@pytest.mark.parametrize("words", LOOKALIKES)
def test_what_only_looks_like_a_time_is_none(words):
    assert resolve(words, NOW) is None


@pytest.mark.parametrize(
    ("words", "certain"),
    [("周三", False), ("周四", True), ("九点", False), ("三点", True), ("这周一", False), ("月底", True)],
)
def test_a_near_second_reading_is_in_doubt(words, certain):
    assert told(words).certain is certain


def test_the_leap_day_waits_for_its_year():
    assert local(told("2月29号").start) == "2028-02-29 00:00"


def test_tomorrow_after_midnight_is_the_calendars():
    late = datetime(2026, 6, 7, 0, 30, tzinfo=ZONE)

    assert local(told("明天八点", late).start) == "2026-06-08 08:00"
    assert local(told("下午三点三刻", late).start) == "2026-06-07 15:45"


def test_the_zone_is_the_followers():
    found = resolve("今天下午三点", NOW, ZoneInfo("Europe/Berlin"))

    assert isinstance(found, When)
    assert found.start == datetime(2026, 3, 11, 15, tzinfo=ZoneInfo("Europe/Berlin"))


def test_hours_from_now_are_elapsed_hours_when_the_clocks_change():
    berlin = ZoneInfo("Europe/Berlin")
    found = told("三小时后", datetime(2026, 3, 29, 1, 0, tzinfo=berlin))

    assert found.start == datetime(2026, 3, 29, 5, 0, tzinfo=berlin)


def test_a_naive_reference_is_an_error():
    with pytest.raises(ValueError, match="aware"):
        resolve("明天", datetime(2026, 3, 11))  # noqa: DTZ001


@pytest.mark.parametrize("words", [*DAYS, *INSTANTS])
def test_every_rule_is_reached_by_the_character_it_begins_with(words):
    hits = [rule for rule in scan.RULES if rule.pattern.match(plain(words))]

    assert all(plain(words)[0] in rule.starts for rule in hits), [rule.name for rule in hits]

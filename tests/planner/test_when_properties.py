"""What holds for any text, any moment, any zone."""

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner import texts
from planner.when import Refused, When, find, leads, resolve
from planner.when.text import plain
from tests.planner.words import HOSTILE, ROWS

SHANGHAI = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=SHANGHAI)
ZONES = st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Kathmandu"]).map(ZoneInfo)
PIECES = ["今", "明", "后", "天", "日", "号", "周", "星期", "礼拜", "月", "年", "季度", "世纪", "年代", "点", "分", "半", "刻", "秒", "小时", "分钟", "早", "晚", "上午", "下午", "凌晨", "前", "后", "内", "之", "以", "的", "每", "隔", "下", "上", "这", "个", "第", "最", "初", "底", "末", "旬", "到", "至", "-", "~", ":", ".", "/", ",", "、", "一", "二", "两", "三", "十", "百", "千", "万", "零", "廿", "0", "1", "2", "5", "12", "30", "99", "2026", "9999", "农历", "闰", "正月", "春节", "国庆", "清明", "工作日", "提前", "从", "过", "差", "am", "pm", "3pm", "next", "Monday", "in", "every", "星", "期", "(", ")", "半个"]
SOUP = st.lists(st.sampled_from([*PIECES, " "]), max_size=14).map("".join)
MOMENTS = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
FEW = settings(max_examples=250, deadline=None)
# Days by name or number of days: they move with the day on which they are said.
RELATIVE = ["明天", "大后天下午三点", "昨天", "三天后", "半小时后", "明早七点", "过两天", "接下来三天", "in 2 hours", "tomorrow 3pm", "两天前", "未来48小时"]
WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
HANT = str.maketrans("周个点钟时间后农历节国庆这两号礼", "週個點鐘時間後農曆節國慶這兩號禮")
READABLE = [words for words, _, wanted in ROWS if "refused" not in wanted]


@given(st.one_of(SOUP, st.text(max_size=60)), MOMENTS, ZONES)
@FEW
def test_no_text_at_no_moment_raises(text, ref, zone):
    for told in find(text, ref, zone):
        assert 0 <= told.start < told.end <= len(text)
        assert isinstance(told.when, Refused) or told.when.start or told.when.seconds is not None
    leads(text)


@given(st.datetimes(datetime(2020, 1, 1), datetime(2060, 1, 1)), st.booleans(), ZONES)
@FEW
def test_what_a_reply_prints_is_read_back_as_it_was(moment, all_day, zone):
    """As far as a reply can name it: without a year, the coming twelve months."""
    start = moment.replace(second=0, microsecond=0, tzinfo=zone)
    start = start.replace(hour=0, minute=0) if all_day else start
    end = start + timedelta(days=1) if all_day else None
    said = datetime(start.year, start.month, start.day, 12, tzinfo=zone) - timedelta(days=40)

    told = resolve(texts.when(start, end, all_day=all_day, zone=zone), said, zone)

    assert isinstance(told, When)
    assert told.start == start
    assert told.all_day == all_day


@given(st.sampled_from(RELATIVE), st.integers(0, 3000))
@FEW
def test_a_day_later_everything_relative_is_a_day_later(words, days):
    ref = NOW + timedelta(days=days)

    first, second = resolve(words, ref), resolve(words, ref + timedelta(days=1))

    assert isinstance(first, When)
    assert isinstance(second, When)
    assert second.start == first.start + timedelta(days=1)


@pytest.mark.parametrize("words", READABLE)
def test_scripts_and_widths_agree(words):
    wanted = [(told.start, told.end, _bare(told.when)) for told in find(words, NOW)]

    for other in (words.translate(HANT), words.translate(WIDE)):
        assert [(told.start, told.end, _bare(told.when)) for told in find(other, NOW)] == wanted


def _bare(told):
    return (told.kind, told.start, told.end, told.rrule, told.seconds) if isinstance(told, When) else told.reason


@given(st.text(max_size=80))
@FEW
def test_plain_keeps_every_place(text):
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize("piece", HOSTILE)
def test_two_thousand_characters_of_anything_are_read_at_once(piece):
    """By processor time, the best of three, with room for a machine twice as slow as the one whose 20 ms are meant."""
    text = (piece * 2000)[:2000]
    resolve(text, NOW)

    assert min(_spent(text) for _ in range(3)) < 0.04


def _spent(text: str) -> float:
    begun = time.process_time()
    find(text, NOW)
    return time.process_time() - begun

"""What the tests of `planner.when` and its benchmark share: one line for what an expression was read as, the rows of
docs/time.md (words, when they are said, how they are read), and texts that are made to be slow."""

import re
from datetime import datetime, timedelta
from pathlib import Path

from planner.when import Refused, When

_TABLE = (Path(__file__).resolve().parents[2] / "docs/time.md").read_text(encoding="utf-8")
ROWS: list[tuple[str, str, str]] = re.findall(r"^\| ([^|]+) \| (\d{4}-\d\d-\d\d \d\d:\d\d) \| ([^|]+) \|", _TABLE, re.MULTILINE)
# Each is repeated up to the length that is meant.
HOSTILE = [
    "一", "1", "1 ", "一二三四五六七八九十", "零一", "一百", "1月", "1号、", "1.1", "12:", "十点", "一个半小时", "两小时二十分钟", "三点半到", "三天前",
    "每周一三五", "每隔", "每每", "明天", "周末周日", "农历", "初一初二", "国庆", "2020年", "3天后的", "第一", "下", "到", " ", "《", "1-", "差五分",
    "上个月的", "三天前隔", "1月)", "99星期过", "~今晚三天前", "三点半到UTC20号", "每一二三四五六七八九十", "20号3天后的周一期5-", "初~every 3月20今",
    "九点、", "每天九点和", "2月30日", "25点", "tomorrow ", "every ", "in 2 ", "周报", "的", "半", "廿", "a",
]  # fmt: skip


def shown(told: When | Refused | None) -> str:
    """`?` marks a reading that is said back, `or` what else may be meant."""
    if told is None:
        return "no time"
    if isinstance(told, Refused):
        return f"refused: {told.reason}"
    others = "".join(f" or {_moment(other, all_day=told.all_day)}" for other in told.others)
    return f"{_value(told)}{'' if told.certain else ' ?'}{others}"


def _value(told: When) -> str:
    if told.kind == "duration":
        return f"{timedelta(seconds=told.seconds or 0)} long"
    if told.kind == "recurrence":
        return f"{told.rrule}, first {_moment(told.start, all_day=told.all_day)}"
    if told.kind == "deadline":
        return f"by {_moment(told.start if told.all_day else told.end, all_day=told.all_day)}"
    start = _moment(told.start, all_day=told.all_day)
    if told.kind in ("day", "instant") or told.end is None:
        return start
    last = told.end - timedelta(days=1) if told.all_day else told.end
    return f"{start} to {_moment(last, all_day=told.all_day)}" + (f", at {told.point:%H:%M}" if told.point else "")


def _moment(value: datetime | None, *, all_day: bool) -> str:
    return f"{value:%Y-%m-%d}" if value and all_day else f"{value:%Y-%m-%d %H:%M}" if value else ""

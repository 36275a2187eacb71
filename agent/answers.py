"""Does a message answer the open question? Fitted by rules: a number, an option's words, a time, a yes. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from planner.when import When, find
from planner.when.text import plain

CANCEL = re.compile(r"(?:那|还是|就)?(?:算了|不用了?|取消|不要了?|不改了?|不删了?|不记了?|没事了?|别管了?|放弃)(?:吧|啦|了)*")
YES = re.compile(r"(?:是的?|好的?|对的?|嗯+|确认|确定|没错|可以|行|要|删|删吧|都删|全删|yes|ok|okay|y)(?:啊|呀|吧|啦|了|删除?)*", re.I)
NO = re.compile(r"(?:不是?|不要?|不行|不对|别|否|no|n)(?:啊|呀|吧|啦|了|删除?|确定)*", re.I)
NUMBER = re.compile(r"(?:选|要|就)?(?:第)?(?P<n>\d{1,2}|[一二两三四五六七八九])(?:个|条|项|号|件)?(?:吧|呀|啊|的|那个)*")
DIGITS = {digit: n for n, digit in enumerate("一二三四五六七八九", 1)} | {"两": 2}
AROUND_A_TIME = re.compile(r"(?:就|那|改到|改成|定在|放在|在|到|吧|提醒我?|的?时候|左右|好了?|就行|可以|[\s,。.!！~])*")
ENDS = " ,.。!?~、;:…"


@dataclass(frozen=True)
class Fit:
    """`value`: {position} · {when, start, end, all_day} · {yes: True} · {title}; {} for a cancellation."""

    kind: Literal["answer", "cancel"]
    value: dict[str, Any] = field(default_factory=dict)


def fit(*, missing: str, options: Sequence[str], text: str, sent_at: datetime, zone: ZoneInfo) -> Fit | None:
    """None: it does not answer this question, so it is a new instruction."""
    words = plain(text).strip(ENDS)
    if CANCEL.fullmatch(words):
        return Fit("cancel")
    match missing:
        case "target":
            return _option(words, options)
        case "when" | "remind":
            return _time(text, sent_at, zone)
        case "confirm":
            return _yes_or_no(words)
        case "title":
            short = 0 < len(words) <= 40 and not find(text, sent_at, zone)
            return Fit("answer", {"title": text.strip()}) if short else None
    return None


def _yes_or_no(words: str) -> Fit | None:
    if YES.fullmatch(words):
        return Fit("answer", {"yes": True})
    return Fit("cancel") if NO.fullmatch(words) else None


def _option(words: str, options: Sequence[str]) -> Fit | None:
    if match := NUMBER.fullmatch(words):
        n = DIGITS.get(match["n"]) or int(match["n"])
        return Fit("answer", {"position": n}) if 1 <= n <= len(options) else None
    named = [n for n, option in enumerate(options, 1) if len(words) >= 2 and words in plain(option)]
    return Fit("answer", {"position": named[0]}) if len(named) == 1 else None


def _time(text: str, sent_at: datetime, zone: ZoneInfo) -> Fit | None:
    """(Nearly) only a time: «明天下午三点吧» fits, «明天下午三点和客户开会» is a new instruction."""
    found = [told for told in find(text, sent_at, zone) if isinstance(told.when, When) and told.when.start]
    if len(found) != 1:
        return None
    told = found[0]
    rest = plain(text)[: told.start] + plain(text)[told.end :]
    if not AROUND_A_TIME.fullmatch(rest):
        return None
    when = told.when
    assert isinstance(when, When)
    assert when.start is not None
    end = when.end.isoformat() if when.end and not when.all_day else None
    value = {"when": text[told.start : told.end], "start": when.start.isoformat(), "end": end, "all_day": when.all_day}
    return Fit("answer", value)

"""The values of a template message, as WeChat demands them by the key's prefix (thing1, time2 …). Pure."""

import re
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

import regex

from webhook.plain import clean

_GRAPHEME = regex.compile(r"\X")
_DAY = r"\d{4}年\d{1,2}月\d{1,2}日"
_CLOCK = r"\d{1,2}:\d{2}"
NOTHING = "无"


def field(key: str, value: str | datetime | None, zone: ZoneInfo) -> str | None:
    """What the key takes, cut where it must be: `time2` → `2026年12月2日 15:00`. None: no such value (47003)."""
    prefix = key.rstrip("0123456789")
    text = _of_moment(prefix, value.astimezone(zone)) if isinstance(value, datetime) else clean(value or "")
    return RULES.get(prefix, _cut(20))(" ".join(text.split()))


def _of_moment(prefix: str, local: datetime) -> str:
    day = f"{local.year}年{local.month}月{local.day}日"
    return day if prefix == "date" else f"{day} {local:%H:%M}"


def _units(text: str) -> int:
    """Length as WeChat's own tables count it: an emoji is two."""
    return len(text.encode("utf-16-le")) // 2


def _cut(limit: int) -> Callable[[str], str | None]:
    def cut(text: str) -> str | None:
        if _units(text) <= limit:
            return text or NOTHING
        kept = ""
        for sign in _GRAPHEME.findall(text):
            if _units(kept + sign) > limit - 1:
                break
            kept += sign
        return kept + "…"

    return cut


def _only(pattern: str, limit: int, nothing: str | None) -> Callable[[str], str | None]:
    """The signs that are allowed, so many of them; `nothing` where none is left."""
    return lambda text: "".join(re.findall(pattern, text))[:limit] or nothing


def _whole(pattern: str) -> Callable[[str], str | None]:
    return lambda text: text if re.fullmatch(pattern, text) else None


RULES: dict[str, Callable[[str], str | None]] = {
    "thing": _cut(20),
    "short_thing": _cut(10),
    "name": _cut(10),
    "phrase": _only("[一-鿿]", 5, NOTHING),
    "character_string": _only("[!-~ ]", 32, "-"),
    "letter": _only("[A-Za-z]", 32, None),
    "number": _whole(r"\d{1,32}|\d{1,30}\.\d{1,10}"),
    "symbol": _whole(r"[^\w\s]{1,5}"),
    "amount": _whole(r"[¥￥$€£]?\d{1,10}(?:\.\d{1,2})?元?"),
    "phone_number": _whole(r"[0-9+-]{1,17}"),
    "car_number": _whole(r"[\w-]{1,8}"),
    "time": _whole(rf"(?:{_DAY} )?{_CLOCK}(?: ?~ ?(?:{_DAY} )?{_CLOCK})?"),
    "date": _whole(rf"{_DAY}(?: ?~ ?{_DAY})?"),
    "const": lambda text: text or None,
    "enum": lambda text: text or None,
}

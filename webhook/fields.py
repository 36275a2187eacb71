"""The values of a template message, as WeChat demands them by the key's prefix (thing1, time2 …). Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from webhook.graphemes import graphemes
from webhook.plain import clean

_DAY = r"\d{4}年\d{1,2}月\d{1,2}日"
_CLOCK = r"\d{1,2}:\d{2}"
NOTHING = "无"
_PARTS = ("title", "when", "note", "status")


def field(key: str, value: str | datetime | None, zone: ZoneInfo) -> str | None:
    """What the key takes, cut where it must be: `time2` → `2026年12月2日 15:00`. None: no such value (47003)."""
    prefix = key.rstrip("0123456789")
    text = _of_moment(prefix, value.astimezone(zone)) if isinstance(value, datetime) else clean(value or "")
    return RULES.get(prefix, _cut(20))(" ".join(text.split()))


def together(told: Sequence[Mapping[str, str]], names: Mapping[str, str]) -> dict[str, str] | None:
    """The values of one template that speaks of several things; `names` maps its keys to what they say. None where
    something would be hidden: a title that does not fit whole, a day, a note or a state that is not everybody's."""
    if len(told) == 1:
        return dict(told[0])
    titles, whens, notes, rest = ([key for key in told[0] if names.get(key) == name] for name in _PARTS)
    hours = _hours(told, whens)
    if not titles or hours is None or any(one[key] != told[0][key] for one in told for key in (*rest, *notes)):
        return None
    lines = [f"{hour} {one[titles[0]]}".strip() for hour, one in zip(hours, told, strict=True)]
    room = notes[:1] if notes and told[0][notes[0]] == NOTHING else []
    filled = _spread(lines, [titles[0], *room])
    if filled is None:
        return None
    return {**told[0], **dict.fromkeys(titles, filled[0]), **dict(zip(room, filled[1:], strict=True))}


def _hours(told: Sequence[Mapping[str, str]], whens: Sequence[str]) -> list[str] | None:
    """What tells several of one day apart, '' where all are of one moment. None: they are of several days."""
    if not whens or len({one[whens[0]] for one in told}) == 1:
        return [""] * len(told)
    days, _, hours = zip(*(one[whens[0]].rpartition(" ") for one in told), strict=True)
    return list(hours) if len(set(days)) == 1 and days[0] else None


def _spread(lines: Sequence[str], keys: Sequence[str]) -> list[str] | None:
    """As many as fit into the first key, the rest into the next; None when some do not fit whole."""
    filled, left = [], list(lines)
    for key in keys:
        rule = RULES.get(key.rstrip("0123456789"), _cut(20))
        fitting = next((n for n in range(len(left), 0, -1) if rule(text := "、".join(left[:n])) == text), 0)
        filled.append("、".join(left[:fitting]) or NOTHING)
        left = left[fitting:]
    return None if left else filled


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
        for sign in graphemes(text):
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

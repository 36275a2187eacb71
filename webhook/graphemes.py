"""Signs as a reader counts them: an emoji with its colour is one."""

import re
from collections.abc import Callable
from functools import cache

_PLAIN = re.compile("[ -~\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]*")  # signs that join no other


@cache
def _pattern() -> Callable[[str], list[str]]:
    import regex  # noqa: PLC0415 - at the first text that must be looked into: no process needs it to start

    found: Callable[[str], list[str]] = regex.compile(r"\X").findall
    return found


def graphemes(text: str) -> list[str]:
    return list(text) if _PLAIN.fullmatch(text) else _pattern()(text)

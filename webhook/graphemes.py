"""Signs as a reader counts them: an emoji with its colour is one."""

from collections.abc import Callable
from functools import cache


def graphemes(text: str) -> list[str]:
    return _found()(text)


@cache
def _found() -> Callable[[str], list[str]]:
    import regex  # noqa: PLC0415 - at the first text that is too long: no process needs it to start

    found: Callable[[str], list[str]] = regex.compile(r"\X").findall
    return found

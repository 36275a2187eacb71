"""What text and numbers may look like. Apart from protocol.py: a worker need not load what only the door needs."""

import re

_UNSAFE = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """What XML, Postgres and JSON all take: no control characters but tab and newline, no lone surrogates."""
    return _UNSAFE.sub("", text)


def is_number(text: str, *, digits: int = 20) -> bool:
    """ASCII digits only: `isdigit` also takes what `int` refuses, such as a superscript."""
    return text.isascii() and text.isdecimal() and len(text) <= digits


def joined(texts: list[str]) -> str:
    """Several messages as one."""
    return "\n\n".join(texts)

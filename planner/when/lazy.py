"""Patterns that are compiled at their first use: no process should pay for them that reads no message."""

import re
from collections.abc import Callable
from typing import Any

Search = Callable[..., "re.Match[str] | None"]


class Lazy:
    """The methods of a compiled pattern, each bound at its first use."""

    all: "list[Lazy]" = []
    match: Search
    search: Search
    sub: Callable[[Any, str], str]
    finditer: Callable[[str], "Any"]

    def __init__(self, source: str) -> None:
        self.source = source
        self.all.append(self)

    def __getattr__(self, name: str) -> Any:
        self.compile()
        return self.__dict__[name]

    def compile(self) -> None:
        pattern = re.compile(self.source)
        self.__dict__.update(
            match=pattern.match, search=pattern.search, sub=pattern.sub, finditer=pattern.finditer
        )

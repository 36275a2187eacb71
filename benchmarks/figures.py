"""Figures, and how they are shown: medians with min–max, the goal beside them, and whether it was met."""

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from unicodedata import east_asian_width


@dataclass(frozen=True)
class Figure:
    """`ours`, one value a round, beside `floor`, the rounds taken in turn: the goal is for their ratio, round by round,
    so that a machine that slows down slows both. Without a floor the goal is for `ours` itself.
    """

    what: str
    unit: str
    ours: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    goal: float | None = None
    note: str = ""

    @property
    def ratios(self) -> list[float]:
        return [one / other for one, other in zip(self.ours, self.floor, strict=True)] if self.floor else []

    @property
    def met(self) -> bool | None:
        if self.goal is None or not self.ours:
            return None
        return statistics.median(self.ratios or self.ours) <= self.goal

    def cells(self) -> list[str]:
        if not self.ours:
            return [self.what, self.unit, self.note]
        verdict = {True: "met", False: "MISSED", None: ""}[self.met]
        goal = f"≤ {self.goal:g}" if self.goal is not None else ""
        middle = [spread(values) for values in (self.ours, self.floor, self.ratios)]
        return [self.what, self.unit, *middle, goal, verdict]

    def as_json(self) -> dict[str, object]:
        if not self.ours:
            return {"what": self.what, "missing": self.note}
        judged = self.ratios or self.ours
        numbers = {"median": statistics.median(judged), "min": min(judged), "max": max(judged)}
        rounded = {name: round(value, 3) for name, value in numbers.items()}
        return {"what": self.what, **rounded, "goal": self.goal, "met": self.met}


HEAD = ["figure", "unit", "product", "floor", "product ÷ floor", "goal", ""]


def spread(values: list[float]) -> str:
    if not values:
        return ""
    middle, least, most = (f"{value:.3g}" if value < 100 else f"{value:.0f}"
                           for value in (statistics.median(values), min(values), max(values)))  # fmt: skip
    return middle if least == most else f"{middle} ({least}–{most})"


def table(figures: Iterable[Figure]) -> Iterator[str]:
    rows = [HEAD, *(figure.cells() for figure in figures)]
    widths = [max(map(_width, column)) for column in zip(*(row for row in rows if len(row) == len(HEAD)), strict=True)]
    for row in rows:
        yield "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)).rstrip()


def _width(text: str) -> int:
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)

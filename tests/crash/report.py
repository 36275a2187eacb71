"""The report: one page that says what was run, what came of it, and which cell of the matrix proves what."""

import html
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.actors import FAULTS
from tests.crash.matrix import Result

STYLE = """
body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:1em 0}td,th{padding:2px 8px;border:1px solid #ddd;text-align:left}
.ok{background:#cfe8d4}.bad{background:#f3b7b0}.unhit{background:#fbe3a3}.none{background:#f4f4f4;color:#999}
svg{background:#fafafa;border:1px solid #ddd}code{background:#f3f3f3}
"""


@dataclass
class Report:
    """`figures`: goal, wanted, measured, kept?"""

    title: str
    facts: dict[str, str]
    figures: list[tuple[str, str, str, bool]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    sections: list[tuple[str, list[str], list[list[str]]]] = field(default_factory=list)
    recoveries: dict[str, list[float]] = field(default_factory=dict)  # by what struck

    @property
    def violations(self) -> list[Result]:
        return [result for result in self.results if result.violations]

    def write(self, path: str) -> None:
        parts = [f"<!doctype html><meta charset=utf-8><title>{_e(self.title)}</title><style>{STYLE}</style>",
                 f"<h1>{_e(self.title)}</h1>", _table(["", ""], [[k, v] for k, v in self.facts.items()])]  # fmt: skip
        parts.append("<h2>Figures</h2>")
        rows = [[goal, wanted, measured, "✓" if kept else "missed"] for goal, wanted, measured, kept in self.figures]
        parts.append(_table(["what", "goal", "measured", ""], rows))
        if self.results:
            parts += ["<h2>Directed matrix</h2>", _legend(), self.matrix(), self.bad()]
        if self.recoveries:
            parts.append("<h2>Recovery, seconds of the product's time</h2>")
            for kind, values in self.recoveries.items():
                parts += [f"<h3>{_e(kind)}</h3>", _plot(sorted(values)), f"<p>{_e(spread(values))}"]
        for name, head, body in self.sections:
            parts += [f"<h2>{_e(name)}</h2>", _table(head, body)]
        Path(path).write_text("\n".join(parts), encoding="utf-8")

    def matrix(self) -> str:
        cells: dict[tuple[str, str], list[Result]] = {}
        for result in self.results:
            cells.setdefault(result.cell, []).append(result)
        names = sorted({point for point, _ in cells})
        rows = ["<tr><th>" + "<th>".join(["point", *FAULTS])]
        for name in names:
            rows.append(f"<tr><td>{_e(name)}" + "".join(_cell(cells.get((name, kind), [])) for kind in FAULTS))
        return "<table>" + "\n".join(rows) + "</table>"

    def bad(self) -> str:
        rows = [[str(result.fault), result.scenario, "; ".join(result.violations)] for result in self.violations]
        return _table(["fault", "in", "violations"], rows) if rows else ""


def _e(text: object) -> str:
    return html.escape(str(text))


def _legend() -> str:
    return ("<p>Green: struck, and nothing was lost, doubled or hidden. Red: a violation. Yellow: the fault did not come "
            "about in that run, so it proves nothing. Grey: no commit follows this point.")  # fmt: skip


def _cell(results: list[Result]) -> str:
    if not results:
        return "<td class=none>–"
    struck = sum(result.struck for result in results)
    wrong = any(result.violations for result in results)
    kind = "bad" if wrong else "ok" if struck == len(results) else "unhit"
    told = _e("\n".join(f"{result.scenario}: {result.violations or 'kept'}" for result in results))
    return f'<td class={kind} title="{told}">{struck}/{len(results)}'


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    body = "".join("<tr>" + "".join(f"<td>{_e(cell)}" for cell in row) for row in rows)
    return "<table><tr>" + "".join(f"<th>{_e(name)}" for name in head) + body + "</table>"


def _plot(values: list[float]) -> str:
    """The distribution: share of recoveries (up) done after so many seconds (right)."""
    width, height, most = 640, 160, max(values) or 1
    dots = " ".join(f"{value / most * width:.1f},{height - (n + 1) / len(values) * height:.1f}"
                    for n, value in enumerate(values))  # fmt: skip
    return f'<svg width={width} height={height}><polyline fill=none stroke="#28794b" stroke-width=2 points="{dots}"/></svg>'


def spread(values: list[float]) -> str:
    """n, p50, p95, max."""
    if not values:
        return "n = 0"
    ordered = sorted(values)
    return f"n = {len(ordered)}, p50 {at(ordered, 0.5):.1f} s, p95 {at(ordered, 0.95):.1f} s, max {ordered[-1]:.1f} s"


def at(ordered: list[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]

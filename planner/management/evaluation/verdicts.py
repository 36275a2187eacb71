"""What every part of the evaluation gives back, and how the figures are drawn from it."""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_DISPUTED = Path(__file__).parent / "disputed.toml"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row, judged. `marks`: each question asked of it, and whether the answer was right.

    A question that does not concern the row is left out of its marks.
    """

    id: str
    source: str
    kind: str
    text: str
    wanted: str
    got: str
    marks: Mapping[str, bool]

    @property
    def missed(self) -> tuple[str, ...]:
        return tuple(name for name, right in self.marks.items() if not right)


def table(verdicts: Sequence[Verdict], by: str) -> list[str]:
    """Rows of a Markdown table: per source or per kind, each mark's share of right answers, and all of them last."""
    names = list(dict.fromkeys(name for verdict in verdicts for name in verdict.marks))
    groups = sorted({str(getattr(verdict, by)) for verdict in verdicts})
    lines = [f"| {by} | rows | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    for group in groups:
        lines.append(_line(group, [verdict for verdict in verdicts if getattr(verdict, by) == group], names))
    return [*lines, _line("all", verdicts, names)]


def _line(group: str, verdicts: Sequence[Verdict], names: Iterable[str]) -> str:
    return f"| {group} | {len(verdicts)} | {' | '.join(share(verdicts, name) for name in names)} |"


def share(verdicts: Sequence[Verdict], name: str) -> str:
    marks = [verdict.marks[name] for verdict in verdicts if name in verdict.marks]
    return f"{100 * sum(marks) / len(marks):.1f} % of {len(marks)}" if marks else "-"


def undisputed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    reasons = disputed()
    return [verdict for verdict in verdicts if verdict.id not in reasons.get(verdict.source, {})]


def disputed() -> dict[str, dict[str, str]]:
    """Source, then row: why its expected value is taken to be wrong. Such rows count as misses."""
    with _DISPUTED.open("rb") as file:
        told = tomllib.load(file)
    return {source: {row: why for why, rows in reasons.items() for row in rows} for source, reasons in told.items()}

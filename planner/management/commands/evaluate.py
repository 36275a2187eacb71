"""`manage.py evaluate`: how well the rules read, on files of example rows."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from planner.management.evaluation import intents, times, utterances
from planner.management.evaluation.verdicts import Verdict, disputed, table, undisputed

Judge = Callable[[str, Sequence[Mapping[str, Any]]], list[Verdict]]
PARTS: dict[str, tuple[Sequence[str], Judge]] = {
    "Times": (times.FILES, times.judge),
    "Utterances": (utterances.FILES, utterances.judge),
    "Intents": (intents.FILES, intents.judge),
}


class Command(BaseCommand):
    help = "Accuracy of the rules on JSONL files of time expressions, messages and intents, and every miss."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("paths", type=Path, nargs="+", metavar="FILE", help="or a folder; docs/evaluating.md")
        parser.add_argument("--source", action="append", help="a file's name without .jsonl; may be repeated")
        parser.add_argument("--misses", action="store_true", help="print every miss under the figures")

    def handle(self, *args: Any, paths: list[Path], source: list[str] | None, misses: bool, **options: Any) -> None:
        files = [path for path in _files(paths) if not source or path.stem in source]
        judged = {name: self._part(files, *part) for name, part in PARTS.items()}
        if not any(judged.values()):
            named = f" for {', '.join(source)}" if source else ""
            raise CommandError(f"no rows in {', '.join(map(str, paths))}{named}")
        for name, verdicts in judged.items():
            if verdicts:
                self._figures(name, verdicts)
        for verdicts in judged.values() if misses else ():
            self._misses(verdicts)

    def _part(self, files: list[Path], patterns: Sequence[str], judge: Judge) -> list[Verdict]:
        chosen = [path for path in files if any(path.match(pattern) for pattern in patterns)]
        return [verdict for path in chosen for verdict in judge(path.stem, _rows(path))]

    def _figures(self, name: str, verdicts: list[Verdict]) -> None:
        self.stdout.write(f"\n## {name}\n")
        for by in ("source", "kind"):
            self.stdout.write("\n".join(table(verdicts, by)) + "\n")
        rest = undisputed(verdicts)
        if count := len(verdicts) - len(rest):
            self.stdout.write(f"\nWithout the {count} rows of disputed.toml:\n")
            self.stdout.write("\n".join(table(rest, "source")) + "\n")

    def _misses(self, verdicts: list[Verdict]) -> None:
        reasons = disputed()
        for verdict in verdicts:
            if verdict.missed:
                why = reasons.get(verdict.source, {}).get(verdict.id)
                self.stdout.write(
                    f"{verdict.source} {verdict.id} [{', '.join(verdict.missed)}] {verdict.text}\n"
                    f"    wanted {verdict.wanted}\n    got    {verdict.got}" + (f"\n    disputed: {why}" if why else "")
                )


def _files(paths: list[Path]) -> list[Path]:
    """The files named, and of each folder those that some part can judge."""
    known = [pattern for patterns, _ in PARTS.values() for pattern in patterns]
    found = []
    for path in paths:
        if path.is_dir():
            found += sorted({file for pattern in known for file in path.glob(pattern)})
        elif not path.is_file():
            raise CommandError(f"{path} is neither a file nor a folder")
        elif not any(map(path.match, known)):
            raise CommandError(f"{path.name}: the name must fit one of {', '.join(known)}")
        else:
            found.append(path)
    return found


def _rows(path: Path) -> list[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]

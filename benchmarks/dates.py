"""Time expressions: what one costs in `planner.when` and in jionlp, and the worst of texts that are made to be slow.

The expressions are those of docs/time.md. Each counts with the best of its rounds, which is its own cost; the CPU of
this process alone is counted, so that what else runs beside it has little say.
"""

import contextlib
import importlib
import importlib.util
import io
import logging
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from types import ModuleType
from zoneinfo import ZoneInfo

from benchmarks.figures import Figure
from benchmarks.rig import ROOT, Services
from planner import when
from tests.planner.words import HOSTILE, ROWS

INSTALL = "not installed: pip install -r benchmarks/requirements.txt"
ZONE = ZoneInfo("Asia/Shanghai")
LONG = 2000  # characters
GOAL = 0.5  # of jionlp's median
HOSTILE_MS, IMPORT_MS = 20, 50
IMPORTS = {
    "planner.when": "import dataclasses, datetime, re, zoneinfo\n{begin}\nfrom planner.when import resolve",
    "jionlp": "{begin}\nimport jionlp",
}
BEGIN = "import time; begun = time.process_time()"
REPORT = "\nprint(f'cpu {(time.process_time() - begun) * 1000}')"
Parse = Callable[[str, datetime], object]
Cases = list[tuple[str, datetime]]


def measure(here: Services, *, quick: bool) -> list[Figure]:
    rounds = 3 if quick else 8
    cases = [(words, datetime.fromisoformat(said).replace(tzinfo=ZONE)) for words, said, _ in ROWS]
    when.warm()
    other = _jionlp()
    ours, floor = _in_turn(when.resolve, _parse_time(other) if other else None, cases, rounds)
    return [
        Figure("one expression, median", "µs", *(_each(side, statistics.median) for side in (ours, floor)), goal=GOAL if other else None),
        Figure("one expression, p95", "µs", *(_each(side, _p95) for side in (ours, floor))),
        Figure(f"the worst of {len(HOSTILE)} hostile texts of {LONG} characters", "ms", _hostile(rounds), goal=HOSTILE_MS),
        Figure("import: CPU", "ms", _imported("planner.when", here, rounds), goal=IMPORT_MS),
        Figure("import of jionlp: CPU", "ms", _imported("jionlp", here, rounds) if other else [], note=INSTALL),
    ]  # fmt: skip


def _jionlp() -> ModuleType | None:
    """It greets on standard output."""
    if importlib.util.find_spec("jionlp") is None:
        return None
    with contextlib.redirect_stdout(io.StringIO()):
        return importlib.import_module("jionlp")


def _parse_time(jionlp: ModuleType) -> Parse:
    def parse(text: str, ref: datetime) -> object:
        with contextlib.suppress(Exception):  # it raises errors of many kinds for what it cannot read
            return jionlp.parse_time(text, time_base=ref.timestamp())
        return None

    return parse


def _in_turn(ours: Parse, floor: Parse | None, cases: Cases, rounds: int) -> tuple[list[list[float]], list[list[float]]]:
    """Rounds of µs per case, the two in turn; the first of each, which builds tables, is left out."""
    logging.disable(logging.CRITICAL)  # jionlp logs a traceback for each text it cannot read
    sides: tuple[list[list[float]], list[list[float]]] = ([], [])
    for number in range(rounds + 1):
        for parse, spent in zip((ours, floor), sides, strict=True):
            if parse and number:
                spent.append([_spent(parse, *case) * 1e6 for case in cases])
            elif parse:
                _ = [parse(*case) for case in cases]
    logging.disable(logging.NOTSET)
    return sides


def _each(rounds: list[list[float]], figure: Callable[[list[float]], float]) -> list[float]:
    return [figure(spent) for spent in rounds]


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _hostile(rounds: int) -> list[float]:
    """The slowest text of each round."""
    ref = datetime(2026, 3, 11, 10, tzinfo=ZONE)
    texts = [(piece * LONG)[:LONG] for piece in HOSTILE]
    return [max(_spent(when.find, text, ref) for text in texts) * 1000 for _ in range(rounds)]


def _spent(parse: Parse, text: str, ref: datetime) -> float:
    begun = time.process_time()
    parse(text, ref)
    return time.process_time() - begun


def _imported(name: str, here: Services, rounds: int) -> list[float]:
    code = IMPORTS[name].format(begin=BEGIN) + REPORT
    spent = []
    with tempfile.TemporaryDirectory() as kept:
        warm = here.environment | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": kept}
        for _ in range(rounds + 1):  # the first one writes the .pyc files
            done = subprocess.run(
                [sys.executable, "-c", code], env=warm, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
            )
            spent.append(float(done.stdout.split("cpu ")[-1]))
    return spent[1:]

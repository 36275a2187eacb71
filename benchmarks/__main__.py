"""python -m benchmarks [webhook] [batch] [doorbell] [reminders] [startup] [dates] [--quick]

Figures, not gates: it ends with 0 whatever they are, and with 1 when a part broke.
"""

import argparse
import importlib
import json
import os
import sys
import traceback
from typing import Any

from benchmarks.figures import Figure, table
from benchmarks.rig import ROOT, Services, services

PARTS = ["webhook", "batch", "doorbell", "reminders", "startup", "dates"]


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks")
    options.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; all of them without any")
    options.add_argument("--quick", action="store_true", help="fewer rounds: good for a look, not for a claim")
    chosen = options.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        options.error(f"no such part: {', '.join(sorted(unknown))}")
    os.chdir(ROOT)
    report: dict[str, Any] = {"cpus": os.cpu_count(), "load": round(os.getloadavg()[0], 1), "broke": []}
    with services() as here:
        os.environ.update(here.environment)  # this process publishes and queries as the product's own do
        for part in chosen.parts or PARTS:
            here.empty()
            figures = measured(part, here, quick=chosen.quick)
            report[part] = [figure.as_json() for figure in figures or []]
            report["broke"] += [] if figures else [part]
    print(json.dumps(report, ensure_ascii=False))
    return 1 if report["broke"] else 0


def measured(part: str, here: Services, *, quick: bool) -> list[Figure] | None:
    """None when it broke; the traceback says where."""
    try:
        figures: list[Figure] = importlib.import_module(f"benchmarks.{part}").measure(here, quick=quick)
    except Exception:
        traceback.print_exc()
        return None
    print(f"\n{part}\n" + "\n".join("  " + row for row in table(figures)) + "\n", flush=True)
    return figures


if __name__ == "__main__":
    sys.exit(main())

"""What a process costs before its first message: CPU seconds and resident megabytes, a fresh process each."""

import statistics
import subprocess
import sys


def line(what: str, values: list[float], goal: float | None = None) -> dict[str, object]:
    middle = statistics.median(values)
    verdict = "" if goal is None else f"   ≤ {goal:g}  {'met' if middle <= goal else 'MISSED'}"
    print(f"  {what:48s} {middle:.2f} ({min(values):.2f}–{max(values):.2f}){verdict}", flush=True)
    return {"what": what, "median": round(middle, 3), "goal": goal}


STARTS = {
    "web": "import planner.wsgi; from django.urls import get_resolver; get_resolver().url_patterns",
    "beat, workers without batches": "import planner.celery as c, django; django.setup(); c.app.loader.import_default_modules()",
    "worker with batches": "import planner.celery as c, django; django.setup(); c.app.loader.import_default_modules();"
    "from agent import client; client.engine()[0].compiled()",
}
REPORT = "\nimport re, time; rss = int(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024; print(time.process_time(), rss)"


def measure(environment: dict[str, str], *, rounds: int) -> list[dict[str, object]]:
    rows = []
    for name, code in STARTS.items():
        found = []
        for _ in range(rounds):
            out = subprocess.run([sys.executable, "-c", code + REPORT], env=environment, capture_output=True, text=True, check=True).stdout
            found.append([float(value) for value in out.split()])
        rows.append(line(f"{name}: CPU seconds to start", [seconds for seconds, _ in found]))
        rows.append(line(f"{name}: MB resident", [mb for _, mb in found], None if name == "worker with batches" else 100))
    return rows

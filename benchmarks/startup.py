"""What a process costs before its first message: CPU seconds and resident megabytes, a fresh process each."""

import subprocess
import sys

from benchmarks.figures import Figure
from benchmarks.rig import Services

STARTS = {
    "web": "import planner.wsgi; from django.urls import get_resolver; get_resolver().url_patterns",
    "beat, workers without batches": "import planner.celery as c, django; django.setup(); c.app.loader.import_default_modules()",
    "worker with batches": "import planner.celery as c, django; django.setup(); c.app.loader.import_default_modules();"
    "from agent import client; client.engine()[0].compiled()",
}
REPORT = "\nimport re, time; rss = int(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1]) / 1024; print(time.process_time(), rss)"


def measure(here: Services, *, quick: bool) -> list[Figure]:
    return [figure for name, code in STARTS.items() for figure in started(name, code, here, rounds=3 if quick else 5)]


def started(name: str, code: str, here: Services, *, rounds: int) -> list[Figure]:
    found = []
    for _ in range(rounds):
        command = [sys.executable, "-c", code + REPORT]
        out = subprocess.run(command, env=here.environment, capture_output=True, text=True, check=True).stdout
        found.append([float(value) for value in out.split()])
    seconds, megabytes = zip(*found, strict=True)
    return [Figure(f"{name}: CPU to start", "s", list(seconds)), Figure(f"{name}: resident", "MB", list(megabytes))]

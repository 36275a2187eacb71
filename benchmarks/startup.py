"""What a process costs before its first message: CPU and memory, a fresh process each, just before it would fork or
serve. Its code runs as its command would run it: the same modules, the same signals."""

import subprocess
import sys

from benchmarks.figures import Figure
from benchmarks.floors import startup as floors
from benchmarks.rig import ROOT, Services

WEB = "from planner.wsgi import application; from django.urls import get_resolver; get_resolver().url_patterns\n"
CELERY = """
import sys; sys.argv = ["celery", "-A", "planner", "{what}", "-Q", "{queues}"]
import celery.apps.{what}, kombu.transport.redis
from planner.celery import app
from celery.signals import beat_init, celeryd_after_setup, worker_init
app.loader.init_worker(); app.finalize()
if "{what}" == "worker": worker_init.send(sender=None)
(celeryd_after_setup if "{what}" == "worker" else beat_init).send(sender=None)
"""
STARTS = {
    "web": (WEB, floors.WEB),
    "beat": (CELERY.format(what="beat", queues=""), floors.LIGHT),
    "light worker": (CELERY.format(what="worker", queues="outbound,reminders,maintenance"), floors.LIGHT),
    "batches worker": (CELERY.format(what="worker", queues="batches"), floors.BATCHES),
}
GOALS = {"web": 1.3, "beat": 1.3, "light worker": 1.3}  # of the CPU; MB below
MEGABYTES = 100
REPORT = """
import re, time
print(time.process_time(), int(re.search(r"VmRSS:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""


def measure(here: Services, *, quick: bool) -> list[Figure]:
    figures = []
    for name, sides in STARTS.items():
        ours, floor = [], []
        for number in range(2 if quick else 4):
            turn = [started(code, here) for code in sides]
            if number:  # the first one warms the .pyc files
                ours.append(turn[0])
                floor.append(turn[1])
        goal, most = GOALS.get(name), MEGABYTES if name in GOALS else None
        figures += [
            Figure(f"{name}: CPU to start", "s", *([cpu for cpu, _ in side] for side in (ours, floor)), goal=goal),
            Figure(f"{name}: resident", "MB", [megabytes for _, megabytes in ours], goal=most),
        ]
    return figures


def started(code: str, here: Services) -> tuple[float, float]:
    """(CPU seconds, MB resident) of a process that runs `code`."""
    command = [sys.executable, "-c", code + REPORT]
    done = subprocess.run(
        command, env=here.environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    cpu, megabytes = done.stdout.split()[-2:]
    return float(cpu), float(megabytes)

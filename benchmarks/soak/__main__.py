"""python -m benchmarks.soak [--followers 1000] [--minutes 60] [--speed 10] [--faults 0.05] [--seed 1] [--model]

An hour of mixed traffic against the real processes on private servers, with bad answers from every upstream; then the
balance. Ends with 1 when the balance does not come out.
"""

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator

import psycopg

from benchmarks.rig import ROOT, free_port, running, services
from benchmarks.soak.clock import FastClock

QUEUES = {"batches": 2, "transcription,outbound,reminders,maintenance": 2}
DRAIN = 240  # real seconds


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.soak")
    options.add_argument("--followers", type=int, default=1000)
    options.add_argument("--minutes", type=float, default=60, help="of simulated time")
    options.add_argument("--speed", type=float, default=10, help="simulated seconds in a real one")
    options.add_argument("--faults", type=float, default=0.05, help="the share of bad answers of each upstream")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--model", action="store_true", help="a model understands, not the rules")
    chosen = options.parse_args()
    os.chdir(ROOT)
    with services() as here:
        os.environ.update(here.environment)
        import django

        django.setup()
        return soak(here.environment, chosen)


def soak(environment: dict[str, str], chosen: argparse.Namespace) -> int:
    from benchmarks.soak import sheet, traffic
    from benchmarks.soak.door import Door

    turns = traffic.hour(followers=chosen.followers, seconds=chosen.minutes * 60, seed=chosen.seed, voice=True)
    clock = FastClock(environment["DATABASE_URL"], chosen.speed)
    began = time.monotonic()
    with upstreams(chosen, clock, turns) as (phones, told, settings):
        with product({**environment, **clock.environment(), **settings}) as url:
            door = Door(f"{url}/wechat/callback", clock)
            door.play(turns)
            with psycopg.connect(environment["DATABASE_URL"], autocommit=True) as db:
                drained(db, sheet.unrest)
                balance = sheet.drawn(db, turns, door, phones)
    faults = {name: number for name, number in told().items() if number}
    report = {"seed": chosen.seed, "seconds": round(time.monotonic() - began), "faults": faults, **balance.counts}
    for name, value in report.items():
        print(f"  {name:28} {value}")
    for line in balance.wrong[:40]:
        print(f"  WRONG  {line}")
    print(json.dumps({**report, "wrong": len(balance.wrong)}, ensure_ascii=False))
    return 1 if balance.wrong else 0


def drained(db, unrest) -> None:
    deadline = time.monotonic() + DRAIN
    while unrest(db) and time.monotonic() < deadline:
        time.sleep(0.5)


@contextlib.contextmanager
def upstreams(chosen, clock: FastClock, turns) -> Iterator[tuple]:
    """(phones, what failed how often, settings)."""
    from benchmarks.soak.upstreams import SoakAsr, SoakModel, SoakWeChat
    from tests.doubles.asr import SECRET_ID, SECRET_KEY
    from tests.sounds import amr

    wechat, asr = SoakWeChat(chosen.faults, chosen.seed), SoakAsr(chosen.faults, chosen.seed + 1)
    model = SoakModel(chosen.faults, chosen.seed + 2, lambda: clock.now)
    for turn in turns:
        if turn.kind == "voice":
            sound = amr(2) + turn.number.to_bytes(8, "big") * 4
            wechat.media.holds(f"media-{turn.number}", sound)
            asr.heard[sound] = turn.text + "。"
    doubles = {"wechat": wechat, "asr": asr, "llm": model}

    def told() -> dict[str, int]:
        return {f"{name}: {kind}": n for name, double in doubles.items() for kind, n in double.faults.told.items()}

    with wechat, asr, model:
        settings = {
            "WECHAT_API_BASE": wechat.url,
            "WECHAT_APP_SECRET": "soak",
            "TENCENT_ASR_ENDPOINT": asr.url,
            "TENCENT_SECRET_ID": SECRET_ID,
            "TENCENT_SECRET_KEY": SECRET_KEY,
            **({"LLM_BASE_URL": model.url + "/v1", "LLM_MODEL": "soak", "LLM_API_KEY": "k"} if chosen.model else {}),
        }
        yield wechat.phones, told, settings


@contextlib.contextmanager
def product(environment: dict[str, str]) -> Iterator[str]:
    """Web, workers and clock, as in production."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    python, celery = [sys.executable, "-m"], [sys.executable, "-m", "celery", "-A", "planner"]
    with contextlib.ExitStack() as stack:
        schedule = stack.enter_context(tempfile.TemporaryDirectory())
        web = [*python, "gunicorn", "-k", "gthread", "-w", "2", "--threads", "8", "-b", f"127.0.0.1:{port}"]
        stack.enter_context(running([*web, "planner.wsgi"], environment, url=url + "/healthz"))
        for queues, processes in QUEUES.items():
            quiet = ["--without-gossip", "--without-mingle", "-l", "WARNING"]
            stack.enter_context(running([*celery, "worker", "-Q", queues, "-c", str(processes), *quiet], environment))
        stack.enter_context(running([*celery, "beat", "-s", f"{schedule}/beat", "--pidfile="], environment))
        yield url


if __name__ == "__main__":
    sys.exit(main())

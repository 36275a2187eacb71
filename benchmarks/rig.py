"""What every bench shares: private servers that keep their promises (fsync on), and the CPU of processes."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from redis import Redis

from tests.services import Postgres, redis, until_up

ROOT = Path(__file__).resolve().parent.parent
TOKEN = "bench-token"
TABLES = "planner_follower, planner_reminder, planner_operationresult, webhook_batch, webhook_inboundmessage, webhook_attempt"
TICKS = os.sysconf("SC_CLK_TCK")


class Durable(Postgres):
    SETTINGS = {
        **Postgres.SETTINGS,
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "shared_buffers": "256MB",
        "max_wal_size": "4GB",  # no checkpoint in the middle of one side's turn
        "checkpoint_timeout": "30min",
    }


@dataclass(frozen=True)
class Services:
    """A production's environment on private servers, with the schema in place."""

    environment: dict[str, str]
    server: Postgres

    @property
    def postgres(self) -> int:
        """Its pid."""
        return self.server.server.pid

    def crash(self) -> None:
        """The database dies, and comes back with all that it has committed."""
        self.server.restart()

    @property
    def database(self) -> str:
        return self.server.seeing_url

    def empty(self) -> None:
        """No part works off what another has left."""
        with (
            psycopg.connect(self.database, autocommit=True) as db,
            Redis.from_url(self.environment["REDIS_URL"]) as kept,
        ):
            db.execute(f"TRUNCATE {TABLES} CASCADE")
            kept.flushall()


@contextlib.contextmanager
def services() -> Iterator[Services]:
    with Durable() as postgres, redis() as broker:
        environment = {
            **os.environ,
            "DATABASE_URL": postgres.url,
            "REDIS_URL": broker,
            "SECRET_KEY": "bench-" * 10,
            "WECHAT_APP_ID": "wxbench",
            "WECHAT_TOKEN": TOKEN,
            "WECHAT_AES_KEY": "",
            "WECHAT_API_BASE": "http://127.0.0.1:9",  # nobody listens there
            "LLM_BASE_URL": "",
            "DJANGO_SETTINGS_MODULE": "planner.settings",
        }
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
        yield Services(environment, postgres)


def on_cpu(pid: int) -> int:
    """Nanoseconds that a process and its children that live now have run; each has one thread. Where `cpu` counts in
    hundredths of a second, this counts the few milliseconds of a short turn."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return sum(map(_ran, [pid, *children]))


def _ran(pid: int | str) -> int:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    except FileNotFoundError:  # gone since it was listed: a helper of the server's own
        return 0


def cpu(pid: int) -> float:
    """User and system seconds of a process and all its descendants, those already gone included."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
            ticks[int(stat.parent.name)] = sum(map(int, fields[11:15]))
    total, todo = 0, [pid]
    while todo:
        one = todo.pop()
        total += ticks.get(one, 0)
        todo += children.get(one, [])
    return total / TICKS


@contextlib.contextmanager
def running(command: list[str], environment: dict[str, str], *, url: str = "") -> Iterator[int]:
    """A server or worker for the length of the block; with `url`, up when that answers."""
    child = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if url:
            until_up(child, url, " ".join(command))
        yield child.pid
    finally:
        child.terminate()
        child.wait(30)

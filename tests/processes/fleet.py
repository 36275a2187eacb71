"""The product as it is deployed: web, workers and a clock, each a process by name that can be killed and brought back."""

import contextlib
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Self

from tests.services import free_port, until_up

ROOT = Path(__file__).resolve().parents[2]
OTHERS = "transcription,outbound,reminders,maintenance"
QUIET = ("--without-gossip", "--without-mingle", "-l", "WARNING")


class Fleet:
    """`environment`: of every process; PGAPPNAME becomes its name, so that the database knows who wrote what."""

    def __init__(self, environment: dict[str, str], folder: str) -> None:
        self.environment, self.folder = environment, folder
        self.commands: dict[str, list[str]] = {}
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.log: IO[bytes] = open(os.path.join(folder, "fleet.log"), "ab")  # noqa: SIM115 - as long as the fleet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for child in self.running.values():
            child.terminate()
        for name in list(self.running):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.running[name].wait(15)
            self.kill(name)
        self.log.close()

    def web(self, name: str = "web", *, workers: int = 2) -> str:
        """Returns its address, once it answers."""
        port = free_port()
        bind = ["-w", str(workers), "--threads", "8", "-b", f"127.0.0.1:{port}"]
        self.start(name, "-m", "gunicorn", "-k", "gthread", *bind, "planner.wsgi")
        url = f"http://127.0.0.1:{port}"
        until_up(self.running[name], url + "/healthz", name)
        return url

    def worker(self, name: str, queues: str, processes: int) -> None:
        self.start(
            name, "-m", "celery", "-A", "planner", "worker", "-Q", queues, "-c", str(processes), "-n", name, *QUIET
        )

    def beat(self, name: str = "beat") -> None:
        schedule = os.path.join(self.folder, f"{name}-schedule")
        self.start(name, "-m", "celery", "-A", "planner", "beat", "-s", schedule, "--pidfile=", "-l", "WARNING")

    def start(self, name: str, *arguments: str) -> None:
        self.commands[name] = [sys.executable, *arguments]
        self.running[name] = subprocess.Popen(
            self.commands[name],
            cwd=ROOT,
            env={**self.environment, "PGAPPNAME": name},
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )

    def kill(self, name: str) -> None:
        """The whole of it, children included: a machine that is gone."""
        child = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def back(self, name: str) -> None:
        """Started anew, as a supervisor does it."""
        _, *arguments = self.commands[name]
        self.start(name, *arguments)

    def kill_child(self, name: str, draw: random.Random) -> None:
        """One process of the pool; its parent forks another."""
        pid = self.running[name].pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if children:  # a pool that was just started has none yet
            os.kill(int(draw.choice(children)), signal.SIGKILL)

"""Processes of the product, forked from the warm stage: they play, and die, sleep or fail as they are armed."""

import logging
import os
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from celery import current_app
from django.conf import settings
from django.db import connection, connections

from planner import crashpoints
from tests.crash.relay import AFTER, BEFORE
from tests.crash.stage import STALLED, Stage

STRUCK, PROGRESS, ACKED = 1, 2, 64  # places on the board
KILL, PAUSE, HALF = "kill", "pause", "pause, half taken over"
RAISE, CUT, LOST = "raise", "cut before", "answer lost"
FAULTS = (KILL, PAUSE, HALF, RAISE, CUT, LOST)


@dataclass(frozen=True)
class Fault:
    """Strikes when `point` is reached for the nth time. LOST only where a commit comes next."""

    point: str
    kind: str
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.kind} at {self.point}" + (f" ({self.nth}.)" if self.nth > 1 else "")

    def hook(self, stage: Stage) -> crashpoints.Hook:
        left = [self.nth]

        def reached(name: str) -> None:
            if name != self.point:
                return
            left[0] -= 1
            if left[0] == 0:
                stage.board[STRUCK] = 1
                self.strike(stage, name)

        return reached

    def strike(self, stage: Stage, name: str) -> None:
        match self.kind:
            case "cut before":
                stage.board[0] = BEFORE
            case "answer lost":
                stage.board[0] = AFTER
            case "pause" | "pause, half taken over":
                crashpoints.strike("stop", name)
            case _:
                crashpoints.strike(self.kind, name)


class Actor:
    """One forked process. `ended` is its exit status once it has one."""

    number = 0

    def __init__(
        self, stage: Stage, play: Callable[[], None], *, fault: Fault | None = None,
        hook: crashpoints.Hook | None = None, with_settings: dict[str, object] | None = None,
        patch: Callable[[], None] | None = None,
        name: str = "",
    ) -> None:  # fmt: skip
        Actor.number += 1
        self.name = f"actor-{Actor.number}{name}"
        self.ended: int | None = None
        self.pid = os.fork()
        if self.pid:
            return
        code = 1
        try:
            self._become(stage, fault, with_settings or {})
            if patch:
                patch()
            crashpoints.arm(fault.hook(stage) if fault else hook)
            play()
            code = 0
        except BaseException:  # noqa: BLE001 - the child must never return into the parent's code
            with open(os.path.join(stage.folder, "actors.log"), "a") as log:
                log.write(f"{self.name}\n{traceback.format_exc()}\n")
        finally:
            os._exit(code)

    def _become(self, stage: Stage, fault: Fault | None, with_settings: dict[str, object]) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        connection.connection = None  # the parent's, which closes it itself
        current_app._after_fork()  # and the broker's
        for name, value in with_settings.items():
            setattr(settings, name, value)
        db = connections["default"].settings_dict
        cut = fault is not None and fault.kind in (CUT, LOST)
        if cut:
            db["HOST"] = stage.relay
        asked = db["OPTIONS"]["options"]
        db["OPTIONS"] = {
            **db["OPTIONS"],
            "application_name": self.name,
            "options": f"{asked} -c statement_timeout=15000 -c idle_in_transaction_session_timeout={STALLED}",
        }
        logging.getLogger().handlers[:] = [logging.FileHandler(os.path.join(stage.folder, "actors.log"))]

    def wait(self, seconds: float = 60) -> str:
        """ "stopped", "killed", "ended" or "failed"; a hanging one is killed and told."""
        deadline = time.monotonic() + seconds
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG | os.WUNTRACED)
            if pid and os.WIFSTOPPED(status):
                return "stopped"
            if pid:
                self.ended = status
                return "killed" if os.WIFSIGNALED(status) else "failed" if os.WEXITSTATUS(status) else "ended"
            if time.monotonic() > deadline:
                self.kill()
                raise TimeoutError(f"{self.name} hangs")
            time.sleep(0.004)

    def wake(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            _, self.ended = os.waitpid(self.pid, 0)

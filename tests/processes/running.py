"""Real processes of the product on the test's own database: what a kill, a flush or a second clock does to them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection


def environment(**more: str) -> dict[str, str]:
    """The test's own settings, for a child: its database, its broker, its doubles."""
    db = connection.settings_dict
    host = quote(str(db["HOST"]), safe="/")
    url = f"postgresql://{db['USER']}:{db['PASSWORD']}@/{db['NAME']}?host={host}"
    if db["PORT"]:
        url = f"postgresql://{db['USER']}:{db['PASSWORD']}@{db['HOST']}:{db['PORT']}/{db['NAME']}"
    return {
        **os.environ,
        "DATABASE_URL": url,
        "WECHAT_API_BASE": settings.WECHAT_API_BASE,
        "PYTHONPATH": str(settings.BASE_DIR),
        "PYTHONWARNINGS": "ignore",
        **more,
    }


@contextmanager
def process(*arguments: str, **more: str) -> Iterator[subprocess.Popen[str]]:
    """A child that is surely gone afterwards."""
    child = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment(**more),
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait(20)
        assert child.stdout is not None
        child.stdout.close()


def killed(child: subprocess.Popen[str]) -> str:
    """Waits for a child that kills itself; anything else is told with what it said."""
    output, _ = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGKILL, output
    return output


def until(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Polls another process's effect, for as long as a slow machine may need."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} did not come true in {seconds:g} s")

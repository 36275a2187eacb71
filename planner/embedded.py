"""The embedded home: web, worker and clock as threads of one process, for a machine that has nothing else.

The same tasks and the same rows as in production; only who runs them differs. A memory broker loses its rings with the
process, and the sweep finds every row again.
"""

import signal
import threading
import time
import warnings
from typing import Any, Self

from celery.beat import EmbeddedService
from celery.exceptions import SecurityWarning
from celery.signals import worker_ready
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler

from planner.doorbell import Queue
from planner.wsgi import application, celery_app

START_SECONDS = 120
STOP_SECONDS = 20


class PortTaken(Exception):
    """The web address cannot be had: the message says which."""


class _Quiet(WSGIRequestHandler):
    timeout = 60  # a peer that sends nothing does not hold a thread for ever

    def log_message(self, format: str, *args: Any) -> None:
        """No access log: the callback's query string is as good as a password for the next minutes."""


class Home:
    """Everything runs from __enter__ to __exit__. `port` 0 takes a free one; `url` is where the web answers."""

    def __init__(self, *, host: str, port: int, threads: int = 4) -> None:
        self._web = _listen(host, port)
        shown = "127.0.0.1" if host in ("0.0.0.0", "") else host  # noqa: S104 - compared, not bound
        self.url = f"http://{shown}:{self._web.server_port}"
        warnings.filterwarnings("ignore", category=SecurityWarning)  # about root and pickle; our messages are JSON
        self._worker = celery_app.Worker(
            pool="threads",
            concurrency=threads,
            queues=[queue.value for queue in Queue],
            loglevel=settings.LOG_LEVEL,  # Celery sets the root logger's level, even where it must not hijack it
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
            quiet=True,
        )
        self._threads = [
            threading.Thread(target=self._worker.start, name="worker", daemon=True),
            threading.Thread(target=self._web.serve_forever, args=(0.1,), name="web", daemon=True),
        ]
        # `worker -B` would fork a process for the clock, which cannot reach a queue in memory.
        self._beat: Any = EmbeddedService(celery_app, thread=True, scheduler_cls="celery.beat:Scheduler")

    def __enter__(self) -> Self:
        """Returns when the worker has loaded the agent and listens: no first message waits for that."""
        ready = threading.Event()
        worker_ready.connect(lambda **_: ready.set(), weak=False, dispatch_uid="embedded")
        for thread in self._threads:
            thread.start()
        deadline = time.monotonic() + START_SECONDS
        while not ready.wait(0.2):
            if time.monotonic() > deadline or not self._threads[0].is_alive():
                raise RuntimeError("the worker did not start; its error stands in the log above")
        self._beat.start()
        return self

    def __exit__(self, *exc: object) -> None:
        """No new work; what is running has some seconds to end, and what does not end is found by the next start."""
        self._web.shutdown()
        self._web.server_close()
        if self._beat.is_alive():
            self._beat.stop()
        self._worker.stop()
        self._threads[0].join(STOP_SECONDS)


def _listen(host: str, port: int) -> ThreadedWSGIServer:
    try:
        server = ThreadedWSGIServer((host, port), _Quiet)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or "no such port"
        raise PortTaken(f"{host}:{port} cannot be listened on ({why}); choose another --port") from None
    server.daemon_threads = True
    server.set_app(application)
    return server


def stop_on_signals() -> None:
    """SIGTERM ends like Ctrl-C does, even where a shell has started us with SIGINT ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)

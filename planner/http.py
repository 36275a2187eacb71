"""What a failed request proves: only what failed before a connection stood was surely not received. And a request's
total time, which no client keeps by itself."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import requests
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError, NameResolutionError, NewConnectionError

_NOT_CONNECTED = (NewConnectionError, NameResolutionError, ConnectTimeoutError)
T = TypeVar("T")


def beneath(error: requests.RequestException) -> Any:
    """What urllib3 said, without the retries that it wraps around it."""
    cause: Any = error.args[0] if error.args else None
    return cause.reason if isinstance(cause, MaxRetryError) else cause


def not_connected(error: requests.RequestException) -> bool:
    """Refused, unresolved, no connection in time."""
    return isinstance(error, requests.ConnectTimeout) or isinstance(beneath(error), _NOT_CONNECTED)


def never_arrived(error: requests.RequestException) -> bool:
    """Not connected, or no TLS: nothing of the request has left."""
    return not_connected(error) or isinstance(error, requests.exceptions.SSLError)


def within(seconds: float, work: Callable[[], T], *, begun: Callable[[], None] | None = None) -> T:
    """What `work` returns or raises, or TimeoutError: read timeouts start anew with every byte that drips in.

    The thread may be left behind; whatever ends the connection ends it. `begun` is called once it is on its way.
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - handed over to the thread that waits
            done.set_exception(error)

    threading.Thread(target=run, name="within", daemon=True).start()
    if begun:
        begun()
    return done.result(seconds)

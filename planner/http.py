"""What a failed request proves: only what failed before a connection stood was surely not received."""

from typing import Any

import requests
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError, NameResolutionError, NewConnectionError

_NOT_CONNECTED = (NewConnectionError, NameResolutionError, ConnectTimeoutError)


def never_arrived(error: requests.RequestException) -> bool:
    """Refused, unresolved, no connection in time, no TLS: nothing of the request has left."""
    cause: Any = error.args[0] if error.args else None
    reason = cause.reason if isinstance(cause, MaxRetryError) else cause
    early = requests.ConnectTimeout | requests.exceptions.SSLError
    return isinstance(error, early) or isinstance(reason, _NOT_CONNECTED)

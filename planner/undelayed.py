"""Answers that leave at once, whichever server runs the event loop.

An ASGI answer is two writes, its head and its body. uvicorn with several workers makes its listening socket without
naming TCP, so asyncio does not switch Nagle's algorithm off for it: the body waits until the peer acknowledges the
head, and a peer delays that by 40 ms.
"""

import socket
from collections.abc import Awaitable, Callable
from typing import Any

App = Callable[[Any, Any, Any], Awaitable[None]]
INTERNET = (socket.AF_INET, socket.AF_INET6)


class Undelayed:
    """An ASGI application around another."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        undelay(send)
        await self.app(scope, receive, send)


def undelay(send: Any) -> None:
    """uvicorn's `send` is a method of what holds the connection; of another server's nothing is known or changed."""
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    peer = transport.get_extra_info("socket") if transport else None
    if peer is not None and peer.family in INTERNET:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

"""The callback under ASGI, beside Django's own handler, which keeps a thread for each request that is going on.

Taking a message in is one small synchronous function in a pool of threads, each giving its connection back; only the
hold is asynchronous.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.db import connection
from django.http import HttpResponse

from webhook import views
from webhook.holding import Holds
from webhook.protocol import MAX_BODY

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class Door:
    """An ASGI application around another."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.pool = ThreadPoolExecutor(settings.DB_POOL_SIZE, thread_name_prefix="door")
        self.holds = Holds(self._in_thread)

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != views.PATH:
            await self.app(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            return
        taken = await self._in_thread(views.take, ASGIRequest(scope, io.BytesIO(body)))
        response = taken if isinstance(taken, HttpResponse) else await self._held(taken, receive)
        if response is not None:
            await _respond(send, response)

    async def _in_thread(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, partial(_alone, function, *arguments))

    async def _held(self, taken: views.Taken, receive: Receive) -> HttpResponse | None:
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            answer = await self.holds.hold(taken.held, gone)
            return None if gone.done() else views.answered(taken, answer)
        finally:
            gone.cancel()


def _alone(function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return function(*arguments)
    finally:
        connection.close()  # back to the pool: the next in this thread may come much later


async def _body(receive: Receive) -> bytes | None:
    """None when the peer has gone. What is too long is cut one byte too long: the view says so."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        if len(body) <= MAX_BODY:
            body = (body + message.get("body", b""))[: MAX_BODY + 1]
        if not message.get("more_body"):
            return body


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


async def _respond(send: Send, response: HttpResponse) -> None:
    headers = [(name.lower().encode(), value.encode()) for name, value in response.items()]
    headers.append((b"content-length", str(len(response.content)).encode()))
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})

"""An ASGI answer is two writes; the second must not wait 40 ms for the peer to acknowledge the first."""

import asyncio
import contextlib
import socket
import threading
from http.client import HTTPConnection

import uvicorn

from planner.undelayed import Undelayed
from tests.processes.running import until


async def tells_its_delay(scope, receive, send):
    """Answers with what the connection's own socket says."""
    peer = send.__self__.transport.get_extra_info("socket")
    on = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"1")]})
    await send({"type": "http.response.body", "body": b"1" if on else b"0"})


@contextlib.contextmanager
def served(app):
    """(port) of a real uvicorn whose socket was made as it makes it for several workers: without naming TCP."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    with socket.socket(socket.AF_INET) as listening:
        listening.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            until(lambda: server.started, "uvicorn to start")
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


def test_the_body_of_an_answer_does_not_wait_for_the_peer():
    with served(Undelayed(tells_its_delay)) as port:
        channel = HTTPConnection("127.0.0.1", port, timeout=30)
        channel.request("GET", "/")
        assert channel.getresponse().read() == b"1"
        channel.close()


def test_a_server_that_shows_no_connection_is_served_all_the_same():
    heard = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start"})

    async def send(message):
        heard.append(message["type"])

    asyncio.run(Undelayed(app)({}, None, send))

    assert heard == ["http.response.start"]

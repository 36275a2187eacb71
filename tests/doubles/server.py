"""A small real HTTP server for doubles: each request goes to one function, everything that came is kept."""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass
class Request:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    json: Any = None
    port: int = 0  # the caller's: one connection has one


@dataclass
class Answer:
    """`drop`: `before` closes the connection without reading on, `after` does the work and then closes, `hang` waits
    for the double's end. `drip`: seconds before each byte of the body; `Double.cut` is set when nobody reads it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    drop: str = ""
    drip: float = 0
    short: int = 0  # so many bytes of the announced body never come


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has hung up is no fault of the double."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Double:
    """Subclasses implement `answer(request) -> Answer`."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self.cut = threading.Event()

    def answer(self, request: Request) -> Answer:
        raise NotImplementedError

    def __enter__(self) -> Self:
        self.server = _Server(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

    def calls(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path.endswith(path)]


def _handler(double: Double) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # one write per answer: else Nagle and delayed ACK cost 40 ms
        disable_nagle_algorithm = True

        def log_message(self, format: str, *args: Any) -> None:
            return

        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length) if length else b""
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.command, parts.path, query, headers, body, _json(body), self.client_address[1])
            with double.lock:
                double.requests.append(request)
            self._write(double.answer(request))

        do_GET = do_POST = _serve

        def _write(self, answer: Answer) -> None:
            if answer.drop == "hang":
                double.closing.wait(30)
            if answer.drop:
                self.close_connection = True
                return
            data = answer.body
            if isinstance(data, dict | list):
                data = json.dumps(data, ensure_ascii=False).encode()
            data = data.encode() if isinstance(data, str) else data or b""
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if answer.drip:
                self._drip(data, answer.drip)
            else:
                self.wfile.write(data[: len(data) - answer.short])
                self.close_connection = self.close_connection or bool(answer.short)

        def _drip(self, data: bytes, pace: float) -> None:
            try:
                for byte in data:
                    self.wfile.write(bytes([byte]))
                    self.wfile.flush()
                    if double.closing.wait(pace):
                        return
            except OSError:
                double.cut.set()
                self.close_connection = True

    return Handler


def _json(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


Responder = Callable[[Request], Answer]

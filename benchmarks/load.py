"""Signed text messages over persistent connections: by wrk where there is one, else by sixteen sockets of our own."""

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from itertools import count

from benchmarks.rig import TOKEN
from webhook.protocol import sign

CONNECTIONS = 16
FOLLOWERS = 1000
MESSAGE = (
    "<xml><ToUserName><![CDATA[gh_bench]]></ToUserName><FromUserName><![CDATA[o-follower-%016d]]></FromUserName>"
    "<CreateTime>%d</CreateTime><MsgType><![CDATA[text]]></MsgType>"
    "<Content><![CDATA[后天下午三点和客户开会，提前十分钟提醒我]]></Content><MsgId>%.0f</MsgId></xml>"
)
SCRIPT = f"""
function init(args) n = 0; base = tonumber(args[1]); path = args[2] end
function request()
  n = n + 1
  local body = string.format("{MESSAGE}", n % {FOLLOWERS}, os.time(), base + n)
  return wrk.format("POST", path, {{["Content-Type"] = "text/xml"}}, body)
end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('JSON{{"requests": %d, "us": %d, "p99": %d, "errors": %d}}', summary.requests,
    summary.duration, latency:percentile(99), e.connect + e.read + e.write + e.status + e.timeout))
end
"""


@dataclass(frozen=True)
class Load:
    requests: int
    seconds: float
    p99: float  # seconds

    @property
    def time(self) -> float:
        """Seconds per request."""
        return self.seconds / self.requests


def fire(port: int, seconds: int) -> Load:
    """Raises RuntimeError when any request was not answered with 200."""
    timestamp = str(int(time.time()))
    path = f"/wechat/callback?signature={sign(TOKEN, timestamp, '1')}&timestamp={timestamp}&nonce=1"
    first = time.time_ns() // 1000 % 10**14
    if not shutil.which("wrk"):
        return asyncio.run(_sockets(port, path, first, seconds))
    return _wrk(port, path, first, seconds)


def _wrk(port: int, path: str, first: int, seconds: int) -> Load:
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT)
        script.flush()
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "8s", "-s", script.name]
        command += [f"http://127.0.0.1:{port}", "--", str(first), path]
        out = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True).stdout
    found = json.loads(out.partition("JSON")[2])
    if found["errors"] or not found["requests"]:
        raise RuntimeError(f"{found['errors']} of {found['requests']} requests failed")
    return Load(found["requests"], found["us"] / 1e6, found["p99"] / 1e6)


async def _sockets(port: int, path: str, first: int, seconds: int) -> Load:
    start = time.perf_counter()
    numbers, waits = count(1), []

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < start + seconds:
            n = next(numbers)
            body = (MESSAGE % (n % FOLLOWERS, time.time(), first + n)).encode()
            head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/xml\r\nContent-Length: {len(body)}"
            asked = time.perf_counter()
            writer.write(head.encode() + b"\r\n\r\n" + body)
            await asyncio.wait_for(_answer(reader), 8)
            waits.append(time.perf_counter() - asked)
        writer.close()

    await asyncio.gather(*(client() for _ in range(CONNECTIONS)))
    return Load(len(waits), time.perf_counter() - start, sorted(waits)[int(len(waits) * 0.99)])


async def _answer(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    if " 200 " not in head.partition("\r\n")[0]:
        raise RuntimeError(f"not answered with 200: {head[:200]}")
    if "transfer-encoding: chunked" in head:
        await reader.readuntil(b"\r\n0\r\n\r\n")
    else:
        await reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))

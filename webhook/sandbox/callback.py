"""Pushing to the account's server as WeChat does: signed, 5 s to answer, the same push three times in all."""

import http.client
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

from webhook.sandbox.wire import passive_answer, signed_query

DELIVERIES = 3
FAULT = "该公众号提供的服务出现故障，请稍后再试"


@dataclass(frozen=True)
class Callback:
    """`seconds` is what the server has for its answer; a failed delivery is repeated when they are over."""

    url: str
    token: str
    closing: threading.Event
    seconds: float = 5.0

    def push(self, openid: str, body: bytes) -> str:
        """The passive answer's text, '' for none, or the line that the phone shows when nobody answers rightly."""
        for _ in range(DELIVERIES):
            answer = self._deliver(openid, body)
            if answer is not None:
                text = passive_answer(answer)
                return FAULT if text is None else text
            if self.closing.is_set():
                break
        return FAULT

    def _deliver(self, openid: str, body: bytes) -> bytes | None:
        """None when there was no 200 in time."""
        parts = urlsplit(self.url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=self.seconds)
        path = f"{parts.path}?{signed_query(self.token, openid)}"
        try:
            connection.request("POST", path, body, {"Content-Type": "text/xml", "User-Agent": "Mozilla/4.0"})
            response = connection.getresponse()
            answer = response.read()
            if response.status == 200:
                return answer
        except TimeoutError:
            return None
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        self.closing.wait(self.seconds)
        return None

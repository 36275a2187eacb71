"""Fetching what a follower has sent: `media/get`, within a size and a time, kept in memory only.

WeChat keeps it for three days and lets it be read again, so every failure's effect is none. An error comes as HTTP 200
with JSON, as everywhere; whatever begins otherwise is the medium.
"""

import json
import time
from dataclasses import dataclass

import requests
from django.conf import settings
from urllib3.exceptions import HTTPError

from planner import upstreams
from planner.errors import Effect, Failure, Retry
from planner.http import within
from planner.upstreams import Upstream
from webhook.tokens import Tokens
from webhook.wechat import WeChat, classify, transport

MAX_BYTES = 3 * 1024 * 1024  # a voice message has at most 2 MB
SECONDS = 20.0
CHUNK = 64 * 1024
TOO_BIG = "too_big"


@dataclass
class Media:
    """`seconds`: for the whole transfer, however slowly it drips."""

    wechat: WeChat
    seconds: float = SECONDS
    max_bytes: int = MAX_BYTES

    def download(self, media_id: str) -> bytes:
        """The bytes. Raises Failure; a refused token is renewed and the request repeated, once."""
        return Tokens(self.wechat).used_for(lambda token: self._get(token, media_id))

    def _get(self, token: str, media_id: str) -> bytes:
        with upstreams.calling(Upstream.MEDIA, seconds=self.seconds):
            try:
                body = within(self.seconds, lambda: self._read(token, media_id))
            except TimeoutError:
                raise _later("录音没有在时限内传完", "slow") from None
            except requests.RequestException as error:
                raise _pure(transport(error)) from None
            except HTTPError:  # of the connection underneath, read from directly
                raise _later("录音没有传完", "cut") from None
            if body.lstrip()[:1] == b"{":
                raise _refusal(body)
        return body

    def _read(self, token: str, media_id: str) -> bytes:
        """In a thread that `within` may leave behind: its own look at the clock ends it then."""
        url = settings.WECHAT_API_BASE + "/cgi-bin/media/get"
        timeout = (settings.WECHAT_CONNECT_SECONDS, settings.WECHAT_READ_SECONDS)
        deadline = time.monotonic() + self.seconds
        with requests.Session() as session:
            session.trust_env = False
            session.headers.update({"Connection": "close", "Accept-Encoding": "identity"})
            query = {"access_token": token, "media_id": media_id}
            with session.get(url, params=query, timeout=timeout, allow_redirects=False, stream=True) as response:
                if response.status_code != 200:
                    raise _later(f"微信返回 HTTP {response.status_code}", f"http_{response.status_code}")
                return self._body(response, deadline)

    def _body(self, response: requests.Response, deadline: float) -> bytes:
        """Cut off at the cap."""
        body = bytearray()
        while chunk := response.raw.read1(CHUNK):
            body += chunk
            if len(body) > self.max_bytes:
                raise Failure(
                    f"录音超过 {self.max_bytes} 字节",
                    retry=Retry.NEVER,
                    effect=Effect.NONE,
                    code=TOO_BIG,
                    upstream=Upstream.MEDIA,
                )
            if time.monotonic() > deadline:
                raise _later("录音没有在时限内传完", "slow")
        return bytes(body)


def _later(reason: str, code: str) -> Failure:
    return Failure(reason, retry=Retry.LATER, effect=Effect.NONE, code=code, sick=True, upstream=Upstream.MEDIA)


def _pure(failure: Failure) -> Failure:
    """What is unknown of a send is harmless here: the next one reads it again."""
    retry = Retry.LATER if failure.effect is Effect.UNKNOWN else failure.retry
    return Failure(
        failure.reason,
        retry=retry,
        effect=Effect.NONE,
        code=failure.code,
        retry_after=failure.retry_after,
        down=failure.down,
        upstream=Upstream.MEDIA,
    )


def _refusal(body: bytes) -> Failure:
    try:
        answer = json.loads(body)
        failure = classify(int(answer["errcode"]), str(answer.get("errmsg", "")))
    except (ValueError, TypeError, KeyError):
        return _later("微信的答复无法解析", "garbage")
    known = failure.effect is Effect.NONE or failure.retry is not Retry.NEVER
    return (
        _pure(failure)
        if known
        else Failure(failure.reason, retry=Retry.NEVER, effect=Effect.NONE, code=failure.code, upstream=Upstream.MEDIA)
    )

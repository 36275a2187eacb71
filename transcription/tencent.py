"""Tencent's SDK: the only module that knows it, loaded by the worker when there is something to hear.

The SDK keeps no total time, says nothing of what a failed request proves, and takes an error whose content type has a
charset for an empty success. Each call here has one time, one connection and no retry.
"""

import base64
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from django.conf import settings
from tencentcloud.asr.v20190614 import models
from tencentcloud.asr.v20190614.asr_client import AsrClient
from tencentcloud.common.credential import Credential
from tencentcloud.common.exception.tencent_cloud_sdk_exception import TencentCloudSDKException
from tencentcloud.common.profile.client_profile import ClientProfile
from tencentcloud.common.profile.http_profile import HttpProfile

from planner import upstreams
from planner.http import never_arrived, within
from planner.upstreams import Upstream
from transcription.asr import Unheard, classify
from transcription.sound import Sound

T = TypeVar("T")
CONNECT_SECONDS = 3.0
DATA = 1  # SourceType: the sound comes with the request
WAITING, RUNNING, DONE = 0, 1, 2
_STAMP = re.compile(r"^\[[\d:.,\s]+\]\s*", re.MULTILINE)  # [0:0.020,0:2.380] before each line


class Tencent:
    def recognise(self, sound: Sound, hotwords: str) -> str:
        """The words of up to a minute, '' for silence. Raises Unheard."""
        request = models.SentenceRecognitionRequest()
        request.EngSerViceType, request.VoiceFormat = settings.TENCENT_ASR_ENGINE, sound.as_sentence
        _fill(request, sound, hotwords)
        words = _call(lambda client: client.SentenceRecognition(request).Result)
        if not isinstance(words, str):
            raise classify("unreadable")
        return words

    def submit_task(self, sound: Sound, hotwords: str) -> int:
        """Orders the recognition of a long sound and returns the task's number. Raises Unheard; mind its effect."""
        request = models.CreateRecTaskRequest()
        request.EngineModelType, request.ChannelNum, request.ResTextFormat = settings.TENCENT_ASR_ENGINE, 1, 0
        _fill(request, sound, hotwords)
        data = _call(lambda client: client.CreateRecTask(request).Data)
        if data is None or not isinstance(data.TaskId, int):
            raise classify("unreadable")
        return data.TaskId

    def task_status(self, task: int) -> str | None:
        """The words, '' for silence, or None while it goes on. Raises Unheard."""
        request = models.DescribeTaskStatusRequest()
        request.TaskId = task
        data = _call(lambda client: client.DescribeTaskStatus(request).Data)
        if data is None or not isinstance(data.Status, int):
            raise classify("unreadable")
        if data.Status in (WAITING, RUNNING):
            return None
        if data.Status != DONE:
            raise classify("task_failed", detail=str(data.ErrorMsg)[:80])
        return " ".join(_STAMP.sub("", data.Result or "").split("\n")).strip()


def _fill(request: Any, sound: Sound, hotwords: str) -> None:
    request.SourceType, request.Data, request.DataLen = DATA, base64.b64encode(sound.data).decode(), len(sound.data)
    if hotwords:
        request.HotwordList = hotwords


def _call(ask: Callable[[AsrClient], T]) -> T:
    seconds = settings.TENCENT_ASR_TIMEOUT_SECONDS
    with upstreams.calling(Upstream.ASR, seconds=seconds):
        try:
            client = _client()
            with closing(client.request.conn._session):
                return within(seconds, lambda: ask(client))
        except TimeoutError:
            raise classify("timeout") from None
        except TencentCloudSDKException as error:
            raise _failure(error) from None


def _failure(error: TencentCloudSDKException) -> Unheard:
    """The SDK's own text may hold the address; its code, and what lay under it, are all that is kept."""
    cause, code = error.__context__, str(error.code)
    if isinstance(cause, requests.RequestException):
        return classify("refused" if never_arrived(cause) else _of_transport(cause))
    known = code.split(".")[0][:1].isupper() and code not in ("JSONDecodeError", "KeyError", "TypeError")
    return classify(code if known else "unreadable")


def _of_transport(cause: requests.RequestException) -> str:
    return "timeout" if isinstance(cause, requests.Timeout) else "ClientNetworkError"


class _Client(AsrClient):  # type: ignore[misc]
    """With an address that may be plain HTTP and have a path: the SDK knows host names only."""

    def __init__(self, address: str, profile: ClientProfile) -> None:
        credential = Credential(settings.TENCENT_SECRET_ID, settings.TENCENT_SECRET_KEY)
        self._requestPath = urlsplit(address).path or "/"
        super().__init__(credential, settings.TENCENT_REGION, profile)
        self.request._handle_host = lambda host: address


def _client() -> _Client:
    given = settings.TENCENT_ASR_ENDPOINT or AsrClient._endpoint
    address = given if "://" in given else f"https://{given}"
    parts = urlsplit(address)
    timeout = (CONNECT_SECONDS, settings.TENCENT_ASR_TIMEOUT_SECONDS)
    http = HttpProfile(protocol=parts.scheme, endpoint=parts.netloc, reqTimeout=timeout, keepAlive=False)
    return _Client(address, ClientProfile(httpProfile=http))

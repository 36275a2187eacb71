"""Tencent's speech recognition as a real HTTP server: it checks the signature, knows formats by their bytes, counts what
is to be paid. Scripted per action: `asr.script("SentenceRecognition", refusal("InternalError"), Answer(502), …)`; when a
script is used up, the honest behaviour follows. `Answer(drop="after")` does the work and loses the answer.
"""

import base64
import hashlib
import hmac
import threading
from collections import deque
from typing import Any

from tests.doubles.server import Answer, Double, Request

SECRET_ID, SECRET_KEY = "AKIDtest0000000000000000000000000000", "secret-key-of-the-tests"
SENTENCE, CREATE, STATUS = "SentenceRecognition", "CreateRecTask", "DescribeTaskStatus"
MARKS = {
    "amr": b"#!AMR",
    "silk": b"#!SILK_V3",
    "speex": b"OggS",
    "wav": b"RIFF",
    "mp3": b"\xff\xfb",
    "m4a": b"\x00\x00\x00\x20ftyp",
}
FOR_TASKS = {"amr", "wav", "mp3", "m4a"}
JSON = {"Content-Type": "application/json"}


def answered(**values: Any) -> Answer:
    return Answer(body={"Response": {**values, "RequestId": "req-1"}}, headers=JSON)


def refusal(code: str, *, content_type: str = "application/json") -> Answer:
    body = {"Response": {"Error": {"Code": code, "Message": f"about {code}"}, "RequestId": "req-2"}}
    return Answer(body=body, headers={"Content-Type": content_type})


class FakeAsr(Double):
    """`says`: the words of everything; `heard[sound]`: of that sound. `polls`: questions until a task is done."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: dict[str, deque[Answer]] = {}
        self.says = "后天下午三点开会。"
        self.heard: dict[bytes, str] = {}
        self.polls = 1
        self.takes_wide_amr = True
        self.paid: list[str] = []
        self.tasks: dict[int, dict[str, Any]] = {}
        self.gate: threading.Event | None = None

    def script(self, action: str, *answers: Answer) -> None:
        self.scripts.setdefault(action, deque()).extend(answers)

    def asked(self, action: str) -> list[dict[str, Any]]:
        """The requests' bodies."""
        return [r.json for r in self.requests if r.headers.get("x-tc-action") == action]

    def answer(self, request: Request) -> Answer:
        action = request.headers.get("x-tc-action", "")
        if self.gate is not None:
            self.gate.wait(20)
        with self.lock:
            queue = self.scripts.get(action)
            answer = queue.popleft() if queue else None
            if answer is not None and answer.drop not in ("after", "hang"):
                return answer
            honest = self._honest(action, request)
            return answer or honest

    def _honest(self, action: str, request: Request) -> Answer:
        if not _signed(request):
            return refusal("AuthFailure.SignatureFailure")
        if action == STATUS:
            return self._status(request.json["TaskId"])
        data = base64.b64decode(request.json["Data"])
        assert request.json["DataLen"] == len(data)
        if action == CREATE:
            return self._create(data)
        return self._sentence(request.json["VoiceFormat"], data)

    def _sentence(self, name: str, data: bytes) -> Answer:
        if len(data) * 4 / 3 > 3 * 1024 * 1024 or _seconds(data) > 60:
            return refusal("InvalidParameterValue.ErrorVoicedataTooLong")
        if not data.startswith(MARKS.get(name, b"?")) or (data.startswith(b"#!AMR-WB") and not self.takes_wide_amr):
            return refusal("InvalidParameterValue.ErrorInvalidVoiceFormat")
        self.paid.append(SENTENCE)
        return answered(Result=self.heard.get(data, self.says), AudioDuration=2000, WordSize=0, WordList=None)

    def _create(self, data: bytes) -> Answer:
        if not any(data.startswith(MARKS[name]) for name in FOR_TASKS):
            return refusal("InvalidParameterValue.ErrorInvalidVoiceFormat")
        self.paid.append(CREATE)
        number = 10_000_000 + len(self.tasks)
        self.tasks[number] = {"left": self.polls, "words": self.heard.get(data, self.says)}
        return answered(Data={"TaskId": number})

    def _status(self, number: int) -> Answer:
        if number not in self.tasks:
            return refusal("FailedOperation.NoSuchTask")
        task = self.tasks[number]
        task["left"] -= 1
        done = task["left"] < 0
        words = f"[0:0.020,0:2.380]  {task['words']}\n" if done and task["words"] else ""
        state = {"TaskId": number, "Status": 2 if done else 1, "StatusStr": "success" if done else "doing"}
        return answered(Data={**state, "Result": words, "ErrorMsg": "", "ResultDetail": None, "AudioDuration": 70.0})


def failed_task(message: str = "Failed to download audio") -> Answer:
    data = {"TaskId": 1, "Status": 3, "StatusStr": "failed", "Result": "", "ErrorMsg": message}
    return answered(Data=data)


def _seconds(data: bytes) -> float:
    """Of 12.2 kbit/s AMR and of 16 kHz WAV, as tests/sounds.py makes them."""
    return len(data) / 1600 if data.startswith(b"#!AMR\n") else len(data) / 32000 if data.startswith(b"RIFF") else 0


def _signed(request: Request) -> bool:
    """TC3-HMAC-SHA256 over content type, host and body."""
    headers = request.headers
    scope = headers["authorization"].split("Credential=")[1].split(",")[0]
    _, date, service, _ = scope.split("/")
    canonical = (
        f"POST\n{request.path}\n\ncontent-type:{headers['content-type']}\nhost:{headers['host']}\n\ncontent-type;host\n"
        + hashlib.sha256(request.body).hexdigest()
    )
    text = "\n".join(
        (
            "TC3-HMAC-SHA256",
            headers["x-tc-timestamp"],
            f"{date}/{service}/tc3_request",
            hashlib.sha256(canonical.encode()).hexdigest(),
        )
    )
    key = f"TC3{SECRET_KEY}".encode()
    for part in (date, service, "tc3_request"):
        key = hmac.new(key, part.encode(), "sha256").digest()
    right = hmac.new(key, text.encode(), "sha256").hexdigest()
    return scope.startswith(SECRET_ID + "/") and headers["authorization"].endswith("Signature=" + right)

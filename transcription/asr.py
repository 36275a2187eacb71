"""Tencent's speech recognition, as answers: what each code means for the clip. The one table of this upstream.

`effect` is whether a long recognition may have been ordered, and so be paid, although we did not hear of it; for the
short one and for questions about a task it does not matter, since they may be repeated. Codes are those of the SDK
(asr/v20190614/errorcodes.py), of Tencent's signature layer, the SDK's own, and our own in lower case.
"""

from dataclasses import dataclass
from enum import StrEnum

from planner.errors import Effect, Failure, Retry
from planner.upstreams import Upstream
from webhook.models import VoiceClip

LONGEST_SENTENCE = 60.0  # seconds
SENTENCE_BYTES = 3 * 1024 * 1024  # both of base64 text
TASK_BYTES = 5 * 1024 * 1024


class Turn(StrEnum):
    """Where a refused clip may go on, besides trying the same again."""

    NONE = "none"
    OTHER_FORM = "other form"  # the other recording, or a converted one
    LONGER_WAY = "longer way"  # the interface for long sound
    NEW_TASK = "new task"
    SILENT = "silent"  # there was nothing to understand


@dataclass(frozen=True)
class Answer:
    """`down`: an outage, which spends no claim. `tells`: what the follower is told if it is the last word."""

    retry: Retry
    effect: Effect
    words: str
    down: bool = False
    tells: str = VoiceClip.UNAVAILABLE
    turn: Turn = Turn.NONE


class Unheard(Failure):
    """A Failure that says where the clip may go on, and what the follower is told if nowhere."""

    def __init__(self, code: str, answer: Answer, *, detail: str = "", upstream: str = Upstream.ASR) -> None:
        super().__init__(
            f"{answer.words}（{detail or code}）",
            retry=answer.retry,
            effect=answer.effect,
            code=code,
            down=answer.down,
            sick=answer.down or answer.effect is Effect.UNKNOWN,
            upstream=upstream,
        )
        self.turn, self.tells = answer.turn, answer.tells


_NONE, _UNKNOWN = Effect.NONE, Effect.UNKNOWN
_BUSY = Answer(Retry.LATER, _NONE, "语音识别限流", down=True)
_SERVER = Answer(Retry.LATER, _UNKNOWN, "语音识别服务出错")
_FETCH = Answer(Retry.LATER, _NONE, "语音识别取不到录音")
_KEYS = Answer(Retry.OPERATOR, _NONE, "腾讯云不认这个密钥，检查 TENCENT_SECRET_ID 和 TENCENT_SECRET_KEY")
_CLOCK = Answer(Retry.OPERATOR, _NONE, "腾讯云说签名过期，检查这台机器的时钟")
_ACCOUNT = Answer(Retry.OPERATOR, _NONE, "腾讯云账号的语音识别不可用：未开通、欠费或资源包用完")
_SETTINGS = Answer(Retry.OPERATOR, _NONE, "语音识别的设置不对，检查 TENCENT_ASR_ENGINE 和 TENCENT_REGION")
_REQUEST = Answer(Retry.NEVER, _NONE, "语音识别不接受这个请求")
_FORMAT = Answer(Retry.NEVER, _NONE, "语音识别读不了这段录音", tells=VoiceClip.UNREADABLE, turn=Turn.OTHER_FORM)
_LENGTH = Answer(Retry.NEVER, _NONE, "录音太长", tells=VoiceClip.TOO_LONG, turn=Turn.LONGER_WAY)
_SILENCE = Answer(Retry.NEVER, _NONE, "录音里没有人声", turn=Turn.SILENT)
_TASK_LOST = Answer(Retry.LATER, _NONE, "识别任务不在了", turn=Turn.NEW_TASK)

ANSWERS: dict[str, Answer] = {
    "RequestLimitExceeded": _BUSY,
    "InternalError": _SERVER,
    "InternalError.ErrorDownFile": _FETCH,
    "FailedOperation": Answer(Retry.LATER, _NONE, "语音识别没有成功"),
    "FailedOperation.ErrorRecognize": Answer(Retry.LATER, _NONE, "语音识别没有成功"),
    "FailedOperation.ErrorDownFile": _FETCH,
    "FailedOperation.NoSuchTask": _TASK_LOST,
    "FailedOperation.CheckAuthInfoFailed": _ACCOUNT,
    "FailedOperation.ServiceIsolate": _ACCOUNT,
    "FailedOperation.UserHasNoAmount": _ACCOUNT,
    "FailedOperation.UserHasNoFreeAmount": _ACCOUNT,
    "FailedOperation.UserNotRegistered": _ACCOUNT,
    "LimitExceeded": _ACCOUNT,
    "AuthFailure": _KEYS,
    "AuthFailure.SignatureExpire": _CLOCK,
    "UnauthorizedOperation": _KEYS,
    "InvalidCredential": _KEYS,
    "UnsupportedRegion": _SETTINGS,
    "InvalidParameter": _REQUEST,
    "MissingParameter": _REQUEST,
    "UnknownParameter": _REQUEST,
    "InvalidParameterValue": _REQUEST,
    "InvalidParameterValue.ErrorInvalidVoiceFormat": _FORMAT,
    "InvalidParameterValue.ErrorInvalidVoicedata": _FORMAT,
    "InvalidParameterValue.ErrorVoicedataTooLong": _LENGTH,
    "InvalidParameterValue.ErrorInvalidEngservice": _SETTINGS,
    "InvalidParameterValue.ErrorInvalidAppid": _SETTINGS,
    "InvalidParameterValue.NoHumanVoice": _SILENCE,
    "ServerNetworkError": Answer(Retry.LATER, _UNKNOWN, "语音识别服务没有正常答复", down=True),
    "ClientNetworkError": Answer(Retry.LATER, _UNKNOWN, "语音识别服务中断了连接"),
    "refused": Answer(Retry.LATER, _NONE, "连不上语音识别服务", down=True),
    "timeout": Answer(Retry.LATER, _UNKNOWN, "语音识别没有在时限内答复"),
    "unreadable": Answer(Retry.LATER, _UNKNOWN, "语音识别的答复无法解析"),
    "task_failed": Answer(Retry.NEVER, Effect.DONE, "识别任务失败"),
}
_UNLISTED = Answer(Retry.LATER, _UNKNOWN, "语音识别返回了未知的错误")


def classify(code: str, *, detail: str = "") -> Unheard:
    """By the code, else by its family: Tencent adds new ones behind the dot."""
    answer = ANSWERS.get(code) or ANSWERS.get(code.partition(".")[0]) or _UNLISTED
    return Unheard(code[:80], answer, detail=detail)

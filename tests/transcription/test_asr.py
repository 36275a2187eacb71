"""Every answer of the recogniser and what becomes of the clip: the outcome table, played over the SDK's own wire."""

import pytest
from tencentcloud.asr.v20190614 import errorcodes

from planner.errors import Effect, Retry
from planner.models import Alarm, Review
from tests import sounds
from tests.doubles.asr import SENTENCE, refusal
from tests.doubles.server import Answer
from tests.transcription.speaking import hear, heard, speak
from transcription.asr import ANSWERS, classify
from transcription.worker import recogniser
from webhook.models import VoiceClip

pytestmark = pytest.mark.django_db(transaction=True)
UNHEARD, FAILED, SILENT = VoiceClip.UNHEARD, VoiceClip.FAILED, VoiceClip.SILENT
LATER, NEVER, OPERATOR = Retry.LATER, Retry.NEVER, Retry.OPERATOR
NONE, UNKNOWN = Effect.NONE, Effect.UNKNOWN

# code → (retry, effect), the clip's state, claims spent, an alarm
TABLE = {
    "RequestLimitExceeded": (LATER, NONE, UNHEARD, 0, False),
    "RequestLimitExceeded.UinLimitExceeded": (LATER, NONE, UNHEARD, 0, False),
    "RequestLimitExceeded.GlobalRegionUinLimitExceeded": (LATER, NONE, UNHEARD, 0, False),
    "InternalError": (LATER, UNKNOWN, UNHEARD, 1, False),
    "InternalError.ErrorRecognize": (LATER, UNKNOWN, UNHEARD, 1, False),
    "InternalError.ErrorGetRoute": (LATER, UNKNOWN, UNHEARD, 1, False),
    "InternalError.FailAccessDatabase": (LATER, UNKNOWN, UNHEARD, 1, False),
    "InternalError.ErrorDownFile": (LATER, NONE, UNHEARD, 1, False),
    "FailedOperation": (LATER, NONE, UNHEARD, 1, False),
    "FailedOperation.ErrorRecognize": (LATER, NONE, UNHEARD, 1, False),
    "FailedOperation.ErrorDownFile": (LATER, NONE, UNHEARD, 1, False),
    "FailedOperation.UserHasNoAmount": (OPERATOR, NONE, FAILED, 1, True),
    "FailedOperation.UserHasNoFreeAmount": (OPERATOR, NONE, FAILED, 1, True),
    "FailedOperation.ServiceIsolate": (OPERATOR, NONE, FAILED, 1, True),
    "FailedOperation.UserNotRegistered": (OPERATOR, NONE, FAILED, 1, True),
    "FailedOperation.CheckAuthInfoFailed": (OPERATOR, NONE, FAILED, 1, True),
    "AuthFailure": (OPERATOR, NONE, FAILED, 1, True),
    "AuthFailure.SignatureExpire": (OPERATOR, NONE, FAILED, 1, True),
    "AuthFailure.SecretIdNotFound": (OPERATOR, NONE, FAILED, 1, True),
    "UnauthorizedOperation": (OPERATOR, NONE, FAILED, 1, True),
    "LimitExceeded.OnlineFull": (OPERATOR, NONE, FAILED, 1, True),
    "InvalidParameter": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameter.ErrorContentlength": (NEVER, NONE, FAILED, 1, False),
    "MissingParameter": (NEVER, NONE, FAILED, 1, False),
    "UnknownParameter": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameterValue": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameterValue.ErrorInvalidVoiceFormat": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameterValue.ErrorInvalidVoicedata": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameterValue.ErrorInvalidEngservice": (OPERATOR, NONE, FAILED, 1, True),
    "InvalidParameterValue.ErrorInvalidSourcetype": (NEVER, NONE, FAILED, 1, False),
    "InvalidParameterValue.NoHumanVoice": (NEVER, NONE, SILENT, 1, False),
    "SomethingNew.FromTencent": (LATER, UNKNOWN, UNHEARD, 1, False),
}


@pytest.mark.parametrize("code", TABLE)
def test_a_code_becomes_its_outcome(mei, wechat, asr, code):
    retry, effect, status, claims, alarm = TABLE[code]
    asr.script(SENTENCE, refusal(code))
    clip = speak(mei, wechat, sounds.wav())  # there is no other form to try it in

    hear(wechat)

    clip.refresh_from_db()
    assert (classify(code).retry, classify(code).effect) == (retry, effect)
    assert (clip.status, clip.claims) == (status, claims)
    assert Alarm.objects.filter(key=f"asr:{code}").exists() is alarm
    assert Review.objects.filter(kind=Review.VOICE).exists() is (status == FAILED)


def test_no_code_of_the_sdk_is_unlisted():
    codes = {value for name, value in vars(errorcodes).items() if name.isupper()}

    assert len(codes) > 50
    assert not {code for code in codes if code not in ANSWERS and code.partition(".")[0] not in ANSWERS}


WIRE = {
    "gateway": (Answer(502, "<html>bad gateway</html>"), "ServerNetworkError", 0),
    "too many": (Answer(429, "slow down"), "ServerNetworkError", 0),
    "html": (Answer(200, "<html>", {"Content-Type": "text/html"}), "unreadable", 1),
    "empty json": (Answer(200, {}, {"Content-Type": "application/json"}), "unreadable", 1),
    "error with a charset": (refusal("InternalError", content_type="application/json; charset=utf-8"), "unreadable", 1),
    "cut off": (Answer(drop="before"), "ClientNetworkError", 1),
    "short": (Answer(body={"Response": {"Result": "x"}}, headers={"Content-Type": "application/json"}, short=5), "unreadable", 1),
}  # fmt: skip


@pytest.mark.parametrize("case", WIRE)
def test_what_is_no_answer_is_tried_again_and_never_taken_for_silence(mei, wechat, asr, case):
    answer, _, claims = WIRE[case]
    asr.script(SENTENCE, answer)
    clip = speak(mei, wechat)

    hear(wechat)

    clip.refresh_from_db()
    assert (clip.status, clip.claims) == (UNHEARD, claims)


@pytest.mark.parametrize(
    "answer", [Answer(drop="hang"), Answer(body="{" + " " * 99 + "}", drip=0.05)], ids=["hangs", "drips"]
)
def test_a_call_has_one_time_in_all(mei, wechat, asr, settings, answer):
    settings.TENCENT_ASR_TIMEOUT_SECONDS = 0.3
    asr.script(SENTENCE, answer)
    clip = speak(mei, wechat)

    hear(wechat)

    clip.refresh_from_db()
    assert (clip.status, clip.claims) == (UNHEARD, 1)
    assert "时限" in clip.last_error


def test_nobody_listening_spends_no_claim(mei, wechat, asr, settings, free_port):
    settings.TENCENT_ASR_ENDPOINT = f"http://127.0.0.1:{free_port}"
    clip = speak(mei, wechat)

    hear(wechat)

    clip.refresh_from_db()
    assert (clip.status, clip.claims) == (UNHEARD, 0)


def test_while_a_person_must_mend_it_followers_are_told_at_once_and_tencent_is_left_alone(mei, wechat, asr):
    asr.script(SENTENCE, refusal("AuthFailure"))
    clips = [speak(mei, wechat) for _ in range(3)]

    hear(wechat, 3)

    assert [heard(clip)[0] for clip in clips] == [FAILED] * 3
    assert len(asr.requests) == 1
    assert Alarm.objects.get().upstream == "asr"


def test_while_the_breaker_is_open_clips_wait_unclaimed_and_are_heard_afterwards(mei, wechat, asr, clock):
    asr.script(SENTENCE, *[Answer(503, "busy")] * 5)
    clips = [speak(mei, wechat) for _ in range(6)]

    hear(wechat, 12)
    asked = len(asr.requests)
    clock.forward(seconds=61)
    hear(wechat, 6)
    clock.forward(seconds=61)
    hear(wechat, 6)

    assert asked == 5
    assert [heard(clip) for clip in clips] == [(VoiceClip.HEARD, asr.says)] * 6


def test_a_wrong_key_is_refused_by_the_signature(mei, wechat, asr, settings):
    settings.TENCENT_SECRET_KEY = "another"
    clip = speak(mei, wechat)

    hear(wechat)

    clip.refresh_from_db()
    assert clip.status == FAILED
    assert "TENCENT_SECRET_KEY" in Alarm.objects.get(key="asr:AuthFailure.SignatureFailure").detail


def test_the_client_is_tencents_own(asr):
    assert type(recogniser()).__module__ == "transcription.tencent"

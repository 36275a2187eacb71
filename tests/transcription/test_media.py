"""Fetching a recording from WeChat on its good and bad days."""

import pytest

from planner.errors import Effect, Failure, Retry
from planner.models import Alarm
from tests import sounds
from tests.doubles.server import Answer
from tests.transcription.speaking import hear, heard, speak
from webhook.media import Media
from webhook.models import VoiceClip

pytestmark = pytest.mark.django_db(transaction=True)
GET = "media/get"


def fetched(wechat, **options):
    wechat.media.holds("m-1", sounds.amr())
    return Media(wechat.client(), **options).download("m-1")


def test_the_bytes_come_as_they_are(wechat):
    assert fetched(wechat) == sounds.amr()


BAD = {
    "errors are HTTP 200": (Answer(body='{"errcode":-1,"errmsg":"system error"}'), Retry.LATER),
    "expired": (Answer(body='{"errcode":40007,"errmsg":"invalid media_id"}'), Retry.NEVER),
    "no permission": (Answer(body='{"errcode":48001,"errmsg":"api unauthorized"}'), Retry.OPERATOR),
    "quota": (Answer(body='{"errcode":45009,"errmsg":"reach max api daily quota limit"}'), Retry.QUOTA),
    "unknown code": (Answer(body='{"errcode":99999,"errmsg":"?"}'), Retry.NEVER),
    "a video": (Answer(body='{"video_url":"http://x"}'), Retry.LATER),
    "server error": (Answer(500, "oops"), Retry.LATER),
    "moved": (Answer(302, "", {"Location": "http://127.0.0.1:1/"}), Retry.LATER),
    "cut": (Answer(body=sounds.amr(), short=100), Retry.LATER),
    "closed": (Answer(drop="before"), Retry.LATER),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_recording_is_a_failure_without_effect(wechat, case):
    answer, retry = BAD[case]
    wechat.script(GET, answer)

    with pytest.raises(Failure) as caught:
        fetched(wechat)

    assert (caught.value.retry, caught.value.effect) == (retry, Effect.NONE)


def test_a_huge_body_is_cut_off(wechat):
    wechat.script(GET, Answer(body=b"#!AMR\n" + bytes(200_000)))

    with pytest.raises(Failure) as caught:
        fetched(wechat, max_bytes=100_000)

    assert caught.value.code == "too_big"


def test_a_body_that_drips_ends_with_the_time_in_all(wechat):
    wechat.script(GET, Answer(body=sounds.amr(), drip=0.1))

    with pytest.raises(Failure) as caught:
        fetched(wechat, seconds=0.3)

    assert caught.value.code == "slow"
    assert wechat.cut.wait(10), "the transfer goes on behind our back"


def test_a_dead_token_is_renewed_once(wechat):
    fetched(wechat)
    wechat.new_token()

    assert fetched(wechat) == sounds.amr()
    assert wechat.tokens == 2


def test_the_wide_recording_comes_first(mei, wechat, asr):
    speak(mei, wechat, wide=sounds.amr_wb())

    hear(wechat)

    assert [r.query["media_id"] for r in wechat.calls(GET)] == ["media-0-wide"]


def test_a_wide_recording_that_is_gone_gives_way_to_the_narrow_one(mei, wechat, asr):
    clip = speak(mei, wechat, MediaId16K="unknown")

    hear(wechat, 2)

    assert heard(clip) == (VoiceClip.HEARD, asr.says)
    assert clip.claims == 1


def test_no_permission_is_told_at_once_and_raises_an_alarm(mei, wechat, asr):
    wechat.script(GET, {"errcode": 48001, "errmsg": "api unauthorized"})
    clip = speak(mei, wechat)

    hear(wechat)

    assert heard(clip) == (VoiceClip.FAILED, "")
    assert Alarm.objects.get().key == "media:48001"


@pytest.mark.parametrize(("answer", "reason"), [
    (Answer(body='{"errcode":40007,"errmsg":"invalid media_id"}'), VoiceClip.GONE),
    (Answer(body=b""), VoiceClip.UNREADABLE),
    (Answer(body=b"MZ\x90 no sound"), VoiceClip.UNREADABLE),
])  # fmt: skip
def test_what_cannot_be_had_or_read_ends_at_once_with_its_reason(mei, wechat, asr, answer, reason):
    wechat.script(GET, answer)
    clip = speak(mei, wechat)

    hear(wechat, 3)

    clip.refresh_from_db()
    assert (clip.status, clip.reason, clip.claims) == (VoiceClip.FAILED, reason, 1)
    assert not asr.requests

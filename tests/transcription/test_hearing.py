"""From a voice message to words: short and long ones, other forms, ends."""

import sys

import pytest

from planner.models import Review
from tests import sounds
from tests.builders import follower, planned, soon
from tests.doubles.asr import CREATE, SENTENCE, STATUS, failed_task, refusal
from tests.doubles.server import Answer
from tests.transcription.speaking import hear, heard, speak
from webhook.models import Attempt, VoiceClip
from webhook.sweep import sweep

pytestmark = pytest.mark.django_db(transaction=True)
HEARD, FAILED, UNHEARD, SILENT = VoiceClip.HEARD, VoiceClip.FAILED, VoiceClip.UNHEARD, VoiceClip.SILENT
FORMAT = "InvalidParameterValue.ErrorInvalidVoiceFormat"
LENGTH = "InvalidParameterValue.ErrorVoicedataTooLong"


@pytest.mark.parametrize(("sound", "name"), [
    (sounds.amr(), "amr"), (sounds.amr_wb(), "amr"), (sounds.silk(), "silk"), (sounds.silk(tencent=False), "silk"),
    (sounds.speex(), "speex"), (sounds.mp3(), "mp3"), (sounds.wav(), "wav"),
], ids=["amr", "amr-wb", "silk", "standard silk", "speex", "mp3", "wav"])  # fmt: skip
def test_each_codec_reaches_the_recogniser_under_its_true_name(mei, wechat, asr, sound, name):
    clip = speak(mei, wechat, sound)

    hear(wechat)

    assert heard(clip) == (HEARD, asr.says)
    assert asr.asked(SENTENCE)[0]["VoiceFormat"] == name
    assert asr.asked(SENTENCE)[0]["EngSerViceType"] == "16k_zh"


def test_hot_words_are_the_followers_own_open_titles(mei, bo, wechat, asr):
    planned(mei, "和李总开会", soon(days=1))
    planned(mei, "准备宏图项目的季度汇报材料，带上U盘", soon(days=1))
    planned(bo, "别人的事")
    speak(mei, wechat)

    hear(wechat)

    assert asr.asked(SENTENCE)[0]["HotwordList"] == "带上U盘|5,和李总开会|5"


def test_without_tasks_no_hot_words_are_sent(mei, wechat, asr):
    speak(mei, wechat)

    hear(wechat)

    assert "HotwordList" not in asr.asked(SENTENCE)[0]


def test_a_form_that_is_refused_gives_way_to_the_next_for_no_claim(mei, wechat, asr):
    asr.takes_wide_amr = False
    clip = speak(mei, wechat, wide=sounds.amr_wb())

    hear(wechat, 2)

    assert heard(clip) == (HEARD, asr.says)
    assert (clip.claims, clip.codec, clip.rendition) == (1, "amr-wb", 1)


def test_without_a_decoder_the_narrow_recording_is_tried(mei, wechat, asr, monkeypatch):
    monkeypatch.setitem(sys.modules, "av", None)
    asr.takes_wide_amr = False
    clip = speak(mei, wechat, wide=sounds.amr_wb())

    hear(wechat, 2)

    assert heard(clip) == (HEARD, asr.says)
    assert (clip.claims, clip.codec) == (1, "amr")


def test_silk_that_is_refused_is_converted_once(mei, wechat, asr):
    asr.script(SENTENCE, refusal(FORMAT))
    clip = speak(mei, wechat, sounds.silk())

    hear(wechat, 2)

    assert heard(clip)[0] == HEARD
    assert [body["VoiceFormat"] for body in asr.asked(SENTENCE)] == ["silk", "wav"]


def test_what_is_refused_in_every_form_ends(mei, wechat, asr):
    asr.script(SENTENCE, *[refusal(FORMAT)] * 9)
    clip = speak(mei, wechat, sounds.silk(), wide=sounds.silk())

    hear(wechat, 9)

    clip.refresh_from_db()
    assert (clip.status, clip.reason) == (FAILED, VoiceClip.UNREADABLE)
    assert len(asr.asked(SENTENCE)) == 4


def test_a_long_recording_is_ordered_once_asked_about_and_heard(mei, wechat, asr, clock):
    asr.polls = 2
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(4):
        hear(wechat)
        clock.forward(seconds=31)

    assert heard(clip) == (HEARD, asr.says)
    assert (asr.paid, len(asr.asked(STATUS)), clip.claims) == ([CREATE], 3, 1)


def test_what_the_short_way_finds_too_long_goes_the_long_way(mei, wechat, asr, clock):
    asr.script(SENTENCE, refusal(LENGTH))
    clip = speak(mei, wechat, sounds.mp3())

    hear(wechat)
    clock.forward(seconds=3)
    hear(wechat)

    clip.refresh_from_db()
    assert (clip.rec_task, clip.polls, clip.claims) == (10_000_000, 1, 0)


def test_long_silk_is_converted_for_the_long_way(mei, wechat, asr):
    clip = speak(mei, wechat, sounds.silk(61))

    hear(wechat)

    clip.refresh_from_db()
    assert (clip.rec_task, asr.paid) == (10_000_000, [CREATE])


def test_long_speex_cannot_be_decoded_and_is_told_so(mei, wechat, asr):
    asr.script(SENTENCE, refusal(LENGTH))
    clip = speak(mei, wechat, sounds.speex())

    hear(wechat)

    clip.refresh_from_db()
    assert (clip.status, clip.reason) == (FAILED, VoiceClip.TOO_LONG)
    assert not asr.asked(CREATE)


def test_the_questions_grow_rarer_and_end_with_the_deadline(mei, wechat, asr, clock):
    asr.polls = 10_000
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(100):
        hear(wechat)
        sweep()
        clock.forward(seconds=12)

    clip.refresh_from_db()
    assert (clip.status, clip.reason) == (FAILED, VoiceClip.LATE)
    assert 20 < len(asr.asked(STATUS)) < 50


@pytest.mark.parametrize(
    "trouble", [refusal("InternalError"), refusal("RequestLimitExceeded"), Answer(502), Answer(drop="before")]
)
def test_trouble_while_asking_pays_nothing_and_goes_on_asking(mei, wechat, asr, clock, trouble):
    asr.polls = 0
    asr.script(STATUS, *[trouble] * 4)
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(6):
        hear(wechat)
        clock.forward(seconds=31)

    assert heard(clip) == (HEARD, asr.says)
    assert asr.paid == [CREATE]


def test_a_task_that_is_gone_is_ordered_anew_once(mei, wechat, asr, clock):
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(8):
        hear(wechat)
        asr.tasks.clear()
        clock.forward(seconds=60)

    clip.refresh_from_db()
    assert clip.status == FAILED
    assert asr.paid == [CREATE, CREATE]


def test_a_task_that_failed_is_final(mei, wechat, asr, clock):
    asr.script(STATUS, failed_task())
    clip = speak(mei, wechat, sounds.amr(75))

    hear(wechat)
    clock.forward(seconds=3)
    hear(wechat)

    clip.refresh_from_db()
    assert clip.status == FAILED
    assert "Failed to download" in clip.last_error


def test_an_order_whose_answer_is_lost_is_repeated_once_and_then_a_person_looks(mei, wechat, asr, clock):
    asr.script(CREATE, *[Answer(drop="after")] * 5)
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(6):
        hear(wechat)
        clock.forward(minutes=1)

    clip.refresh_from_db()
    assert clip.status == FAILED
    assert asr.paid == [CREATE, CREATE]
    assert "不再付费" in Review.objects.get().reason


def test_an_order_that_was_refused_is_no_order(mei, wechat, asr, clock):
    asr.script(CREATE, *[refusal("RequestLimitExceeded")] * 4)
    clip = speak(mei, wechat, sounds.amr(75))

    for _ in range(8):
        hear(wechat)
        clock.forward(minutes=1)

    assert heard(clip) == (HEARD, asr.says)
    assert asr.paid == [CREATE]


@pytest.mark.parametrize("words", ["", "。", "  "])
def test_nothing_understood_is_silence_and_no_error(mei, wechat, asr, words):
    asr.says = words
    clip = speak(mei, wechat)

    hear(wechat, 3)

    assert heard(clip) == (SILENT, "")
    assert len(asr.paid) == 1
    assert not Review.objects.exists()


def test_three_failures_end_in_one_review(mei, wechat, asr, clock):
    asr.script(SENTENCE, *[refusal("InternalError")] * 9)
    clip = speak(mei, wechat)

    for _ in range(5):
        hear(wechat)
        clock.forward(minutes=2)

    clip.refresh_from_db()
    assert (clip.status, clip.claims, len(asr.asked(SENTENCE))) == (FAILED, 3, 3)
    assert Review.objects.get().kind == Review.VOICE
    assert [a.outcome for a in Attempt.objects.order_by("id")] == ["retried", "retried", "failed"]


def test_wechats_own_words_stand_in_when_ours_fail(mei, wechat, asr):
    asr.script(SENTENCE, refusal("AuthFailure"))
    clip = speak(mei, wechat, Recognition="后天开会")

    hear(wechat)

    assert heard(clip) == (HEARD, "后天开会")
    assert clip.heard_by == VoiceClip.WECHAT
    assert not Review.objects.exists()


def test_the_deadline_ends_what_nobody_heard(mei, wechat, asr, clock):
    clip = speak(mei, wechat)

    clock.forward(minutes=16)
    hear(wechat)
    sweep()

    clip.refresh_from_db()
    assert (clip.status, clip.reason, clip.claims) == (FAILED, VoiceClip.LATE, 0)


def test_a_worker_that_was_taken_for_dead_can_neither_finish_nor_record(mei, wechat, asr, clock):
    clip = speak(mei, wechat)
    first = VoiceClip.claim(900)
    clock.forward(seconds=61)
    sweep()

    hear(wechat)

    assert first.lease.claim_no == 1
    assert heard(clip)[0] == HEARD
    assert [a.outcome for a in Attempt.objects.order_by("claim_no")] == ["died", "heard"]


def test_no_word_and_no_sound_is_logged(wechat, asr, caplog, db):
    caplog.set_level("DEBUG")
    mei = follower("o-mei-secret")
    asr.says = "我的银行密码"
    speak(mei, wechat, sounds.amr())
    asr.script(SENTENCE, refusal("InternalError"))

    hear(wechat, 1)

    logged = "\n".join(f"{r.name} {r.getMessage()} {r.__dict__}" for r in caplog.records)
    assert "clip not heard" in logged
    assert "银行密码" not in logged
    assert "SendRequest" not in logged
    assert wechat.token not in logged

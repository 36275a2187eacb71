"""SIGKILL while a voice message is heard: the next worker goes on, and what is paid is bounded and known."""

import pytest
from django.db import connection

from planner.models import Review
from tests import sounds
from tests.doubles.asr import CREATE, SECRET_ID, SECRET_KEY, SENTENCE, STATUS
from tests.processes.running import killed, process
from tests.transcription.speaking import hear, heard, speak
from webhook.models import Attempt, VoiceClip
from webhook.sweep import sweep

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business"),
]


def kill(moment: str, asr, clock) -> None:
    """A worker dies at that moment, and the sweep finds out."""
    keys = {
        "CRASH_AT": f"{moment} kill",
        "TENCENT_SECRET_ID": SECRET_ID,
        "TENCENT_SECRET_KEY": SECRET_KEY,
        "TENCENT_ASR_ENDPOINT": f"{asr.url}/asr",
    }
    with process("-m", "tests.processes.voice_child", **keys) as child:
        killed(child)
    clock.forward(seconds=61)
    sweep()


@pytest.mark.parametrize(("moment", "paid"), [
    ("recording:answered", 1), ("recognition:before", 1), ("recognition:answered", 2), ("clip heard:written", 2),
])  # fmt: skip
def test_killed_while_hearing_the_next_one_downloads_and_hears_again(mei, wechat, asr, clock, moment, paid):
    clip = speak(mei, wechat)

    kill(moment, asr, clock)
    hear(wechat)

    assert heard(clip) == (VoiceClip.HEARD, asr.says)
    assert (len(wechat.calls("media/get")), asr.paid) == (2, [SENTENCE] * paid)


def test_killed_after_the_words_were_stored_nothing_is_left_to_do(mei, wechat, asr, clock):
    clip = speak(mei, wechat)

    kill("clip heard:committed", asr, clock)
    hear(wechat)

    assert heard(clip) == (VoiceClip.HEARD, asr.says)
    assert asr.paid == [SENTENCE]


def test_killed_after_an_order_whose_number_was_not_stored_orders_once_more_and_no_third_time(mei, wechat, asr, clock):
    clip = speak(mei, wechat, sounds.amr(75))

    kill("long recognition:answered", asr, clock)
    kill("release voiceclip:written", asr, clock)
    hear(wechat)

    clip.refresh_from_db()
    assert asr.paid == [CREATE, CREATE]
    assert (clip.status, clip.creates) == (VoiceClip.FAILED, 2)
    assert Review.objects.get().kind == Review.VOICE


def test_killed_before_an_order_left_pays_once(mei, wechat, asr, clock):
    clip = speak(mei, wechat, sounds.amr(75))

    kill("long recognition:before", asr, clock)
    hear(wechat)

    clip.refresh_from_db()
    assert (asr.paid, clip.rec_task) == ([CREATE], 10_000_000)


MOMENTS = ["long recognition's state:before", "long recognition's state:answered", "clip heard:written"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_while_asking_about_a_task_goes_on_asking_and_pays_once(mei, wechat, asr, clock, moment):
    clip = speak(mei, wechat, sounds.amr(75))
    asr.polls = 0
    hear(wechat)
    clock.forward(seconds=3)

    kill(moment, asr, clock)
    hear(wechat)

    assert heard(clip) == (VoiceClip.HEARD, asr.says)
    assert (asr.paid, len(asr.asked(STATUS))) == ([CREATE], 1 + (moment != MOMENTS[0]))
    assert len(wechat.calls("media/get")) == 1


def test_three_workers_killed_end_with_a_person(mei, wechat, asr, clock):
    clip = speak(mei, wechat)

    for _ in range(3):
        kill("recognition:before", asr, clock)

    clip.refresh_from_db()
    assert (clip.status, clip.claims) == (VoiceClip.FAILED, 3)
    assert [a.outcome for a in Attempt.objects.order_by("id")] == ["died"] * 3
    assert Review.objects.count() == 1

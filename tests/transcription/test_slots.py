"""Where one process serves all queues, a slow recogniser takes some of its threads and never all."""

import threading

import pytest

from tests.processes.running import until
from tests.transcription.speaking import heard, speak
from transcription import tasks
from webhook.models import VoiceClip

pytestmark = pytest.mark.django_db(transaction=True)


def test_no_more_than_two_are_heard_at_once_in_one_process(mei, bo, wechat, asr):
    speak(mei, wechat)
    tasks.hear()  # fetches the token, which two at once would wait for
    asr.gate = threading.Event()
    clips = [speak(who, wechat) for who in (mei, bo, mei)]
    threads = [threading.Thread(target=tasks.hear) for _ in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: len(asr.requests) == 3, "both to be asked", 20)

    tasks.hear()

    assert heard(clips[2])[0] == VoiceClip.UNHEARD
    asr.gate.set()
    for thread in threads:
        thread.join(20)
    assert [heard(clip)[0] for clip in clips[:2]] == [VoiceClip.HEARD] * 2

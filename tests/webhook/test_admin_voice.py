"""Voice messages at the operators' desk."""

import pytest

from agent.worker import run_next
from planner.models import Review, Task
from tests.doubles.asr import SENTENCE, refusal
from tests.transcription.speaking import hear, heard, speak, submit_all
from tests.webhook.desk import act, client, page, root, user
from webhook import forgetting
from webhook.models import Batch, OutboundMessage, Receipt, VoiceClip

pytestmark = pytest.mark.django_db(transaction=True)


def failed(mei, wechat, asr) -> VoiceClip:
    asr.script(SENTENCE, refusal("FailedOperation.UserHasNoAmount"))
    clip = speak(mei, wechat)
    hear(wechat)
    submit_all()
    run_next()
    return clip


def test_the_batchs_page_shows_what_was_heard_and_each_try(mei, wechat, asr):
    clip = speak(mei, wechat)
    hear(wechat)

    shown = page(root(), f"webhook/batch/{clip.batch_id}/change/")

    assert asr.says in shown
    assert "amr · 2.0 秒" in shown
    assert "听到了" in shown


def test_a_clip_that_failed_can_be_heard_again_in_a_batch_of_its_own(mei, wechat, asr):
    clip = failed(mei, wechat, asr)

    act(root(), "webhook/voiceclip", "retry", clip)
    hear(wechat)
    run_next()

    assert heard(clip) == (VoiceClip.HEARD, asr.says)
    assert Task.objects.get().title == "开会"
    assert clip.batch_id != Batch.objects.order_by("id")[0].pk
    assert OutboundMessage.objects.order_by("-id")[0].text.startswith(f"听到：{asr.says}")
    assert Review.objects.get().resolution == "已重试"


def test_of_two_clicks_one_wins_and_what_was_heard_is_not_heard_again(mei, wechat, asr):
    clip = failed(mei, wechat, asr)
    by = root()

    act(by, "webhook/voiceclip", "retry", clip)
    second = act(by, "webhook/voiceclip", "retry", clip)

    assert "没有改动" in second
    assert Batch.objects.count() == 2


def test_cancelling_a_batch_cancels_its_voice_messages(mei, wechat, asr):
    clip = speak(mei, wechat)

    act(root(), "webhook/batch", "cancel", clip.batch, reason="测试")
    hear(wechat)

    assert heard(clip)[0] == VoiceClip.CANCELLED
    assert not asr.requests


def test_what_wechat_tells_and_what_was_erased_stand_in_plain_chinese(mei):
    Receipt.objects.create(app_id="wx0123456789abcdef", follower=mei, wechat_msgid=5, status="failed:user block")
    forgetting.begin(mei.pk, by="关注者")
    by = client(user("op", "view"))

    assert "用户拒收" in page(by, "webhook/receipt/")
    erasures = page(by, "webhook/erasure/")
    assert "等待" in erasures
    assert mei.openid not in erasures

"""Followers who speak, and the worker that hears them."""

from typing import Any

from planner.models import Follower
from tests import sounds
from tests.builders import post, xml
from tests.doubles.wechat import FakeWeChat
from transcription.worker import hear_next, recogniser
from webhook.media import Media
from webhook.models import Batch, VoiceClip


def speak(
    who: Follower, wechat: FakeWeChat, sound: bytes | None = None, *, wide: bytes | None = None, **extra: Any
) -> VoiceClip:
    """A voice message through the real door; its sound lies at WeChat. `wide`: the 16 kHz recording."""
    number = len(wechat.media.sounds)
    narrow_id, wide_id = f"media-{number}-narrow", f"media-{number}-wide"
    wechat.media.holds(narrow_id, sounds.amr() if sound is None else sound)
    if wide is not None:
        wechat.media.holds(wide_id, wide)
        extra = {"MediaId16K": wide_id, **extra}
    fields = {"MsgType": "voice", "MediaId": narrow_id, "Format": "amr", **extra}
    assert post(xml(who.openid, **fields)).status_code == 200
    return VoiceClip.objects.order_by("-id")[0]


def hear(wechat: FakeWeChat, times: int = 1, **media: Any) -> None:
    for _ in range(times):
        hear_next(Media(wechat.client(), **media), recogniser())


def heard(clip: VoiceClip) -> tuple[str, str]:
    """(status, words)."""
    clip.refresh_from_db()
    clip.message.refresh_from_db()
    return clip.status, clip.message.text


def submit_all() -> None:
    """Their quiet time is over."""
    Batch.move_where("TRUE", (), Batch.COLLECTING, Batch.SUBMITTED)

"""The forms in which one voice message may be tried, best first: 16 kHz before 8 kHz, as it came before converted."""

from dataclasses import dataclass

from webhook.models import VoiceClip


@dataclass(frozen=True)
class Rendition:
    media_id: str
    decoded: bool = False


def of(clip: VoiceClip) -> list[Rendition]:
    media = dict.fromkeys(media_id for media_id in (clip.media_id_16k, clip.media_id) if media_id)
    return [Rendition(media_id, decoded) for media_id in media for decoded in (False, True)]


def next_after(clip: VoiceClip, *, same_media: bool) -> int | None:
    """Which to try when the present one was refused; `same_media`: a converted form of the same bytes may do better."""
    forms = of(clip)
    for n in range(clip.rendition + 1, len(forms)):
        if forms[n].media_id != forms[clip.rendition].media_id or same_media:
            return n
    return None

"""A voice message at the door: can it become words, and the row that sees to it."""

from uuid import UUID

from django.conf import settings

from planner import sql
from planner.doorbell import Queue, ring
from webhook.incoming import Voice

_CLIP = """
    INSERT INTO webhook_voiceclip (message_id, batch_id, follower_id, status, generation, media_id, media_id_16k,
        format, recognition, trace_id, created_at, available_at, deadline_at, max_claims, rendition, codec, creates,
        polls, heard_by, reason, claims, claim_no, owner, last_error)
    VALUES (%s, %s, %s, 'UNHEARD', 1, %s, %s, %s, %s, %s, app_now(), app_now(), app_later(%s), %s, 0, '', 0, 0,
        '', '', 0, 0, '', '')"""


def recognises() -> bool:
    return bool(settings.TENCENT_SECRET_ID)


def is_fetched(voice: Voice) -> bool:
    """By us, to be recognised with our keys."""
    return recognises() and bool(voice.media_id or voice.media_id_16k)


def words(voice: Voice) -> str:
    """WeChat's own recognition, where there is no better one: it is being withdrawn, and usually empty."""
    return "" if is_fetched(voice) else voice.recognition


def can_become_words(voice: Voice | None) -> bool:
    return voice is not None and bool(voice.recognition or is_fetched(voice))


def add_clip(voice: Voice, *, message_id: int, batch_id: int, follower_id: int, trace_id: UUID) -> None:
    """In the door's transaction; the recording is fetched as soon as it has committed."""
    limits = (settings.VOICE_DEADLINE_SECONDS, settings.VOICE_MAX_CLAIMS)
    names = (voice.media_id, voice.media_id_16k, voice.format, voice.recognition)
    sql.execute(_CLIP, (message_id, batch_id, follower_id, *names, trace_id, *limits))
    ring(Queue.TRANSCRIPTION)

"""A voice message at the door: can it become words, and the row that sees to it."""

from dataclasses import replace
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
# Of the follower whose row the statement returns; its parameter is where to stop counting.
SPOKEN_TODAY = """(SELECT count(*) FROM (SELECT v.created_at FROM webhook_voiceclip v
    WHERE v.follower_id = planner_follower.id ORDER BY v.id DESC LIMIT %s) c WHERE c.created_at > app_later(-86400))"""


def recognises() -> bool:
    return bool(settings.TENCENT_SECRET_ID)


def is_fetched(voice: Voice) -> bool:
    """By us, to be recognised with our keys."""
    return recognises() and bool(voice.media_id or voice.media_id_16k)


def within_the_day(voice: Voice, spoken_today: int) -> Voice:
    """Without its recordings where they are more than FOLLOWER_DAILY_VOICES in a day: to recognise each costs money."""
    most = settings.FOLLOWER_DAILY_VOICES
    over = is_fetched(voice) and 0 < most <= spoken_today
    return replace(voice, media_id="", media_id_16k="", over=True) if over else voice


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

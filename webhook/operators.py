"""What an operator's buttons do. Each is one compare-and-set: of two clicks one wins, and a repeat does nothing."""

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q

from planner import upstreams
from planner.clock import AppNow
from planner.crashpoints import committing
from planner.doorbell import Queue, ring
from planner.models import Review
from planner.operators import audit, settle_reviews
from planner.upstreams import Phase, Upstream
from webhook.models import Batch, InboundMessage, OutboundMessage, VoiceClip
from webhook.outbox import enqueue

RESENDABLE = Q(status__in=[OutboundMessage.UNKNOWN, OutboundMessage.FAILED], resent_as__isnull=True)


def retry_batch(batch: Batch, who: User) -> bool:
    """FAILED → SUBMITTED, a new generation: fresh claims, the same analysis and keys: what is done stays done once."""
    with committing("retry batch by hand"):
        where, params = "id = %s AND generation = %s", (batch.pk, batch.generation)
        fresh = {"generation": batch.generation + 1, "claims": 0}
        if not Batch.move_where(where, params, Batch.FAILED, Batch.SUBMITTED, **fresh):
            return False
        settle_reviews(Review.BATCH, batch.pk, "已重试", who)
        audit(who, batch, f"重试，第 {batch.generation + 1} 代")
        ring(Queue.BATCHES)
    return True


def cancel_batch(batch: Batch, who: User, reason: str) -> bool:
    """What has not begun, or waits for an answer, is not done. A running one cannot be called back."""
    error = f"由 {who.get_username()} 取消：{reason}"[:500]
    with committing("cancel batch"):
        if not any(
            Batch.move(batch.pk, before, Batch.CANCELLED, last_error=error)
            for before in (Batch.COLLECTING, Batch.SUBMITTED, Batch.WAITING)
        ):
            return False
        unheard = {"last_error": "批次已取消"}
        for before in (VoiceClip.UNHEARD, VoiceClip.HEARING):
            VoiceClip.move_where("batch_id = %s", (batch.pk,), before, VoiceClip.CANCELLED, **unheard)
        audit(who, batch, f"取消：{reason}")
        ring(Queue.BATCHES)  # the follower's next one may have waited for it
    return True


def retry_clip(clip: VoiceClip, who: User) -> bool:
    """FAILED → UNHEARD with fresh claims and a fresh deadline.

    Its batch has gone on without it, so the message gets a batch of its own, which waits for it as the first one did.
    Whoever presses this has mended what stood still, or wants to know: an upstream that was stopped is asked again.
    """
    with committing("hear again by hand"):
        where, params = "id = %s AND generation = %s", (clip.pk, clip.generation)
        fresh = {"generation": clip.generation + 1, "claims": 0, "rendition": 0, "polls": 0, "creates": 0, "reason": ""}
        if not VoiceClip.move_where(where, params, VoiceClip.FAILED, VoiceClip.UNHEARD, **fresh):
            return False
        _rebatch(clip)
        settle_reviews(Review.VOICE, clip.pk, "已重试", who)
        audit(who, clip, f"重新识别，第 {clip.generation + 1} 代")
        ring(Queue.TRANSCRIPTION)
    states = upstreams.states()
    for name in (Upstream.ASR, Upstream.MEDIA):
        if states[name].phase is Phase.STOPPED:
            upstreams.resume(name)
    return True


def _rebatch(clip: VoiceClip) -> None:
    """What was said keeps its own time, so «明天» is still the day after it was said."""
    batch = Batch.objects.create(
        follower_id=clip.follower_id,
        status=Batch.SUBMITTED,
        trace_id=clip.trace_id,
        available_at=AppNow(),
        collect_until=AppNow(),
        max_claims=settings.BATCH_MAX_CLAIMS,
    )
    InboundMessage.objects.filter(pk=clip.message_id).update(batch=batch)
    deadline = AppNow() + timedelta(seconds=settings.VOICE_DEADLINE_SECONDS)
    VoiceClip.objects.filter(pk=clip.pk).update(batch=batch, deadline_at=deadline)


def mark_delivered(row: OutboundMessage, who: User) -> bool:
    """UNKNOWN → SENT: the follower has confirmed that it came."""
    settled = {"last_error": f"由 {who.get_username()} 确认送达"}
    with committing("mark delivered"):
        if not OutboundMessage.move(row.pk, OutboundMessage.UNKNOWN, OutboundMessage.SENT, **settled):
            return False
        settle_reviews(Review.OUTBOUND, row.pk, "确认送达", who)
        audit(who, row, "标记已送达")
    return True


def send_again(row: OutboundMessage, who: User) -> bool:
    """A new row with a key of its own; the old one stays what it is. Only UNKNOWN and FAILED ones, once."""
    with committing("send again"):
        old = OutboundMessage.objects.select_for_update().filter(RESENDABLE, pk=row.pk).first()
        if old is None:
            return False
        _enqueue_again(old)
        fresh = OutboundMessage.objects.get(key=_key(old))
        OutboundMessage.objects.filter(pk=old.pk).update(resent_as=fresh)
        settle_reviews(Review.OUTBOUND, old.pk, "已重新发送", who)
        audit(who, old, f"重新发送为 {fresh.pk} 号")
    return True


def _key(old: OutboundMessage) -> str:
    return f"resend:{old.pk}"


def _enqueue_again(old: OutboundMessage) -> None:
    """With its task: the reminder of one that is done or moved by now rings no more, whoever asks for it."""
    task = (old.task_id, old.task_version, old.due_at) if old.task_id and old.task_version and old.due_at else None
    enqueue(
        key=_key(old),
        follower_id=old.follower_id,
        purpose=old.purpose,
        text=old.text,
        trace_id=old.trace_id,
        batch_id=old.batch_id,
        route=old.route,
        fields=old.fields,
        task=task,
    )

"""What an operator's buttons do. Each is one compare-and-set: of two clicks one wins, and a repeat does nothing."""

from django.contrib.auth.models import User
from django.db.models import Q

from planner.crashpoints import committing
from planner.doorbell import Queue, ring
from planner.models import Review
from planner.operators import audit, settle_reviews
from webhook.models import Batch, OutboundMessage
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
        audit(who, batch, f"取消：{reason}")
        ring(Queue.BATCHES)  # the follower's next one may have waited for it
    return True


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

"""What an operator's buttons do. Each is one compare-and-set: of two clicks one wins, and a repeat does nothing."""

from django.db import transaction

from planner.clock import AppNow
from planner.doorbell import Queue, ring
from planner.models import Review
from webhook.models import Batch, OutboundMessage
from webhook.outbox import enqueue


def _resolve(kind: str, pk: int, resolution: str, who: str) -> None:
    Review.objects.filter(kind=kind, object_id=pk, resolution="").update(
        resolution=resolution, resolved_by=who, resolved_at=AppNow()
    )


def retry_batch(batch: Batch, who: str) -> bool:
    """FAILED → SUBMITTED, a new generation: fresh claims, the same analysis and keys: what is done stays done once."""
    with transaction.atomic():
        where, params = "id = %s AND generation = %s", (batch.pk, batch.generation)
        fresh = {"generation": batch.generation + 1, "claims": 0}
        if not Batch.move_where(where, params, Batch.FAILED, Batch.SUBMITTED, **fresh):
            return False
        _resolve(Review.BATCH, batch.pk, "已重试", who)
        ring(Queue.BATCHES)
    return True


def cancel_batch(batch: Batch, who: str) -> bool:
    """What has not begun, or waits for an answer, is not done. A running one cannot be called back."""
    with transaction.atomic():
        return any(
            Batch.move(batch.pk, before, Batch.CANCELLED, last_error=f"由 {who} 取消")
            for before in (Batch.COLLECTING, Batch.SUBMITTED, Batch.WAITING)
        )


def mark_delivered(row: OutboundMessage, who: str) -> bool:
    """UNKNOWN → SENT: the follower has confirmed that it came."""
    with transaction.atomic():
        if not OutboundMessage.move(
            row.pk, OutboundMessage.UNKNOWN, OutboundMessage.SENT, last_error=f"由 {who} 确认送达"
        ):
            return False
        _resolve(Review.OUTBOUND, row.pk, "确认送达", who)
    return True


def send_again(pk: int, who: str) -> bool:
    """A new row with a key of its own; the old one stays what it is. Only UNKNOWN and FAILED ones, once."""
    with transaction.atomic():
        row = OutboundMessage.objects.select_for_update().get(pk=pk)
        if row.status not in (OutboundMessage.UNKNOWN, OutboundMessage.FAILED) or row.resent_as_id is not None:
            return False
        key = f"resend:{row.pk}"
        enqueue(
            key=key,
            follower_id=row.follower_id,
            purpose=row.purpose,
            text=row.text,
            trace_id=row.trace_id,
            batch_id=row.batch_id,
            route=row.route,
            fields=row.fields,
        )
        OutboundMessage.objects.filter(pk=row.pk).update(resent_as=OutboundMessage.objects.get(key=key))
        _resolve(Review.OUTBOUND, row.pk, "已重新发送", who)
    return True

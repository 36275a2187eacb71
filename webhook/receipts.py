"""TEMPLATESENDJOBFINISH: late truth about a template message. It may come before the send's own answer is recorded."""

from planner import counters, sql
from planner.clock import AppNow
from planner.models import Review
from webhook.models import OutboundMessage, Receipt


def settle(app_id: str, wechat_msgid: int, status: str) -> None:
    """Stores the receipt and, if its message is known, settles it. Inside the door's transaction; a repeat is nothing."""
    receipt, new = Receipt.objects.get_or_create(app_id=app_id, wechat_msgid=wechat_msgid, status=status)
    counters.count("receipts", status="success" if status == "success" else "failed")
    if new:
        row = OutboundMessage.objects.filter(wechat_msgid=wechat_msgid, follower__app_id=app_id).first()
        if row is not None:
            _apply(receipt, row)


def match_recorded(row_id: int, wechat_msgid: int) -> None:
    """The send's answer has come: has its receipt been waiting?"""
    receipt = Receipt.objects.filter(wechat_msgid=wechat_msgid, outbound__isnull=True).first()
    if receipt is not None:
        _apply(receipt, OutboundMessage.objects.get(pk=row_id))


def settled_late(row_id: int, claim_no: int) -> None:
    """A send was accepted after the sweep had given its sender up: late truth turns UNKNOWN into SENT."""
    where, params = "id = %s AND claim_no = %s", (row_id, claim_no)
    if OutboundMessage.move_where(where, params, OutboundMessage.UNKNOWN, OutboundMessage.SENT, last_error=""):
        reviews = Review.objects.filter(kind=Review.OUTBOUND, object_id=row_id, resolution="")
        reviews.update(resolution="已送达（答复来迟）", resolved_at=AppNow())


def _apply(receipt: Receipt, row: OutboundMessage) -> None:
    """Nothing turns a settled row back: no success undoes a failure, and the other way round only SENT → FAILED."""
    Receipt.objects.filter(pk=receipt.pk).update(outbound=row)
    sql.execute("UPDATE webhook_outboundmessage SET receipt = %s WHERE id = %s", (receipt.status, row.pk))
    before = row.status
    after = OutboundMessage.SENT if receipt.status == "success" else OutboundMessage.FAILED
    if (before, after) not in OutboundMessage.TRANSITIONS or before == OutboundMessage.PENDING:
        return
    if OutboundMessage.move(row.pk, before, after, last_error="" if receipt.status == "success" else receipt.status):
        _review(row, after, receipt.status)


def _review(row: OutboundMessage, after: str, status: str) -> None:
    if after == OutboundMessage.SENT:
        Review.objects.filter(kind=Review.OUTBOUND, object_id=row.pk, resolution="").update(
            resolution="回执：已送达", resolved_at=AppNow()
        )
        return
    Review.objects.get_or_create(
        kind=Review.OUTBOUND,
        object_id=row.pk,
        defaults={"follower_id": row.follower_id, "reason": f"回执：{status}", "trace_id": row.trace_id},
    )

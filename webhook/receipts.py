"""TEMPLATESENDJOBFINISH: late truth about a template message. It may come before the send's own answer is recorded."""

from planner import counters, sql
from planner.models import Review
from webhook.models import OutboundMessage, Receipt


def settle(app_id: str, wechat_msgid: int, status: str) -> None:
    """Stores the receipt and, if its message is known, settles it. Inside the door's transaction; a repeat does nothing."""
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


def _apply(receipt: Receipt, row: OutboundMessage) -> None:
    """Nothing turns a settled row back: a success never undoes a failure, and the other way round only SENT → FAILED."""
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
        Review.objects.filter(kind=Review.OUTBOUND, object_id=row.pk, resolution="").update(resolution="回执：已送达")
        return
    Review.objects.get_or_create(
        kind=Review.OUTBOUND,
        object_id=row.pk,
        defaults={"follower_id": row.follower_id, "reason": f"回执：{status}", "trace_id": row.trace_id},
    )

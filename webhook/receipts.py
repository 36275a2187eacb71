"""TEMPLATESENDJOBFINISH: late truth about a template message. It may come before the send's own answer is recorded."""

from datetime import timedelta

from planner import counters, sql
from planner.clock import AppNow
from planner.crashpoints import committing
from planner.models import Review
from webhook.models import OutboundMessage, Receipt
from webhook.outbox import enqueue

AGAIN = ":again"
SYSTEM_FAILED = "failed:system failed"
TEMPLATE_SECONDS = 480  # within WeChat's 10 minutes for one client_msg_id, with a margin


def settle(app_id: str, wechat_msgid: int, status: str) -> None:
    """Stores the receipt and, if its message is known, settles it. Inside the door's transaction; a repeat: nothing."""
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
    with committing("sent late"):
        if OutboundMessage.move_where(where, params, OutboundMessage.UNKNOWN, OutboundMessage.SENT, last_error=""):
            _resolve(row_id, "已送达（答复来迟）")


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
        _resolve(row.pk, "回执：已送达")
        return
    again = status == SYSTEM_FAILED and _send_once_more(row)
    Review.objects.get_or_create(
        kind=Review.OUTBOUND,
        object_id=row.pk,
        defaults={
            "follower_id": row.follower_id,
            "reason": f"回执：{status}",
            "trace_id": row.trace_id,
            "resolution": "已自动重发一次" if again else "",
        },
    )


def _resolve(row_id: int, resolution: str) -> None:
    reviews = Review.objects.filter(kind=Review.OUTBOUND, object_id=row_id, resolution="")
    reviews.update(resolution=resolution, resolved_at=AppNow())


def _send_once_more(row: OutboundMessage) -> bool:
    """WeChat's own failure, told soon after the send: the same message as a new row, once."""
    soon = AppNow() - timedelta(seconds=TEMPLATE_SECONDS)
    if row.key.endswith(AGAIN) or not OutboundMessage.objects.filter(pk=row.pk, first_tried_at__gt=soon).exists():
        return False
    task = (row.task_id, row.task_version, row.due_at) if row.task_id and row.task_version and row.due_at else None
    enqueue(
        key=row.key + AGAIN,
        follower_id=row.follower_id,
        batch_id=row.batch_id,
        purpose=row.purpose,
        text=row.text,
        trace_id=row.trace_id,
        route=row.route,
        fields=row.fields,
        task=task,
    )
    OutboundMessage.objects.filter(pk=row.pk).update(resent_as=OutboundMessage.objects.get(key=row.key + AGAIN))
    return True

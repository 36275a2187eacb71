"""TEMPLATESENDJOBFINISH: late truth about a template message. It may come before the send's own answer is recorded."""

from datetime import timedelta

from django.db.models import Q

from planner import counters, sql
from planner.clock import AppNow
from planner.crashpoints import committing
from planner.locks import lock_follower
from planner.models import Review
from webhook.models import OutboundMessage, Receipt
from webhook.outbox import enqueue

AGAIN = ":again"
REFUSED = "用户拒收"
SYSTEM_FAILED, USER_BLOCK = "failed:system failed", "failed:user block"
MATCH_SECONDS = 600  # a receipt comes within seconds, or not at all
TEMPLATE_SECONDS = 480  # within WeChat's 10 minutes for one client_msg_id, with a margin


def settle(app_id: str, follower_id: int, wechat_msgid: int, status: str) -> None:
    """Stores the receipt and, if its message is known, settles it. Inside the door's transaction, the follower locked;
    a repeat: nothing."""
    if wechat_msgid and Receipt.objects.filter(app_id=app_id, wechat_msgid=wechat_msgid, status=status).exists():
        return
    Receipt.objects.create(app_id=app_id, follower_id=follower_id, wechat_msgid=wechat_msgid, status=status)
    counters.count("receipts", status="success" if status == "success" else "failed")
    reconcile(follower_id)


def reconcile(follower_id: int) -> None:
    """Gives this follower's unmatched receipts to their messages: by MsgID, else to the only one it can be about."""
    for receipt in Receipt.objects.filter(follower_id=follower_id, outbound__isnull=True).order_by("id"):
        if row := _by_msgid(follower_id, receipt) or _only_candidate(follower_id, receipt):
            _apply(receipt, row)


def reconcile_open() -> None:
    """The sweep's part: a sender that died has left its receipt to nobody."""
    found = sql.rows(
        "SELECT DISTINCT follower_id FROM webhook_receipt WHERE outbound_id IS NULL AND follower_id IS NOT NULL"
        " AND received_at > app_later(%s) LIMIT 100",
        (-MATCH_SECONDS,),
    )
    for (follower_id,) in found:
        with committing("receipts matched"):
            lock_follower(follower_id)
            reconcile(follower_id)


def _by_msgid(follower_id: int, receipt: Receipt) -> OutboundMessage | None:
    if not receipt.wechat_msgid:
        return None
    return OutboundMessage.objects.filter(follower_id=follower_id, wechat_msgid=receipt.wechat_msgid).first()


def _only_candidate(follower_id: int, receipt: Receipt) -> OutboundMessage | None:
    """A send whose answer was lost has no MsgID, and some receipts come with 0: then follower and time tell, if just
    one template fits. While one is in flight its answer is waited for."""
    tried = OutboundMessage.objects.filter(
        follower_id=follower_id,
        route=OutboundMessage.TEMPLATE,
        first_tried_at__lte=receipt.received_at,
        first_tried_at__gt=receipt.received_at - timedelta(seconds=MATCH_SECONDS),
        receipt="",
    )
    if tried.filter(status=OutboundMessage.SENDING).exists():
        return None
    lost = Q(status__in=[OutboundMessage.UNKNOWN, OutboundMessage.PENDING], wechat_msgid__isnull=True)
    fitting = lost if receipt.wechat_msgid else lost | Q(status=OutboundMessage.SENT)
    found = list(tried.filter(fitting).order_by("id")[:2])
    return found[0] if len(found) == 1 else None


def settled_late(row_id: int, claim_no: int) -> None:
    """A send was accepted after the sweep had given its sender up: late truth turns UNKNOWN into SENT."""
    where, params = "id = %s AND claim_no = %s", (row_id, claim_no)
    with committing("sent late"):
        if OutboundMessage.move_where(where, params, OutboundMessage.UNKNOWN, OutboundMessage.SENT, last_error=""):
            _resolve(row_id, "已送达（答复来迟）")


def _apply(receipt: Receipt, row: OutboundMessage) -> None:
    """Nothing turns a settled row back: no success undoes a failure, and the other way round only SENT → FAILED."""
    before = row.status
    after = OutboundMessage.SENT if receipt.status == "success" else OutboundMessage.FAILED
    if before == OutboundMessage.PENDING and after == OutboundMessage.FAILED:
        return  # its next try, with the same id, gets the same MsgID
    Receipt.objects.filter(pk=receipt.pk).update(outbound=row)
    sql.execute("UPDATE webhook_outboundmessage SET receipt = %s WHERE id = %s", (receipt.status, row.pk))
    if (before, after) not in OutboundMessage.TRANSITIONS:
        return
    if OutboundMessage.move(row.pk, before, after, last_error="" if receipt.status == "success" else receipt.status):
        if after == OutboundMessage.SENT:
            row.take_along()
        elif receipt.status == USER_BLOCK:
            refuse(row)
        _review(row, after, receipt.status)


def refuse(row: OutboundMessage) -> None:
    """Who takes no messages of the account is not tried again with each that waits: all that would be pushed is called
    off. Unless he has written since: then he is there. Inside a transaction, the follower locked."""
    statement = """
        UPDATE planner_follower SET refused_at = app_now() WHERE id = %s AND unfollowed_at IS NULL
        AND (last_message_at IS NULL OR last_message_at < %s)"""
    if sql.execute(statement, (row.follower_id, row.claimed_at)):
        where = "follower_id = %s AND NOT waiting"
        called_off = OutboundMessage.PENDING, OutboundMessage.CANCELLED
        OutboundMessage.move_where(where, (row.follower_id,), *called_off, last_error=REFUSED)


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

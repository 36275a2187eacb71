"""What becomes of a row whose message was not accepted: from (retry, effect) to its next state, the follower's and the
operator's alarms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from planner import counters, sql
from planner.alarms import raise_alarm
from planner.clock import CHINA, app_now
from planner.crashpoints import committing, statement
from planner.doorbell import Queue, ring
from planner.errors import Effect, Failure, Retry
from planner.leases import OUTAGE_SECONDS, Lease
from planner.locks import lock_follower
from webhook.models import OutboundMessage
from webhook.receipts import TEMPLATE_SECONDS, reconcile, refuse
from webhook.wechat import BUSY, CLOSED_CODES, GONE_CODES, REFUSED_CODES, TEMPLATE_CODES

BUSY_TRIES = 3
VALUES = 47003
_THE_REST = """
    UPDATE webhook_outboundmessage SET route = 'customer' WHERE follower_id = %s AND status = 'PENDING'
    AND route = 'template' AND first_tried_at IS NULL AND carried_by_id IS NULL"""
HELD_SECONDS = 5.0  # the breaker holds it back; once a person has mended it, it shall not wait any longer


@dataclass(frozen=True)
class Admitted:
    """What is sent, as it stood when the row was locked. `text`, of a template `fields`: with what it carries;
    `window_until`: the follower's, to notice that he wrote since.

    `tried_before`: an earlier try of this row may have got through, so no refusal of this one makes it a sure failure.
    """

    lease: Lease
    row: OutboundMessage
    text: str
    openid: str
    window_until: Any
    tried_before: bool
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_last_claim(self) -> bool:
        return self.row.claims >= self.row.max_claims

    @property
    def is_template(self) -> bool:
        return self.row.route == OutboundMessage.TEMPLATE


def settle(admitted: Admitted, failure: Failure) -> None:
    """The outcome table. Raises LeaseLost when the row is no longer ours."""
    if failure.effect is Effect.UNKNOWN:
        _unknown(admitted, failure.reason)
        return
    _take_back(admitted)
    code = int(failure.code) if failure.code.lstrip("-").isdecimal() else 0
    match failure.retry:
        case Retry.QUOTA:
            _alarm(code, f"{failure.reason}：发送暂停到微信额度日零点，消息都保留。")
            OutboundMessage.release(admitted.lease, failure.reason, wait=_until_midnight(), held_for=failure.upstream)
        case _ if admitted.is_template and code in TEMPLATE_CODES and not admitted.tried_before:
            _alarm(code, f"{failure.reason}：修正前，提醒改走客服消息。", upstream=failure.upstream)
            reroute(admitted.row, admitted.lease, failure.reason, alone=code == VALUES)
        case _ if failure.down:
            _hold(admitted, failure)
        case Retry.LATER | Retry.NOW if code != BUSY or admitted.row.claims < BUSY_TRIES:
            _retry(admitted, failure)
        case Retry.USER if code in CLOSED_CODES and not admitted.is_template:
            _closed(admitted, code)
        case Retry.USER if code in GONE_CODES:
            _gone(admitted, failure.reason)
        case Retry.USER if code in REFUSED_CODES:
            _refused(admitted, failure.reason)
        case _:
            _give_up(admitted, failure.reason)


def _alarm(code: int | str, detail: str, *, upstream: str = "") -> None:
    with statement("send alarm"):
        raise_alarm(f"wechat:{code}", detail, upstream=upstream)


def _unknown(admitted: Admitted, error: str) -> None:
    """A template may be tried again with the same client_msg_id for 8 minutes; a customer message never."""
    with committing("unknown"):
        if admitted.is_template and not admitted.is_last_claim and protected(admitted.lease):
            OutboundMessage.retry(admitted.lease, error)
        else:
            OutboundMessage.give_up(admitted.lease, error, status=OutboundMessage.UNKNOWN)
        if admitted.is_template:  # its receipt may have come before this
            reconcile(admitted.row.follower_id)


def _take_back(admitted: Admitted) -> None:
    """Nothing was sent: the quota gets its message back, unless the follower has written and filled it since; and this
    try is not one that a receipt or a double could come from. One commit: whoever dies later is known to have sent
    nothing."""
    lease = admitted.lease
    with committing("taken back"):
        if not admitted.is_template:
            refill = "UPDATE planner_follower SET quota_left = quota_left + 1 WHERE id = %s AND window_until = %s"
            sql.execute(refill, (admitted.row.follower_id, admitted.window_until))
        if not (admitted.is_template and admitted.tried_before):
            OutboundMessage.let_go(lease.pk)
        if not admitted.tried_before:
            sql.execute(f"UPDATE {lease.table} SET first_tried_at = NULL WHERE {lease.held}", lease.params)


def _hold(admitted: Admitted, failure: Failure) -> None:
    """An outage, or an account's fault that a person mends, is no failure of this message: no claim is spent, for six
    hours at most."""
    if failure.retry is Retry.OPERATOR and failure.upstream != "token":
        _alarm(failure.code, f"{failure.reason}。改好后积压的消息会自动继续。", upstream=failure.upstream)
    if _is_old(admitted.lease):
        _retry(admitted, failure)
        return
    refunded = admitted.lease.claim_no - admitted.row.claims
    wait = min(5.0 * 2 ** min(refunded, 4), 60.0) if failure.retry_after is None else failure.retry_after
    if failure.shut and failure.retry is Retry.OPERATOR:
        wait = HELD_SECONDS
    held_for = failure.upstream if failure.shut else ""
    OutboundMessage.release(admitted.lease, failure.reason, wait=wait, held_for=held_for)


def _is_old(lease: Lease) -> bool:
    statement = f"""
        SELECT 1 FROM {lease.table} o JOIN planner_follower f ON f.id = o.follower_id WHERE o.id = %s
        AND o.created_at < app_later(%s) AND (f.last_message_at IS NULL OR f.last_message_at < app_later(%s))"""
    return sql.row(statement, (lease.pk, -OUTAGE_SECONDS, -OUTAGE_SECONDS)) is not None


def _retry(admitted: Admitted, failure: Failure) -> None:
    if admitted.is_last_claim:
        _give_up(admitted, failure.reason)
    else:
        OutboundMessage.retry(admitted.lease, failure.reason, wait=failure.retry_after)


def _give_up(admitted: Admitted, error: str) -> None:
    """A dead letter with its review row: surely not sent, unless an earlier try may have been."""
    status = OutboundMessage.UNKNOWN if admitted.tried_before else OutboundMessage.FAILED
    OutboundMessage.give_up(admitted.lease, error, status=status)


def _closed(admitted: Admitted, code: int) -> None:
    """WeChat corrects our count: the window is shut, or the quota used. The row waits for the follower, who may have
    written while the answer was on its way: then it travels at once."""
    column = "quota_left = 0" if code == 45047 else "window_until = app_now()"
    statement = f"UPDATE planner_follower SET {column} WHERE id = %s AND window_until = %s"
    with committing("window closed"):
        if sql.execute(statement, (admitted.row.follower_id, admitted.window_until)):
            wait_for_follower(OutboundMessage.held_row(admitted.lease), admitted.lease)
        else:
            OutboundMessage.release(admitted.lease, "用户刚来信，窗口重新打开", wait=0)


def _gone(admitted: Admitted, error: str) -> None:
    """The follower left without our hearing of it: rightly not sent, and nothing more will be."""
    statement = "UPDATE planner_follower SET unfollowed_at = app_now() WHERE id = %s AND unfollowed_at IS NULL"
    with committing("follower gone"):
        sql.execute(statement, (admitted.row.follower_id,))
        cancel(admitted.lease, error)


def _refused(admitted: Admitted, error: str) -> None:
    """A person looks at this one; the rest is called off. If this ends in between, the next look finds the refusal."""
    with committing("follower refuses"):
        lock_follower(admitted.row.follower_id)
        refuse(admitted.row)
    _give_up(admitted, error)


def _until_midnight() -> float:
    now = app_now().astimezone(CHINA)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), CHINA)
    return (midnight - now).total_seconds() + 60


def cancel(lease: Lease, reason: str) -> None:
    OutboundMessage.finish(lease, OutboundMessage.CANCELLED, "cancelled", reason, last_error=reason)
    OutboundMessage.let_go(lease.pk)
    counters.count("outbound", outcome="cancelled")


def wait_for_follower(row: OutboundMessage, lease: Lease) -> None:
    """PENDING, waiting: nothing can be sent until the follower writes. No failure, no claim spent."""
    columns: dict[str, Any] = {"waiting": True, "claims": row.claims - 1, "first_tried_at": None}
    reason = "窗口已关闭或条数已用完"
    OutboundMessage.finish(
        lease, OutboundMessage.PENDING, "closed", reason, last_error="等待用户开口", **columns
    )
    counters.count("outbound", outcome="waiting")


def reroute(row: OutboundMessage, lease: Lease, reason: str, *, alone: bool = False) -> None:
    """The template cannot be used, and surely was not sent: the same words as a customer message, or once the follower
    writes. No claim is spent: the fault is the template's, and what else waits for it goes the same way, unless it is
    these values that it does not take (`alone`)."""
    columns: dict[str, Any] = {"route": OutboundMessage.CUSTOMER, "claims": row.claims - 1, "first_tried_at": None}
    with committing("reroute"):
        if not alone:
            sql.execute(_THE_REST, (row.follower_id,))
        OutboundMessage.finish(
            lease, OutboundMessage.PENDING, "rerouted", reason, last_error=reason[:500], **columns
        )
    ring(Queue.OUTBOUND)


def protected(lease: Lease) -> bool:
    """Still within the time in which WeChat sends one client_msg_id once?"""
    statement = f"SELECT 1 FROM {lease.table} WHERE {lease.held} AND first_tried_at > app_later(%s)"
    return sql.row(statement, (*lease.params, -TEMPLATE_SECONDS)) is not None

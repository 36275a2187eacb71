"""Sending: claim (committed), admit, call once, record. One failing row never stops others."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from django.conf import settings
from django.db import transaction

from planner import counters, sql, trace
from planner.alarms import raise_alarm
from planner.doorbell import Queue, ring
from planner.errors import Effect, Failure, Retry
from planner.leases import Claimed, Lease, LeaseLost
from webhook.models import OutboundMessage
from webhook.receipts import match_recorded
from webhook.tokens import ELSEWHERE, Tokens
from webhook.wechat import BUSY, CLOSED_CODES, GONE_CODES, WeChat

log = logging.getLogger(__name__)
CHINA = timezone(timedelta(hours=8))  # WeChat's daily quotas turn at its own midnight
TEMPLATE_SECONDS = 480  # within WeChat's 10 minutes for one client_msg_id, with a margin
BUSY_TRIES = 3


@dataclass(frozen=True)
class Admitted:
    """What is sent, as it stood when the row was locked."""

    lease: Lease
    openid: str
    text: str
    fields: dict[str, str] | None
    route: str
    client_msg_id: str
    claims: int


def deliver_next(wechat: WeChat) -> bool:
    """Takes the next sendable row and settles it. False when there is none."""
    claimed = OutboundMessage.claim(settings.OUTBOUND_LEASE_SECONDS)
    if claimed is None:
        return False
    ring(Queue.OUTBOUND)  # before the call: an idle worker may take the next
    token = trace.current.set(str(sql.uuid(claimed.columns["trace_id"])))
    try:
        if admitted := _admit(claimed):
            _send(admitted, wechat)
    except LeaseLost:
        log.warning("lease lost", extra={"outbound": claimed.lease.pk})
    finally:
        trace.current.reset(token)
    return True


def _admit(claimed: Claimed) -> Admitted | None:
    """The last look before the request leaves, under the follower's lock: is it still wanted, is the way open, is there
    time? Counts the message against the follower's quota before it is sent. None: settled otherwise."""
    lease = claimed.lease
    with transaction.atomic():
        openid, unfollowed, window_open = _follower(claimed.columns["follower_id"])
        row = OutboundMessage.held_row(lease)
        if reason := "已取消关注" if unfollowed else _stale(row):
            OutboundMessage.finish(lease, OutboundMessage.CANCELLED, last_error=reason)
            OutboundMessage.record_end(row.pk, "cancelled", reason)
            counters.count("outbound", outcome="cancelled")
            return None
        if row.route == OutboundMessage.CUSTOMER:
            if not window_open:
                _wait_for_follower(row, lease)
                return None
            sql.execute("UPDATE planner_follower SET quota_left = quota_left - 1 WHERE id = %s", (row.follower_id,))
    return Admitted(lease, openid, row.text, row.fields, row.route, row.client_msg_id, row.claims)


def _follower(pk: int) -> tuple[str, bool, bool]:
    found = sql.row(
        "SELECT openid, unfollowed_at IS NOT NULL, window_until > app_now() AND quota_left > 0"
        " FROM planner_follower WHERE id = %s FOR UPDATE",
        (pk,),
    )
    assert found is not None
    return found[0], bool(found[1]), bool(found[2])


def _stale(row: OutboundMessage) -> str:
    """A reminder of a task that was done, deleted or moved since the scan never rings."""
    if row.task_id is None:
        return ""
    found = sql.row("SELECT version, status FROM planner_task WHERE id = %s", (row.task_id,))
    fresh = found is not None and found[0] == row.task_version and found[1] == "OPEN"
    return "" if fresh else "任务已完成、删除或改期"


def _wait_for_follower(row: OutboundMessage, lease: Lease) -> None:
    """PENDING, waiting: nothing can be sent until the follower writes. No failure, no claim spent."""
    OutboundMessage.finish(
        lease, OutboundMessage.PENDING, waiting=True, claims=row.claims - 1, last_error="等待用户开口"
    )
    OutboundMessage.record_end(row.pk, "closed", "窗口已关闭或条数已用完")
    counters.count("outbound", outcome="waiting")


def _send(admitted: Admitted, wechat: WeChat) -> None:
    tokens = Tokens(wechat)
    try:
        msgid = _call(admitted, wechat, tokens)
    except Failure as failure:
        counters.count("upstream_errors", upstream="wechat", code=failure.code)
        _settle(admitted, failure)
        return
    with transaction.atomic():
        columns = {"wechat_msgid": msgid} if msgid else {}
        OutboundMessage.finish(admitted.lease, OutboundMessage.SENT, last_error="", **columns)
        OutboundMessage.record_end(admitted.lease.pk, "sent")
        if msgid:
            match_recorded(admitted.lease.pk, msgid)
    counters.count("outbound", outcome="sent")


def _call(admitted: Admitted, wechat: WeChat, tokens: Tokens) -> int:
    """One request; a refused token is renewed and the request repeated, once."""
    token = tokens.current()
    try:
        return _request(admitted, wechat, token)
    except Failure as failure:
        if failure.retry is not Retry.NOW:
            raise
    try:
        return _request(admitted, wechat, tokens.renewed(token))
    except Failure as failure:
        if failure.retry is Retry.NOW:
            raise_alarm("wechat:token-elsewhere", ELSEWHERE)
        raise


def _request(admitted: Admitted, wechat: WeChat, token: str) -> int:
    if not _in_time(admitted.lease):
        raise LeaseLost(f"outbound {admitted.lease.pk}: too late to send")
    if admitted.route == OutboundMessage.TEMPLATE:
        return wechat.send_template(
            token,
            admitted.openid,
            template_id=settings.WECHAT_REMINDER_TEMPLATE_ID,
            fields=admitted.fields or {},
            client_msg_id=admitted.client_msg_id,
        )
    wechat.send_text(token, admitted.openid, admitted.text)
    return 0


def _in_time(lease: Lease) -> bool:
    """Still ours, with time for the whole call: a sender that slept past the sweep must not send."""
    needed = settings.WECHAT_CONNECT_SECONDS + settings.WECHAT_READ_SECONDS
    statement = f"SELECT 1 FROM {lease.table} WHERE {lease.held} AND lease_expires_at > app_later(%s)"
    return sql.row(statement, (*lease.params, needed)) is not None


def _settle(admitted: Admitted, failure: Failure) -> None:
    """The outcome table: from (retry, effect) to what becomes of the row, the follower and the operator's alarms."""
    lease, error = admitted.lease, failure.reason
    if failure.effect is Effect.UNKNOWN:
        _unknown(admitted, error)
        return
    if admitted.route == OutboundMessage.CUSTOMER:
        sql.execute("UPDATE planner_follower SET quota_left = quota_left + 1 WHERE id = %s", (_owner(lease),))
    match failure.retry:
        case Retry.LATER | Retry.NOW if failure.code == str(BUSY) and admitted.claims >= BUSY_TRIES:
            OutboundMessage.give_up(lease, error)
        case Retry.LATER | Retry.NOW if failure.down:
            OutboundMessage.release(lease, error, wait=failure.retry_after or 5)
        case Retry.LATER | Retry.NOW:
            OutboundMessage.retry(lease, error, wait=failure.retry_after)
        case Retry.QUOTA:
            raise_alarm(f"wechat:{failure.code}", f"{error}：发送暂停到微信额度日零点，消息都保留。")
            OutboundMessage.release(lease, error, wait=_until_midnight())
        case Retry.USER if int(failure.code) in CLOSED_CODES:
            _closed(lease, int(failure.code))
        case Retry.OPERATOR if failure.upstream == "token":
            OutboundMessage.release(lease, error, wait=60)
        case _:
            _rejected(admitted, failure)


def _owner(lease: Lease) -> int:
    found = sql.row(f"SELECT follower_id FROM {lease.table} WHERE id = %s", (lease.pk,))
    assert found is not None
    return int(found[0])


def _unknown(admitted: Admitted, error: str) -> None:
    """A template may be tried again with the same client_msg_id for 8 minutes; a customer message never."""
    if admitted.route == OutboundMessage.TEMPLATE and _protected(admitted.lease):
        OutboundMessage.retry(admitted.lease, error)
        return
    OutboundMessage.give_up(admitted.lease, error, status=OutboundMessage.UNKNOWN)


def _protected(lease: Lease) -> bool:
    statement = f"SELECT 1 FROM {lease.table} WHERE {lease.held} AND first_tried_at > app_later(%s)"
    return sql.row(statement, (*lease.params, -TEMPLATE_SECONDS)) is not None


def _closed(lease: Lease, code: int) -> None:
    """WeChat corrects our count: the window is shut, or the quota used. The row waits for the follower."""
    with transaction.atomic():
        follower_id = _owner(lease)
        column = "quota_left = 0" if code == 45047 else "window_until = app_now()"
        sql.execute(f"UPDATE planner_follower SET {column} WHERE id = %s", (follower_id,))
        _wait_for_follower(OutboundMessage.held_row(lease), lease)


def _rejected(admitted: Admitted, failure: Failure) -> None:
    """Surely not done and not to be repeated: FAILED, a review row; an operator's matter raises its alarm once."""
    if failure.retry is Retry.OPERATOR:
        raise_alarm(f"wechat:{failure.code}", f"{failure.reason}：修正后可在“待人工处理”里重发。")
    if failure.code.isdigit() and int(failure.code) in GONE_CODES:
        statement = "UPDATE planner_follower SET unfollowed_at = app_now() WHERE id = %s AND unfollowed_at IS NULL"
        sql.execute(statement, (_owner(admitted.lease),))
    OutboundMessage.give_up(admitted.lease, failure.reason)


def _until_midnight() -> float:
    now = datetime.now(UTC).astimezone(CHINA)
    midnight = datetime.combine(now.date() + timedelta(days=1), datetime.min.time(), CHINA)
    return (midnight - now).total_seconds() + 60

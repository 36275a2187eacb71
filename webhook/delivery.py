"""Sending: claim (committed), admit, call once, record. One failing row never stops others."""

import logging
from typing import Any

from django.conf import settings

from planner import counters, sql, trace, upstreams
from planner.crashpoints import committing, outside
from planner.doorbell import Queue, ring
from planner.errors import Effect, Failure, Retry
from planner.leases import Claimed, Lease, LeaseLost
from planner.upstreams import Upstream
from webhook.models import OutboundMessage
from webhook.outcomes import Admitted, cancel, protected, settle, wait_for_follower
from webhook.receipts import match_recorded, settled_late
from webhook.tokens import Tokens
from webhook.wechat import WeChat

log = logging.getLogger(__name__)


def deliver_next(wechat: WeChat) -> bool:
    """Takes the next sendable row and settles it. False when there is none."""
    shut = upstreams.shut(Upstream.WECHAT_SEND, Upstream.WECHAT_TEMPLATE, Upstream.TOKEN)
    if Upstream.TOKEN in shut and not Tokens(wechat).at_hand():
        return False
    claimed = OutboundMessage.claim(settings.OUTBOUND_LEASE_SECONDS, shut=shut - {Upstream.TOKEN})
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
    with committing("admit"):
        openid, unfollowed, window_open, window_until = _follower(claimed.columns["follower_id"])
        row = OutboundMessage.held_row(lease)
        tried_before = _tried_before(row)
        if reason := "已取消关注" if unfollowed else _stale(row):
            cancel(lease, reason)
            return None
        if row.route == OutboundMessage.CUSTOMER:
            if not window_open:
                wait_for_follower(row, lease)
                return None
            sql.execute("UPDATE planner_follower SET quota_left = quota_left - 1 WHERE id = %s", (row.follower_id,))
        elif tried_before and not protected(lease):
            OutboundMessage.give_up(lease, "上一次结果不明，已过去重时限", status=OutboundMessage.UNKNOWN)
            return None
    return Admitted(lease, row, openid, window_until, tried_before)


def _tried_before(row: OutboundMessage) -> bool:
    """A claim sets `first_tried_at` once, and a try that surely came to nothing clears it."""
    return bool(row.first_tried_at and row.claimed_at and row.first_tried_at < row.claimed_at)


def _follower(pk: int) -> tuple[str, bool, bool, Any]:
    found = sql.row(
        "SELECT openid, unfollowed_at IS NOT NULL, window_until > app_now() AND quota_left > 0, window_until"
        " FROM planner_follower WHERE id = %s FOR NO KEY UPDATE",
        (pk,),
    )
    assert found is not None
    return found[0], bool(found[1]), bool(found[2]), found[3]


def _stale(row: OutboundMessage) -> str:
    """A reminder of a task that was done, deleted or moved since the scan never rings."""
    if row.task_id is None:
        return ""
    found = sql.row("SELECT version, status FROM planner_task WHERE id = %s", (row.task_id,))
    fresh = found is not None and found[0] == row.task_version and found[1] == "OPEN"
    return "" if fresh else "任务已完成、删除或改期"


def _send(admitted: Admitted, wechat: WeChat) -> None:
    try:
        msgid = _call(admitted, wechat, Tokens(wechat))
    except Failure as failure:
        if failure.code != upstreams.SHUT:
            counters.count("upstream_errors", upstream="wechat", code=failure.code)
        settle(admitted, failure)
        return
    try:
        _sent(admitted, msgid)
    except LeaseLost:
        settled_late(admitted.lease.pk, admitted.lease.claim_no)
        raise


def _sent(admitted: Admitted, msgid: int) -> None:
    with committing("sent"):
        if msgid:
            _follower(admitted.row.follower_id)  # its receipt may be at the door: one of the two sees the other
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
    fresh = tokens.renewed(token)
    try:
        return _request(admitted, wechat, fresh)
    except Failure as failure:
        if failure.retry is Retry.NOW:
            raise tokens.killed_elsewhere(fresh, failure) from None
        raise


def _request(admitted: Admitted, wechat: WeChat, token: str) -> int:
    if not _in_time(admitted.lease):
        raise Failure(
            "租约将到期，没有发出", retry=Retry.LATER, effect=Effect.NONE, code="late", retry_after=0, down=True
        )
    if admitted.is_template:
        with outside("send template"):
            return wechat.send_template(
                token,
                admitted.openid,
                template_id=settings.WECHAT_REMINDER_TEMPLATE_ID,
                fields=admitted.row.fields or {},
                client_msg_id=admitted.row.client_msg_id,
            )
    with outside("send"):
        wechat.send_text(token, admitted.openid, admitted.row.text)
    return 0


def _in_time(lease: Lease) -> bool:
    """Still ours, with time for the whole call: a sender that slept past the sweep must not send."""
    needed = settings.WECHAT_CONNECT_SECONDS + settings.WECHAT_READ_SECONDS
    statement = f"SELECT 1 FROM {lease.table} WHERE {lease.held} AND lease_expires_at > app_later(%s)"
    return sql.row(statement, (*lease.params, needed)) is not None

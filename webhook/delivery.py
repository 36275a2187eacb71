"""Sending: claim (committed), admit, call once, record. One failing row never stops others."""

import logging
from typing import Any, NamedTuple

from django.conf import settings

from planner import counters, sql, trace, upstreams
from planner.crashpoints import committing, outside
from planner.doorbell import Queue, ring
from planner.errors import Effect, Failure, Retry
from planner.leases import Claimed, Lease, LeaseLost
from planner.upstreams import Upstream
from webhook.carrying import load, load_template
from webhook.kinds import abilities, may_send_templates
from webhook.models import OutboundMessage
from webhook.outcomes import Admitted, cancel, protected, reroute, settle, wait_for_follower
from webhook.receipts import REFUSED, reconcile, settled_late
from webhook.tokens import Tokens
from webhook.wanted import unwanted
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
        follower = _follower(claimed.columns["follower_id"])
        row = OutboundMessage.held_row(lease)
        reason = follower.away or unwanted(row.task_id, row.task_version, row.due_at)
        if row.route == OutboundMessage.TEMPLATE and not follower.away:
            return _admit_template(lease, row, follower, reason)
        if reason:
            cancel(lease, reason)
            return None
        if not (follower.window_open and abilities().customer):
            wait_for_follower(row, lease)
            return None
        text = load(row, quota_left=follower.quota_left)
        sql.execute("UPDATE planner_follower SET quota_left = quota_left - 1 WHERE id = %s", (row.follower_id,))
    return Admitted(lease, row, text, follower.openid, follower.window_until, _tried_before(row))


def _admit_template(lease: Lease, row: OutboundMessage, follower: "_Follower", reason: str) -> Admitted | None:
    """`reason`: why it is not to be said any more. One that is tried again speaks of what the first try spoke of, as
    far as it is still wanted."""
    tried_before = _tried_before(row)
    fields = {} if reason and not tried_before else load_template(row, again=tried_before, wanted=not reason)
    if fields == {}:
        cancel(lease, reason)
    elif not tried_before and not may_send_templates():  # the account's kind or its template has changed since
        reroute(row, lease, "模板不可用，改走客服消息")
    elif tried_before and (fields is None or not protected(lease)):
        OutboundMessage.give_up(lease, "上一次结果不明，已过去重时限", status=OutboundMessage.UNKNOWN)
    else:
        return Admitted(lease, row, row.text, follower.openid, follower.window_until, tried_before, fields or {})
    return None


def _tried_before(row: OutboundMessage) -> bool:
    """A claim sets `first_tried_at` once, and a try that surely came to nothing clears it."""
    return bool(row.first_tried_at and row.claimed_at and row.first_tried_at < row.claimed_at)


class _Follower(NamedTuple):
    openid: str
    away: str
    window_open: bool
    window_until: Any
    quota_left: int


def _follower(pk: int) -> _Follower:
    """Locked: what is counted and settled for one follower happens one after the other."""
    found = sql.row(
        "SELECT openid, CASE WHEN unfollowed_at IS NOT NULL THEN '已取消关注'"
        f" WHEN refused_at IS NOT NULL THEN '{REFUSED}' ELSE '' END, window_until > app_now() AND quota_left > 0,"
        " window_until, quota_left FROM planner_follower WHERE id = %s FOR NO KEY UPDATE",
        (pk,),
    )
    assert found is not None
    return _Follower(*found)


def _send(admitted: Admitted, wechat: WeChat) -> None:
    try:
        msgid = Tokens(wechat).used_for(lambda token: _request(admitted, wechat, token))
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
        if admitted.is_template:
            _follower(admitted.row.follower_id)  # its receipt may be at the door: one of the two sees the other
        columns: dict[str, Any] = {"wechat_msgid": msgid} if msgid else {}
        OutboundMessage.finish(admitted.lease, OutboundMessage.SENT, "sent", last_error="", **columns)
        if admitted.is_template:
            admitted.row.take_along()
            reconcile(admitted.row.follower_id)
        else:
            OutboundMessage.deliver_carried(admitted.lease.pk)
    counters.count("outbound", outcome="sent")


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
                fields=dict(admitted.fields),
                client_msg_id=admitted.row.client_msg_id,
            )
    with outside("send"):
        wechat.send_text(token, admitted.openid, admitted.text)
    return 0


def _in_time(lease: Lease) -> bool:
    """Still ours, with time for the whole call: a sender that slept past the sweep must not send."""
    needed = settings.WECHAT_CONNECT_SECONDS + settings.WECHAT_READ_SECONDS
    statement = f"SELECT 1 FROM {lease.table} WHERE {lease.held} AND lease_expires_at > app_later(%s)"
    return sql.row(statement, (*lease.params, needed)) is not None

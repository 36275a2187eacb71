"""Erasing all that is stored about a follower: detached at once, deleted piece by piece, never brought back.

`begin` is one short transaction: the follower's row loses its openid, so whatever the person writes next opens a new
row and starts afresh, and nothing that belongs to the old one is sent any more. `erase_next` then deletes under a
lease. Deleting a row that a worker holds is its fence: whatever the worker writes next finds nothing and rolls back.
"""

import logging
import math
import time
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from planner import sql
from planner.crashpoints import committing
from planner.digests import digests
from planner.heartbeat import Heartbeat
from planner.leases import Claimed, Lease, LeaseLost
from webhook.incoming import Kind
from webhook.models import Batch, Erasure, OutboundMessage, VoiceClip

log = logging.getLogger(__name__)
LEASE_SECONDS = 900
CHUNK = 1000
REASON = "应要求删除数据"

_ASK = """
    INSERT INTO webhook_erasure (digest, follower_id, by, until, status, rows_erased, available_at, created_at, claims,
        max_claims, claim_no, owner, last_error)
    VALUES (%s, %s, %s,
        GREATEST(app_now(), coalesce((SELECT max(m.sent_at) FROM (SELECT sent_at FROM webhook_inboundmessage
            WHERE follower_id = %s ORDER BY id DESC LIMIT 100) m), app_now())),
        'PENDING', 0, app_now(), app_now(), 0, %s, 0, '', '')
    RETURNING id"""
_DETACH = """
    UPDATE planner_follower SET openid = %s, preferences = '{}'::jsonb, last_message_at = NULL, window_until = NULL,
        quota_left = 0, day_messages = 0, forgotten_at = app_now(), unfollowed_at = app_now() WHERE id = %s"""
# Rows that workers lease, with the kind of their attempts: deleted together with them, under the row's lock.
LEASED = (("webhook_outboundmessage", "outbound"), ("webhook_voiceclip", "voice"), ("webhook_batch", "batch"))
# The others, dependents first. Each condition takes the follower's number.
TABLES = (
    ("planner_reminder", "follower_id = %s"),
    ("planner_task", "follower_id = %s"),
    ("webhook_inboundmessage", "follower_id = %s"),
    ("webhook_receipt", "follower_id = %s"),
    ("planner_operationresult", "follower_id = %s"),
    ("planner_review", "follower_id = %s"),
    ("planner_modeluse", "follower_id = %s"),
)


def begin(follower_id: int, *, by: str) -> int | None:
    """Detaches the follower and asks for the erasure, in one commit; its number, or None if another was first."""
    with committing("ask erasure"):
        found = sql.row(
            "SELECT app_id, openid FROM planner_follower WHERE id = %s AND forgotten_at IS NULL FOR UPDATE",
            (follower_id,),
        )
        if found is None:
            return None
        app_id, openid = found
        values = (digest_of(app_id, openid)[0], follower_id, by, follower_id, Erasure.MAX_CLAIMS)
        asked = sql.row(_ASK, values)
        assert asked is not None
        sql.execute(_DETACH, (f"forgotten:{follower_id}", follower_id))
        _call_off(follower_id)
        sql.execute("UPDATE planner_alarm SET detail = '' WHERE detail LIKE %s", (f"%{openid}%",))
    log.info("erasure begun", extra={"erasure": asked[0], "follower": follower_id})
    return int(asked[0])


def _call_off(follower_id: int) -> None:
    where, params = "follower_id = %s", (follower_id,)
    for before in (Batch.COLLECTING, Batch.SUBMITTED, Batch.WAITING):
        Batch.move_where(where, params, before, Batch.CANCELLED, last_error=REASON)
    VoiceClip.move_where(where, params, VoiceClip.UNHEARD, VoiceClip.CANCELLED, last_error=REASON)
    OutboundMessage.move_where(where, params, OutboundMessage.PENDING, OutboundMessage.CANCELLED, last_error=REASON)


def digest_of(app_id: str, openid: str) -> list[str]:
    return digests("forgotten", app_id, openid)


def was_asked(follower_id: int) -> bool:
    """The last thing that the follower said was the wish itself, and not long ago: a yes is to nothing else."""
    statement = """
        SELECT detail = %s AND received_at > app_later(%s) FROM webhook_inboundmessage
        WHERE follower_id = %s AND kind <> 'event' ORDER BY id DESC LIMIT 1"""
    found = sql.row(statement, (Kind.WIPE.value, -settings.CLARIFICATION_TTL_SECONDS, follower_id))
    return bool(found and found[0])


def is_late_word(kind: Kind, app_id: str, openid: str) -> bool:
    """A receipt, or the news that somebody left, about one who was erased and has not written since: it makes no
    follower of him."""
    if kind not in (Kind.RECEIPT, Kind.UNSUBSCRIBE):
        return False
    known = digest_of(app_id, openid)
    statement = f"""
        SELECT 1 FROM webhook_erasure WHERE digest IN ({", ".join(["%s"] * len(known))})
        AND NOT EXISTS (SELECT 1 FROM planner_follower WHERE app_id = %s AND openid = %s) LIMIT 1"""
    return sql.row(statement, (*known, app_id, openid)) is not None


def erase_next(*, seconds: float = math.inf) -> bool:
    """Takes the next erasure to its end, or as far as it gets in that time. False when there is none."""
    claimed = Erasure.claim(LEASE_SECONDS)
    if claimed is None:
        return False
    try:
        with Heartbeat(claimed.lease) as heartbeat:
            _erase(claimed, heartbeat, until=time.monotonic() + seconds)
    except LeaseLost:
        log.warning("lease lost", extra={"erasure": claimed.lease.pk})
    except DatabaseError as error:
        connection.close()
        Erasure.retry(claimed.lease, f"数据库错误（{type(error).__name__}）")
    return True


def _erase(claimed: Claimed, heartbeat: Heartbeat, *, until: float) -> None:
    follower_id, lease = claimed.columns["follower_id"], claimed.lease
    ended = False
    while not ended:
        for table in [name for name, _ in (*LEASED, *TABLES)]:
            while _piece(lease, table, follower_id):
                heartbeat.step()
                if time.monotonic() > until:
                    Erasure.release(lease, "分几次删除，接着来", wait=0)
                    return
        ended = _ended(lease, follower_id)
    log.info("erasure done", extra={"erasure": lease.pk, "follower": follower_id})


def _piece(lease: Lease, table: str, follower_id: int) -> int:
    with committing("erase"):
        lease.fence()
        gone = _delete(table, follower_id)
        statement = f"UPDATE webhook_erasure SET rows_erased = rows_erased + %s WHERE {lease.held}"
        sql.execute(statement, (gone, *lease.params))
    return gone


def _ended(lease: Lease, follower_id: int) -> bool:
    """Once more through everything, with the follower's row locked: nothing left means nothing can come any more, and
    the row goes with the erasure's end in one commit."""
    with committing("finish erasure"):
        lease.fence()
        sql.row("SELECT 1 FROM planner_follower WHERE id = %s FOR UPDATE", (follower_id,))
        if any(_delete(table, follower_id) for table, _ in (*LEASED, *TABLES)):
            return False
        sql.execute("DELETE FROM planner_follower WHERE id = %s", (follower_id,))
        Erasure.finish(lease, Erasure.DONE, "done", last_error="")
    return True


def _delete(table: str, follower_id: int) -> int:
    """At most CHUNK rows and what hangs on them."""
    for leased, kind in LEASED:
        if table == leased:
            return delete_leased(table, kind, "follower_id = %s", (follower_id,))
    some = f"SELECT id FROM {table} WHERE {dict(TABLES)[table]} LIMIT {CHUNK}"
    return sql.execute(f"DELETE FROM {table} WHERE id IN ({some})", (follower_id,))


def delete_leased(table: str, kind: str, where: str, params: tuple[Any, ...]) -> int:
    """At most CHUNK of them, with their attempts and what else hangs on them. In the caller's transaction."""
    found = sql.rows(f"SELECT id FROM {table} WHERE {where} LIMIT {CHUNK} FOR UPDATE", params)
    ids = [row[0] for row in found]
    if not ids:
        return 0
    among = ", ".join(["%s"] * len(ids))
    sql.execute(f"DELETE FROM webhook_attempt WHERE kind = %s AND object_id IN ({among})", [kind, *ids])
    for statement in _DEPENDENTS[kind]:
        sql.execute(statement.format(among=among), ids)
    return sql.execute(f"DELETE FROM {table} WHERE id IN ({among})", ids)


_DEPENDENTS: dict[str, tuple[str, ...]] = {
    "voice": (),
    "batch": ("DELETE FROM planner_correction WHERE batch_id IN ({among})",),
    "outbound": (
        "DELETE FROM webhook_receipt WHERE outbound_id IN ({among})",
        "UPDATE webhook_outboundmessage SET resent_as_id = NULL WHERE resent_as_id IN ({among})",
        "UPDATE webhook_outboundmessage SET carried_by_id = NULL WHERE carried_by_id IN ({among})",
    ),
}

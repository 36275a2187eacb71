"""The passive answer: what is ready when WeChat is answered, and what was left over, in one text, decided once.

`response_text` is set by compare-and-set in the transaction that makes the rows in it SENT: a redelivery gets the same
text, and no row goes out by another way as well.
"""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from planner import counters, sql, texts
from planner.crashpoints import committing
from planner.doorbell import Queue, ring
from planner.locks import lock_follower
from webhook.kinds import abilities
from webhook.models import OutboundMessage
from webhook.outbox import PART_BYTES
from webhook.plain import joined
from webhook.wanted import called_off

DELIVERIES = 3  # WeChat's, each one ANSWER_SECONDS after the last

# A later message of the same batch waits for the answer to both; the answer to a question is its earlier batch's.
_SUPERSEDED = """EXISTS (SELECT 1 FROM webhook_inboundmessage n
    WHERE n.follower_id = m.follower_id AND n.response_text IS NULL AND n.id > m.id AND n.batch_id = m.batch_id)"""
_UNFINISHED = """EXISTS (SELECT 1 FROM webhook_batch b WHERE b.follower_id = m.follower_id AND b.id <= m.batch_id
    AND b.status IN ('COLLECTING', 'SUBMITTED', 'RUNNING'))"""
_READY = f"""
    SELECT m.id FROM webhook_inboundmessage m
    WHERE m.id IN ({{}}) AND (m.response_text IS NOT NULL OR {_SUPERSEDED} OR NOT {_UNFINISHED})"""
_STATE = f"SELECT m.response_text, {_SUPERSEDED}, {_UNFINISHED} FROM webhook_inboundmessage m WHERE m.id = %s"
_PENDING = """
    SELECT id, text, task_id, task_version, due_at FROM webhook_outboundmessage
    WHERE follower_id = %s AND status = 'PENDING' AND route = 'customer' AND carried_by_id IS NULL
    ORDER BY id LIMIT 100 FOR UPDATE"""
_DECIDE = "UPDATE webhook_inboundmessage SET response_text = %s WHERE id = %s AND response_text IS NULL"
_WAKE = """
    UPDATE webhook_outboundmessage SET waiting = FALSE, available_at = app_now()
    WHERE follower_id = %s AND status = 'PENDING' AND waiting"""


@dataclass(frozen=True)
class Undecided:
    """A stored message whose answer is not decided. `fixed`: what is said in any case. `seconds`: how long to hold this
    delivery for the answer of its batch; `is_last`: no other can be hoped for, so it decides when they are over."""

    id: int
    follower_id: int
    fixed: str
    seconds: float
    is_last: bool


def ready_among(ids: list[int]) -> set[int]:
    """Those for which there is no more to wait for: one look for all that this process holds."""
    found = sql.rows(_READY.format(", ".join(["%s"] * len(ids))), ids)
    return {row[0] for row in found}


def decide(held: Undecided) -> str:
    """The answer, '' for none; the first of several deliveries decides it for all."""
    with committing("passive answer"):
        lock_follower(held.follower_id)
        decided, superseded, unfinished = _state(held.id)
        if decided is not None:
            return str(decided)
        working = unfinished and not abilities().customer
        text, rows = ("", []) if superseded else _compose(held, working=working)
        sql.execute(_DECIDE, (text, held.id))
        _handed_over(rows, held.id)
        if abilities().customer and sql.execute(_WAKE, (held.follower_id,)):
            ring(Queue.OUTBOUND)
    return text


def _state(message_id: int) -> tuple[Any, bool, bool]:
    found = sql.row(_STATE, (message_id,))
    return (found[0], bool(found[1]), bool(found[2])) if found else ("", False, False)


def _compose(held: Undecided, *, working: bool) -> tuple[str, list[int]]:
    """The fixed answer and the oldest waiting texts, as many as fit; then what is still to come."""
    said, taken = [held.fixed] if held.fixed else [], []
    waiting = _still_wanted(held.follower_id)
    for pk, text in waiting:
        if said and len(joined([*said, text]).encode()) > PART_BYTES:
            break
        said.append(text)
        taken.append(pk)
    left = 0 if abilities().customer else len(waiting) - len(taken)
    if left:
        said.append(texts.render("more_waiting", count=left))
    elif working:
        said.append(texts.render("still_working"))
    return joined(said), taken


def _still_wanted(follower_id: int) -> list[tuple[int, str]]:
    waiting = sql.rows(_PENDING, (follower_id,))
    return [(pk, text) for pk, text, *of_task in waiting if not called_off(pk, *of_task)]


def _handed_over(rows: list[int], message_id: int) -> None:
    """PENDING → SENT; the first one carries the others."""
    for place, carrier in ((rows[:1], None), (rows[1:], rows[:1])):
        if place:
            where = f"id IN ({', '.join(['%s'] * len(place))})"
            columns = {"route": OutboundMessage.PASSIVE, "answers_id": message_id, "waiting": False, "last_error": ""}
            columns["carried_by_id"] = carrier[0] if carrier else None
            OutboundMessage.move_where(where, tuple(place), OutboundMessage.PENDING, OutboundMessage.SENT, **columns)
    if rows:
        counters.count("outbound", len(rows), outcome="passive")


def last_after() -> float:
    """Seconds after the first delivery from which one is the last."""
    return (DELIVERIES - 1.1) * settings.WECHAT_ANSWER_SECONDS

"""What is to be said to a follower is a row, written once per key in the transaction of what it speaks of."""

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from planner import sql
from planner.doorbell import Queue, ring
from webhook.graphemes import graphemes
from webhook.kinds import abilities
from webhook.models.outbound import OutboundMessage
from webhook.plain import clean

_SENTENCE_ENDS = ("。", "！", "？", "；", ". ")
PART_BYTES = 2000  # WeChat refuses above 2048 bytes of UTF-8 (45002)
_NAMES_PART = re.compile(r":(?:reply|ask:\d+):1$")
_ROW = """(%s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s, %s,
    'PENDING', %s, {available}, app_now(), 0, 0, '', '', '')"""
# An answer that is waited for is left to the hold; if nobody takes it, it goes the other way.
_AFTER_HOLD = """CASE WHEN EXISTS (SELECT 1 FROM webhook_inboundmessage m WHERE m.follower_id = %s
    AND m.response_text IS NULL AND m.received_at > app_later(%s)) THEN app_later(%s) ELSE app_now() END"""
_INSERT = """
    INSERT INTO webhook_outboundmessage
        (key, follower_id, batch_id, purpose, route, text, fields, task_id, task_version, due_at, trace_id, max_claims,
        status, waiting, available_at, created_at, claims, claim_no, owner, last_error, receipt)
    VALUES {} ON CONFLICT (key) DO NOTHING"""


def enqueue(
    *,
    key: str,
    follower_id: int,
    purpose: str,
    text: str,
    trace_id: UUID,
    batch_id: int | None = None,
    route: str = OutboundMessage.CUSTOMER,
    fields: dict[str, str] | None = None,
    task: tuple[int, int, datetime] | None = None,
) -> None:
    """Inside the caller's transaction. The same key again changes nothing. `task`: id, version, due moment.

    On an account that cannot push the row waits for the follower from the start. Long texts become numbered parts with
    keys of their own (`…:1` → `…:2`), in one statement.
    """
    task_id, version, due_at = task or (None, None, None)
    rest = (follower_id, batch_id, purpose, route)
    tail = (fields, task_id, version, due_at, trace_id, settings.OUTBOUND_MAX_CLAIMS, not abilities().customer)
    hold = _hold(follower_id)
    values: list[Any] = []
    parts = split(clean(text))
    if not parts:
        return
    for n, part in enumerate(parts, 1):
        values += [_part_key(key, n), *rest, part, *tail, *hold]
    row = _ROW.format(available=_AFTER_HOLD if hold else "app_now()")
    sql.execute(_INSERT.format(", ".join([row] * len(parts))), values)
    for after in (0.0, *hold[-1:]):
        ring(Queue.OUTBOUND, after=after)


def _hold(follower_id: int) -> tuple[Any, ...]:
    """The parameters of _AFTER_HOLD, none where nobody is held."""
    seconds = settings.PASSIVE_HOLD_SECONDS
    return (follower_id, -3 * settings.WECHAT_ANSWER_SECONDS, seconds) if seconds else ()


def _part_key(key: str, n: int) -> str:
    if _NAMES_PART.search(key):  # not `…:failed:1`, whose number is a generation
        return f"{key[:-1]}{n}"
    return key if n == 1 else f"{key}:{n}"


def split(text: str, limit: int = PART_BYTES) -> list[str]:
    """Parts of at most `limit` bytes of UTF-8, cut at line ends where possible, never inside what a reader sees as one
    sign (a joined emoji is one). More than one part are numbered `(1/3)`."""
    if not text.strip():
        return []  # WeChat refuses an empty text (44004)
    if len(text.encode()) <= limit:
        return [text]
    parts = _pack(text, limit - len("(999/999)\n"))
    return [f"({n}/{len(parts)})\n{part}" for n, part in enumerate(parts, 1)]


def _pack(text: str, room: int) -> list[str]:
    parts, current = [], ""
    for line in text.strip("\n").split("\n"):
        for piece in _pieces(line, room):
            joined = f"{current}\n{piece}" if current else piece
            if len(joined.encode()) <= room:
                current = joined
                continue
            parts.append(current)
            current = piece
    return [*parts, current] if current else parts


def _pieces(line: str, room: int) -> list[str]:
    """A line that fits is one piece; a longer one is cut between signs, after a sentence end if that is not far."""
    if len(line.encode()) <= room:
        return [line]
    pieces, current, size = [], "", 0
    signs = (sign for found in graphemes(line) for sign in ([found] if len(found.encode()) <= room else found))
    for sign in signs:
        length = len(sign.encode())
        if current and (size + length > room or (size > room * 0.8 and current.endswith(_SENTENCE_ENDS))):
            pieces.append(current)
            current, size = "", 0
        current, size = current + sign, size + length
    return [*pieces, current]

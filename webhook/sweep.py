"""What makes a lost doorbell harmless: submit what has been quiet, rescue what is orphaned, ring what is due."""

import itertools
from collections.abc import Callable, Iterator

from planner import counters, sql
from planner.crashpoints import statement
from planner.doorbell import Queue, ring
from webhook.kinds import abilities
from webhook.models import Batch, Erasure, OutboundMessage, VoiceClip
from webhook.receipts import reconcile_open

AT_ONCE = 500

_WORK = {
    Queue.BATCHES: "SELECT 1 FROM webhook_batch WHERE status = 'SUBMITTED' AND available_at <= app_now() LIMIT 1",
    Queue.TRANSCRIPTION: "SELECT 1 FROM webhook_voiceclip"
    " WHERE status = 'UNHEARD' AND available_at <= app_now() LIMIT 1",
    Queue.OUTBOUND: "SELECT 1 FROM webhook_outboundmessage"
    " WHERE status = 'PENDING' AND NOT waiting AND available_at <= app_now() LIMIT 1",
    Queue.REMINDERS: "SELECT 1 FROM planner_reminder WHERE status = 'PENDING' AND due_at <= app_now() LIMIT 1",
}
_QUIET = """id IN (SELECT c.id FROM webhook_batch c WHERE c.status = 'COLLECTING' AND c.available_at <= app_now()
    ORDER BY c.available_at LIMIT %s FOR UPDATE SKIP LOCKED)"""
_REOPENED = """id IN (SELECT o.id FROM webhook_outboundmessage o JOIN planner_follower f ON f.id = o.follower_id
    WHERE o.status = 'PENDING' AND o.waiting AND f.window_until > app_now() AND f.quota_left > 0 LIMIT %s)"""


_LOOK = """
    SELECT EXISTS (SELECT 1 FROM webhook_batch WHERE status = 'COLLECTING' AND available_at <= app_now()),
        EXISTS (SELECT 1 FROM webhook_batch WHERE status = 'SUBMITTED' AND available_at <= app_now())"""


def look() -> tuple[bool, bool]:
    """(something to submit, something submitted): most rings find nothing, and this is all that they cost."""
    found = sql.row(_LOOK)
    assert found is not None
    return bool(found[0]), bool(found[1])


def submit_quiet() -> int:
    """COLLECTING → SUBMITTED for every batch whose quiet time is over. A message that is joining at this moment holds
    its batch, which is then left for the next look."""
    with statement("submit"):
        return Batch.move_where(_QUIET, (AT_ONCE,), Batch.COLLECTING, Batch.SUBMITTED)


def _some(verb: Callable[[], bool]) -> Iterator[bool]:
    """Until it finds nothing, or as often as one sweep has time for: the next goes on."""
    return itertools.islice(iter(verb, False), AT_ONCE)


def sweep() -> None:
    """Idempotent and stateless: any number of them, at any time."""
    submit_quiet()
    for _ in _some(VoiceClip.expire_next):
        counters.count("voice", outcome="expired")
    for model in (Batch, OutboundMessage, VoiceClip, Erasure):
        for _ in _some(model.rescue_next):
            counters.count("takeovers", kind=model._meta.model_name or "")
    reconcile_open()
    if abilities().customer:
        with statement("reopen"):
            sql.execute(f"UPDATE webhook_outboundmessage SET waiting = FALSE WHERE {_REOPENED}", (AT_ONCE,))
    for queue, waiting in _WORK.items():
        if sql.row(waiting) is not None:
            ring(queue)

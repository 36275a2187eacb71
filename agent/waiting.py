"""Who has waited too long for the model is told so: once, kindly, and nothing else."""

from django.conf import settings

from planner import sql, texts
from planner.crashpoints import committing
from planner.leases import OUTAGE_SECONDS
from planner.locks import lock_follower
from webhook.outbox import enqueue

# The follower's first held batch, so that two who look at once find the same and its key tells him once.
_WAITING = f"""
    SELECT b.id, b.follower_id, b.trace_id FROM webhook_batch b
    WHERE b.status = 'SUBMITTED' AND b.held_for <> '' AND b.created_at < app_later(%s)
    AND NOT EXISTS (SELECT 1 FROM webhook_batch e
        WHERE e.follower_id = b.follower_id AND e.status = 'SUBMITTED' AND e.id < b.id)
    AND NOT EXISTS (SELECT 1 FROM webhook_outboundmessage o WHERE o.follower_id = b.follower_id
        AND o.purpose = 'held' AND (o.batch_id = b.id OR o.created_at > app_later(-{OUTAGE_SECONDS})))"""
_NEXT, _STILL = f"{_WAITING} ORDER BY b.id LIMIT 1", f"{_WAITING} AND b.id = %s"


def tell_next() -> bool:
    """False when nobody is left to be told."""
    patience = -settings.HELD_NOTICE_SECONDS
    found = sql.row(_NEXT, (patience,))
    if found is None:
        return False
    batch_id, follower_id, trace_id = found
    with committing("held notice"):
        lock_follower(follower_id)
        if sql.row(_STILL, (patience, batch_id)) is None:  # his first batch went on, and another clock told of the next
            return True
        enqueue(
            key=f"{batch_id}:held:1",
            follower_id=follower_id,
            batch_id=batch_id,
            purpose="held",
            text=texts.render("held"),
            trace_id=sql.uuid(trace_id),
        )
    return True

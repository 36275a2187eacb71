"""Several texts of one follower in one message: when there is less quota than texts, and reminders always.

The carried rows stay PENDING, pointing to their carrier, until its end is known: SENT takes them along, UNKNOWN too
(the carrier's text then says all that it carried), and whatever surely was not sent lets them go again.
"""

from planner import sql
from webhook.models import OutboundMessage
from webhook.outbox import PART_BYTES
from webhook.plain import joined
from webhook.wanted import called_off

_NEXT = """
    SELECT id, text, task_id, task_version, due_at, purpose FROM webhook_outboundmessage
    WHERE follower_id = %s AND id > %s AND status = 'PENDING' AND route = 'customer' AND NOT waiting
    AND carried_by_id IS NULL AND available_at <= app_now() ORDER BY id LIMIT 50 FOR UPDATE"""


def load(row: OutboundMessage, *, quota_left: int) -> str:
    """What to send for `row`: its text, and as many of the next ones as fit if not each can have a message of its own.
    Reminders that wait together go together: the phone rings once. Inside the transaction that admits it, the follower
    locked."""
    following = sql.rows(_NEXT, (row.follower_id, row.pk))
    if len(following) < quota_left:
        following = [told for told in following if row.purpose == told[-1] == "reminder"]
    texts, carried = [row.text], []
    for pk, text, task_id, version, due_at, _ in following:
        if called_off(pk, task_id, version, due_at):
            continue
        if len(joined([*texts, text]).encode()) > PART_BYTES:
            break
        texts.append(text)
        carried.append(pk)
    if carried:
        OutboundMessage.objects.filter(pk__in=carried).update(carried_by=row.pk)
    return joined(texts)


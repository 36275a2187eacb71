"""Several texts of one follower in one message: when there is less quota than texts, and reminders always.

The carried rows stay PENDING, pointing to their carrier, until its end is known: SENT takes them along, UNKNOWN too
(the carrier's text then says all that it carried), and whatever surely was not sent lets them go again. A template
whose outcome is unknown is tried again with the same id, and so with the same rows.
"""

from django.conf import settings

from planner import sql
from webhook.fields import together
from webhook.models import OutboundMessage
from webhook.outbox import PART_BYTES
from webhook.plain import joined
from webhook.wanted import called_off

_NEXT = """
    SELECT id, text, task_id, task_version, due_at, purpose FROM webhook_outboundmessage
    WHERE follower_id = %s AND id > %s AND status = 'PENDING' AND route = 'customer' AND NOT waiting
    AND carried_by_id IS NULL AND available_at <= app_now() ORDER BY id LIMIT 50 FOR UPDATE"""

_TEMPLATES = """
    SELECT id, fields, task_id, task_version, due_at FROM webhook_outboundmessage
    WHERE follower_id = %s AND status = 'PENDING' AND {} ORDER BY id LIMIT 50 FOR UPDATE"""
_FRESH = """id > %s AND route = 'template' AND purpose = 'reminder' AND NOT waiting AND carried_by_id IS NULL
    AND first_tried_at IS NULL AND available_at <= app_now()"""
_CARRIED = "carried_by_id = %s"


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
    _tie(row, carried)
    return joined(texts)


def load_template(row: OutboundMessage, *, again: bool, wanted: bool) -> dict[str, str] | None:
    """The values to send for `row`, if it is still `wanted`, and the next reminders that can be read in the same
    template; `again`, those that an earlier try spoke of and no others. {}: nothing of it is to be said any more.
    None: it cannot be said again, for the fields have been set differently since."""
    names = settings.WECHAT_REMINDER_TEMPLATE_FIELDS
    told, carried = [row.fields or {}] if wanted else [], []
    if again or row.purpose == "reminder":
        among = _TEMPLATES.format(_CARRIED if again else _FRESH)
        for pk, fields, task_id, version, due_at in sql.rows(among, (row.follower_id, row.pk)):
            if called_off(pk, task_id, version, due_at):
                continue
            one = sql.loads(fields)
            if together([*told, one], names) is None:
                if again:
                    return None
                break
            told.append(one)
            carried.append(pk)
    if not again:
        _tie(row, carried)
    return together(told, names) if told else {}


def _tie(row: OutboundMessage, carried: list[int]) -> None:
    if carried:
        OutboundMessage.objects.filter(pk__in=carried).update(carried_by=row.pk)

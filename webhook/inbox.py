"""The door's one transaction: store the message by its key, join the batch, decide the passive answer unless there is
one to wait for or to hand over. Then commit.

A new text is one commit and five statements (look, BEGIN, follower, message with its batch, COMMIT), on SQLite six;
a redelivery is the look alone. A repeat that races the first waits on the follower's row, and the statement after that
finds the first's message.
"""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.conf import settings

from planner import counters, sql, texts, trace
from planner.crashpoints import committing, reach
from planner.doorbell import Queue, ring
from webhook import forgetting
from webhook.incoming import Incoming, Kind, Voice
from webhook.kinds import abilities, template_ready
from webhook.models import InboundMessage, OutboundMessage
from webhook.passive import Undecided, last_after
from webhook.receipts import settle
from webhook.voice import SPOKEN_TODAY, add_clip, can_become_words, is_fetched, within_the_day, words

WINDOW_SECONDS, WINDOW_MESSAGES = 48 * 3600, 5  # after a message (WeChat's rule since June 2023)
TOUCH_SECONDS, TOUCH_MESSAGES = 60, 3  # after following, a tap or a scan

ANSWERS = {
    Kind.VOICE: "voice_unavailable",
    Kind.VOICE_OVER: "voice_over",
    Kind.UNSUPPORTED: "unsupported",
    Kind.TOO_LONG: "too_long",
    Kind.SUBSCRIBE: "welcome",
    Kind.WIPE: "wipe_question",
    Kind.HELP: "help",
}
ROW_KINDS = {
    Kind.TEXT: InboundMessage.TEXT,
    Kind.SUBMIT: InboundMessage.TEXT,
    Kind.WIPE: InboundMessage.TEXT,
    Kind.WIPE_YES: InboundMessage.TEXT,
    Kind.VOICE: InboundMessage.VOICE,
    Kind.VOICE_OVER: InboundMessage.VOICE,
}
ALWAYS_HEARD = (Kind.WIPE, Kind.WIPE_YES)  # whoever has written too much may still ask to be forgotten
TOUCHES = (Kind.SUBSCRIBE, Kind.TOUCH, Kind.TAP, Kind.HELP)

_FOLLOWER = """
    INSERT INTO planner_follower
        (app_id, openid, timezone, preferences, quota_left, created_at, last_message_at, day_started_at, day_messages,
        window_until, unfollowed_at)
    VALUES (%s, %s, %s, %s::jsonb, %s, app_now(), {written}, {written}, 1, app_later(%s), {left})
    ON CONFLICT (app_id, openid) DO UPDATE SET {sets}
    RETURNING id, EXISTS (SELECT 1 FROM webhook_outboundmessage o
        WHERE o.follower_id = planner_follower.id AND o.status = 'PENDING' AND o.waiting), day_messages"""
_BY_MESSAGE = _FOLLOWER.format(
    written="app_now()",
    left="NULL",
    sets="""last_message_at = app_now(), window_until = excluded.window_until, quota_left = excluded.quota_left,
        unfollowed_at = NULL, refused_at = NULL,
        day_messages = CASE WHEN planner_follower.day_started_at > app_later(-86400)
            THEN planner_follower.day_messages + 1 ELSE 1 END,
        day_started_at = CASE WHEN planner_follower.day_started_at > app_later(-86400)
            THEN planner_follower.day_started_at ELSE app_now() END""",
)
_BY_SPEECH = f"{_BY_MESSAGE}, {SPOKEN_TODAY}"
_BY_TOUCH = _FOLLOWER.format(
    written="NULL",
    left="NULL",
    sets="""unfollowed_at = NULL, refused_at = NULL,
        quota_left = CASE WHEN {longer} THEN planner_follower.quota_left ELSE excluded.quota_left END,
        window_until = CASE WHEN {longer} THEN planner_follower.window_until ELSE excluded.window_until END""".format(
        longer="planner_follower.window_until > excluded.window_until AND planner_follower.quota_left > 0"
    ),
)
_BY_LEAVING = _FOLLOWER.format(written="NULL", left="app_now()", sets="unfollowed_at = app_now()")
_BY_RECEIPT = _FOLLOWER.format(written="NULL", left="NULL", sets="app_id = excluded.app_id")

_JOIN = """
    INSERT INTO webhook_batch (follower_id, status, generation, trace_id, created_at, available_at, collect_until,
        claims, max_claims, claim_no, owner, last_error, analysed_by)
    VALUES (%s, 'COLLECTING', 1, %s, app_now(), app_later(%s), app_later(%s), 0, %s, 0, '', '', '')
    ON CONFLICT (follower_id) WHERE status = 'COLLECTING'
    DO UPDATE SET available_at = LEAST(excluded.available_at, webhook_batch.collect_until)
    RETURNING id"""
_HURRY = """
    UPDATE webhook_batch SET available_at = app_now() WHERE follower_id = %s AND status = 'COLLECTING' RETURNING id"""
_STORE = """
    INSERT INTO webhook_inboundmessage (message_key, follower_id, batch_id, kind, detail, text, msg_id, sent_at,
        response_text, trace_id, received_at)
    VALUES (%s, %s, {batch}, %s, %s, %s, %s, %s, %s, %s, app_now()) ON CONFLICT (message_key) DO NOTHING
    RETURNING id, batch_id, EXISTS (SELECT 1 FROM webhook_erasure e
        WHERE e.digest IN ({digests}) AND e.until >= webhook_inboundmessage.sent_at)"""

_LOOK = """
    SELECT id, follower_id, batch_id IS NOT NULL, response_text, received_at < app_later(%s)
    FROM webhook_inboundmessage WHERE message_key = %s"""


class _Known(Exception):
    """Another delivery of this message has committed first."""


class _Declined(Exception):
    """Not taken in: nothing is stored, and the answer, a template's name, says so."""


def accept(incoming: Incoming, app_id: str) -> str | Undecided:
    """Stores it once and returns its passive answer ('' for none), the same for every delivery, or that it is to be
    decided (webhook/passive.py).

    Raises what the database raises: then nothing is stored, and the caller must not say `success`.
    """
    if (known := stored(incoming)) is not None:
        return known
    try:
        with committing("door"):
            answer = _store(incoming, app_id)
    except _Known:
        return stored(incoming) or ""
    except _Declined as declined:
        return declined_answer(incoming, str(declined))
    counters.count("inbound", kind=incoming.kind.value)
    return answer


def declined_answer(incoming: Incoming, name: str) -> str:
    """Events are nothing that anybody waits for an answer to."""
    counters.count("declined", reason=name)
    return "" if incoming.is_event else texts.render(name)


def stored(incoming: Incoming) -> str | Undecided | None:
    """What an earlier delivery has left; None if there was none."""
    found = sql.row(_LOOK, (-last_after(), incoming.key))
    if found is None:
        return None
    counters.count("inbound", kind="duplicate")
    pk, follower_id, in_batch, answer, is_late = found
    return str(answer) if answer is not None else _undecided(pk, follower_id, incoming.kind, in_batch, is_late)


def _undecided(pk: int, follower_id: int, kind: Kind, in_batch: bool, is_late: bool) -> Undecided:
    seconds = settings.PASSIVE_HOLD_SECONDS if in_batch else 0.0
    return Undecided(pk, follower_id, _fixed(kind), seconds, is_last=bool(is_late) or abilities().customer)


def _fixed(kind: Kind) -> str:
    """What this kind of message is answered with at once, '' for nothing."""
    name = ANSWERS.get(kind)
    return texts.render(name, pushes=abilities().customer, templates=template_ready()) if name else ""


def _store(incoming: Incoming, app_id: str) -> str | Undecided:
    trace_id = trace.new_trace_id()
    trace.current.set(str(trace_id))
    if forgetting.is_late_word(incoming.kind, app_id, incoming.openid):
        raise _Declined("forgotten")
    follower_id, leftovers, spoken_today = _upsert_follower(incoming, app_id)
    if incoming.kind is Kind.WIPE_YES and forgetting.was_asked(follower_id):
        forgetting.begin(follower_id, by="关注者")
        return texts.render("forgotten")
    if incoming.voice:
        incoming = _spoken(incoming, incoming.voice, spoken_today)
    batch, kind = _batch(incoming, follower_id, trace_id)
    is_held = batch is not None and (settings.PASSIVE_HOLD_SECONDS > 0 or not abilities().customer)
    carries = leftovers and kind not in (Kind.UNSUBSCRIBE, Kind.RECEIPT)
    answer = None if is_held or carries else _fixed(kind)
    values = (
        ROW_KINDS.get(incoming.kind, InboundMessage.EVENT if incoming.is_event else InboundMessage.OTHER),
        kind.value if kind in (Kind.SUBMIT, Kind.WIPE) else incoming.detail,
        words(incoming.voice) if incoming.voice else incoming.text,
        incoming.msg_id,
        incoming.sent_at,
        answer,
        trace_id,
    )
    digests = forgetting.digest_of(app_id, incoming.openid)
    pk, batch_id = _insert((incoming.key, follower_id), batch, values, digests)
    if incoming.voice and batch_id is not None and is_fetched(incoming.voice):
        add_clip(incoming.voice, message_id=pk, batch_id=batch_id, follower_id=follower_id, trace_id=trace_id)
    reach("door:stored")
    _follow_up(incoming, follower_id, app_id)
    return _undecided(pk, follower_id, kind, batch_id is not None, False) if answer is None else answer


def _spoken(incoming: Incoming, voice: Voice, spoken_today: int) -> Incoming:
    kept = within_the_day(voice, spoken_today)
    return replace(incoming, voice=kept, kind=Kind.VOICE_OVER if kept.over and not kept.recognition else incoming.kind)


def _insert(
    whose: tuple[str, int], batch: int | sql.Statement | None, values: tuple[Any, ...], digests: list[str]
) -> tuple[int, int | None]:
    """The message's key and its batch's. A message of before the erasure of all that its sender had said is part of
    what went."""
    if isinstance(batch, tuple) and not sql.is_postgres():
        ((batch,),) = sql.rows(*batch)
    marks = ", ".join(["%s"] * len(digests))
    if isinstance(batch, tuple):
        joining, params = batch
        storing = _STORE.format(batch="(SELECT id FROM joined)", digests=marks)
        found = sql.row(f"WITH joined AS ({joining}) {storing}", (*params, *whose, *values, *digests))
    else:
        found = sql.row(_STORE.format(batch="%s", digests=marks), (*whose, batch, *values, *digests))
    if found is None:
        raise _Known
    pk, batch_id, is_forgotten = found
    if is_forgotten:
        raise _Declined("forgotten")
    return pk, batch_id


def _upsert_follower(incoming: Incoming, app_id: str) -> tuple[int, bool, int]:
    """(id, is there something left over for him, voice messages of the last day)."""
    statement, seconds, quota = _BY_SPEECH if incoming.voice else _BY_MESSAGE, WINDOW_SECONDS, WINDOW_MESSAGES
    if incoming.kind in TOUCHES:
        statement, seconds, quota = _BY_TOUCH, TOUCH_SECONDS, TOUCH_MESSAGES
    elif incoming.kind is Kind.UNSUBSCRIBE:
        statement, seconds, quota = _BY_LEAVING, 0, 0
    elif incoming.kind is Kind.RECEIPT:
        statement, seconds, quota = _BY_RECEIPT, 0, 0
    zone = settings.TIME_ZONE_DEFAULT
    most = (settings.FOLLOWER_DAILY_VOICES,) if statement is _BY_SPEECH else ()
    found = sql.row(statement, (app_id, incoming.openid, zone, {}, quota, seconds, *most))
    assert found is not None
    wrote = statement in (_BY_MESSAGE, _BY_SPEECH)
    if wrote and found[2] > settings.FOLLOWER_DAILY_MESSAGES and incoming.kind not in ALWAYS_HEARD:
        raise _Declined("too_many")
    return found[0], found[1], found[3] if most else 0


def _batch(incoming: Incoming, follower_id: int, trace_id: UUID) -> tuple[int | sql.Statement | None, Kind]:
    """The batch that it belongs to, or how it joins one, and what it is: 「就这些」 without an open batch is a text
    like any other."""
    if incoming.kind is Kind.SUBMIT:
        if found := sql.row(_HURRY, (follower_id,)):
            ring(Queue.BATCHES)
            return found[0], Kind.SUBMIT
    elif incoming.kind not in (Kind.TEXT, Kind.TAP, Kind.WIPE_YES) and not can_become_words(incoming.voice):
        return None, incoming.kind
    quiet, cap = settings.BATCH_QUIET_SECONDS, settings.BATCH_MAX_COLLECT_SECONDS
    if incoming.kind is Kind.TAP:
        quiet = 0.0  # nobody goes on writing after it
    joining = _JOIN, [follower_id, trace_id, min(quiet, cap), cap, settings.BATCH_MAX_CLAIMS]
    ring(Queue.BATCHES, after=min(quiet, cap))
    return joining, Kind.TAP if incoming.kind is Kind.TAP else Kind.TEXT


def _follow_up(incoming: Incoming, follower_id: int, app_id: str) -> None:
    if incoming.kind is Kind.UNSUBSCRIBE:
        OutboundMessage.move_where(
            "follower_id = %s",
            (follower_id,),
            OutboundMessage.PENDING,
            OutboundMessage.CANCELLED,
            last_error="已取消关注",
        )
    elif incoming.receipt is not None:
        settle(app_id, follower_id, *incoming.receipt)

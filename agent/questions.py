"""Questions: one open per follower, asked, answered, cancelled, expired or superseded — each by one compare-and-set.

`clarification_json`: {position, round, pending, missing, question, options, values, answers, done}. `position` counts
actions from 1; `values` are what the options stand for; `answers` are those of earlier rounds, by position.
`clarification_answer`: {text, value, cancel}.
"""

from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from agent import ledger
from agent.voice import Spoken
from planner import sql, texts
from planner.clock import AppNow
from planner.crashpoints import committing
from planner.doorbell import Queue, ring
from planner.leases import Lease
from webhook.models import Batch
from webhook.outbox import enqueue


@dataclass(frozen=True)
class Question:
    """What is missing for the action at `position`, and the options the follower may name by number."""

    position: int
    pending: dict[str, Any]
    missing: str
    text: str
    options: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


def ask(batch: Batch, lease: Lease, question: Question, *, done: str, usage: dict[str, Any] | None = None) -> None:
    """The question as a message, and the batch WAITING, in one commit; an older question steps aside and is said."""
    number = int(batch.question.get("round", 0)) + 1
    stored = {
        "position": question.position,
        "round": number,
        "pending": question.pending,
        "missing": question.missing,
        "question": question.text,
        "options": question.options,
        "values": question.values,
        "answers": answers_of(batch),
    }
    with committing("question"):
        lease.fence()
        superseded = _supersede(batch)
        Batch.finish(
            lease, Batch.WAITING, "waiting", usage=usage, clarification_json=stored, clarification_answer=None
        )
        _set_expiry(batch.pk)
        text = texts.render(
            "question", done=done, superseded=superseded, question=question.text, options=question.options
        )
        enqueue(
            key=f"{batch.pk}:ask:{number}:1",
            follower_id=batch.follower_id,
            batch_id=batch.pk,
            purpose="ask",
            text=text,
            trace_id=batch.trace_id,
        )


def _set_expiry(pk: int) -> None:
    sql.execute(
        "UPDATE webhook_batch SET question_expires_at = app_later(%s) WHERE id = %s",
        (settings.CLARIFICATION_TTL_SECONDS, pk),
    )


def answers_of(batch: Batch) -> dict[str, Any]:
    """Every stored answer of this batch, by position: the answer is part of its action's parameters for ever."""
    answers = dict(batch.question.get("answers", {}))
    if batch.clarification_answer is not None:
        answers[str(batch.question["position"])] = batch.clarification_answer
    return answers


def still_open(pk: int | None) -> Batch | None:
    """The follower's waiting batch, expired or not: the compare-and-set of its answer decides."""
    return Batch.objects.filter(pk=pk, status=Batch.WAITING).first() if pk else None


def answer(
    waiting: Batch, lease: Lease, *, text: str, value: dict[str, Any], cancel: bool, spoken: Spoken | None = None
) -> bool:
    """Hands the answer over and finishes the answering batch, in one commit. False: the question is closed."""
    stored = (spoken or Spoken()).added_to({"text": text, "value": value, "cancel": cancel})
    where = "id = %s AND question_expires_at > app_now() AND clarification_answer IS NULL"
    with committing("answer"):
        lease.fence()
        if not Batch.move_where(
            where, (waiting.pk,), Batch.WAITING, Batch.SUBMITTED, clarification_answer=stored, claims=0
        ):
            return False
        Batch.finish(lease, Batch.DONE, "answered")
        ring(Queue.BATCHES)
    return True


def _supersede(batch: Batch) -> str:
    found = sql.row("SELECT id FROM webhook_batch WHERE follower_id = %s AND status = 'WAITING'", (batch.follower_id,))
    older = still_open(found[0]) if found else None
    return _close(older, "superseded") if older is not None and older.pk != batch.pk else ""


def expire_next() -> bool:
    """Closes one question whose time is over and says what was not done. False when there is none."""
    with committing("expiry"):
        waiting = (
            Batch.objects.select_for_update(skip_locked=True)
            .filter(status=Batch.WAITING, question_expires_at__lte=AppNow())
            .order_by("question_expires_at")
            .first()
        )
        if waiting is None:
            return False
        if text := _close(waiting, "expired"):
            enqueue(
                key=f"{waiting.pk}:expired:{waiting.question['round']}",
                follower_id=waiting.follower_id,
                batch_id=waiting.pk,
                purpose="notice",
                text=text,
                trace_id=waiting.trace_id,
            )
    return True


def _close(waiting: Batch, reason: str) -> str:
    """WAITING → DONE; the pending action and those behind it become refusals. '' when another was first."""
    if not Batch.move(waiting.pk, Batch.WAITING, Batch.DONE):
        return ""
    dropped = ledger.drop_from(waiting, int(waiting.question["position"]), reason)
    return texts.render("question_over", reason=reason, pending=dropped[0], others=dropped[1:])

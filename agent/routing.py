"""Is this batch an answer to the open question, or a new instruction? Decided once, stored before it is used."""

from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any

from agent import answers, questions
from agent.analysis import Said
from agent.loading import Loaded
from agent.voice import Spoken
from planner import sql
from planner.clock import AppNow
from planner.crashpoints import statement
from planner.leases import Lease, LeaseLost
from webhook.models import Batch


class Route(StrEnum):
    NEW = "new"
    HANDED_OVER = "handed_over"
    TOO_LATE = "too_late"


NEW, HANDED_OVER, TOO_LATE = Route.NEW, Route.HANDED_OVER, Route.TOO_LATE
ONE_DAY = timedelta(days=1)


def route(loaded: Loaded, lease: Lease, *, spoken: Spoken) -> Route:
    """Without an open question nothing is read or written."""
    said, waiting = loaded.said, questions.still_open(loaded.asked)
    decision = loaded.batch.route_json
    if decision is None:
        if waiting is None:
            return NEW
        decision = _decide(waiting, said, loaded.batch)
        _store(lease, decision)
    if decision["kind"] == "new":
        return NEW
    if waiting is None or waiting.pk != decision["batch"]:
        return TOO_LATE
    handed = questions.answer(
        waiting, lease, text=said[-1].text, value=decision["value"], cancel=decision["kind"] == "cancel", spoken=spoken
    )
    return HANDED_OVER if handed else TOO_LATE


def _decide(waiting: Batch, said: Sequence[Said], batch: Batch) -> dict[str, Any]:
    """Only a lone message can be an answer; what fits neither is a new instruction, and the question stays open."""
    if len(said) != 1:
        return {"kind": "new"}
    question = waiting.question
    fit = answers.fit(
        missing=question["missing"],
        options=question["options"],
        text=said[0].text,
        sent_at=said[0].sent_at,
        zone=batch.follower.zone,
    )
    if fit is None:
        return {"kind": "new"}
    return {"kind": fit.kind, "batch": waiting.pk, "value": _value(question, fit.value)}


def _value(question: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """An option's number becomes what it stood for when it was shown."""
    values = question["values"]
    if "positions" in value:
        return {**value, "picked": [values[place - 1] for place in value["positions"] if place <= len(values)]}
    if "position" in value and 1 <= value["position"] <= len(values):
        return {**value, "task": values[value["position"] - 1]}
    return {**value, "tasks": values} if value.get("yes") else value


def _store(lease: Lease, decision: dict[str, Any]) -> None:
    with statement("route"):
        stored = sql.execute(
            f"UPDATE webhook_batch SET route_json = %s::jsonb WHERE {lease.held}", (decision, *lease.params)
        )
    if stored != 1:
        raise LeaseLost(f"batch {lease.pk}")


def closed_lately(follower_id: int) -> bool:
    """A question of this follower ended unanswered within the last day: a stray «1» was meant for it."""
    return Batch.objects.filter(
        follower_id=follower_id,
        status=Batch.DONE,
        clarification_json__isnull=False,
        clarification_answer__isnull=True,
        question_expires_at__gte=AppNow() - ONE_DAY,
    ).exists()

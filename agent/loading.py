"""What a run needs to know of its batch: one statement that is compiled once. The ORM would compile its joins for each
batch, a tenth of a run."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from agent.analysis import Said
from planner import sql
from planner.leases import Lease, LeaseLost
from planner.models import Follower
from webhook.models import Batch, InboundMessage


@dataclass(frozen=True)
class Loaded:
    """`said` in the order they were sent, without silence; `spoken` the words of its voice messages, '' of those that
    have none; both only of a batch that is not understood yet. `asked`: the batch whose question is open."""

    batch: Batch
    follower: Follower
    asked: int | None
    said: list[Said]
    spoken: list[str]


def load(lease: Lease) -> Loaded:
    """Raises LeaseLost when the row is gone."""
    found = sql.rows(_statement(), (lease.pk,))
    if not found:
        raise LeaseLost(f"batch {lease.pk}")
    batch_ends, follower_ends = _widths()
    batch = sql.restored(Batch, found[0][:batch_ends])
    batch.follower = sql.restored(Follower, found[0][batch_ends:follower_ends])
    messages = _ordered([row[follower_ends + 1 :] for row in found])
    said = [Said(text=text, sent_at=sent_at) for sent_at, _, text, _ in messages if text]
    spoken = [text for _, _, text, kind in messages if kind == InboundMessage.VOICE]
    return Loaded(batch, batch.follower, found[0][follower_ends], said, spoken)


def _ordered(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """By (CreateTime, MsgId as a number)."""
    return sorted((sql.moment(sent_at), int(msg_id or 0), text, kind) for text, sent_at, msg_id, kind in rows if kind)


def _widths() -> tuple[int, int]:
    batch, follower = len(Batch._meta.concrete_fields), len(Follower._meta.concrete_fields)
    return batch, batch + follower


@cache
def _statement() -> str:
    """「就这些」 is none of the messages."""
    return f"""
        SELECT {sql.columns(Batch, "b")}, {sql.columns(Follower, "f")},
            (SELECT w.id FROM webhook_batch w WHERE w.follower_id = b.follower_id AND w.status = 'WAITING'),
            m.text, m.sent_at, m.msg_id, m.kind
        FROM webhook_batch b JOIN planner_follower f ON f.id = b.follower_id
        LEFT JOIN webhook_inboundmessage m
            ON m.batch_id = b.id AND m.detail <> 'submit' AND b.analysis_json IS NULL
        WHERE b.id = %s"""

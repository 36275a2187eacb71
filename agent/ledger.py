"""The batch's view of the ledger: keys by position, and refusals for what is dropped without being tried."""

from typing import Any

from planner import sql, texts
from planner.models import OperationResult
from planner.operations import Outcome
from planner.operations.ledger import STORE
from planner.operations.words import canonical, digest_of
from webhook.models import Batch


def key_of(batch_id: int, op: str, position: int, part: int = 1) -> str:
    """`part`: of several tasks that one answer picked («都删»), each its own effect."""
    return f"{batch_id}:{op}:{position}" + (f".{part}" if part > 1 else "")


def op_of(action: dict[str, Any]) -> str:
    """For a `clarify` the op of its pending action."""
    return str(action["pending"]["op"] if action["op"] == "clarify" else action["op"])


def name_of(action: dict[str, Any]) -> str:
    """What a follower calls it: the title, or the target's words."""
    pending = action["pending"] if action["op"] == "clarify" else action
    return str(pending.get("title") or (pending.get("target") or {}).get("text") or "")


def stored(batch_id: int) -> dict[str, Outcome]:
    rows = OperationResult.objects.filter(batch_id=batch_id)
    return {r.operation_key: Outcome(r.operation_key, r.op, r.status, r.result, replayed=True) for r in rows}


def drop(batch: Batch, position: int, action: dict[str, Any], reason: str) -> Outcome:
    """A refusal under the action's own key, in the caller's transaction; what was there before stays."""
    op, name = op_of(action), name_of(action)
    key = key_of(batch.pk, op, position)
    result = {"summary": texts.render("dropped", reason=reason, name=name, verb=op), "reason": reason}
    params = {"dropped": reason, "action": action}
    by = (batch.follower_id, batch.pk, None)
    values = (canonical(params), digest_of(params), OperationResult.REFUSED, canonical(result), None, batch.trace_id)
    sql.execute(f"{STORE} ON CONFLICT (operation_key) DO NOTHING", (key, *by, op, *values))
    return Outcome(key, op, OperationResult.REFUSED, result, replayed=False)


def drop_from(batch: Batch, position: int, reason: str) -> list[str]:
    """Drops the action at `position` and all behind it; returns what they are called, the pending one first."""
    dropped = batch.actions[position - 1 :]
    for n, action in enumerate(dropped, position):
        drop(batch, n, action, reason)
    return [name_of(action) for action in dropped] or [""]

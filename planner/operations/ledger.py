"""The ledger: look the key up, take the effect, store the result — one transaction.

`apply` may be called any number of times, by any worker, in any order of crashes: the same key with the same parameters
takes effect once and then always returns the stored result.
"""

import json
from typing import Any

from django.db import IntegrityError
from pydantic import BaseModel, ValidationError

from planner import counters, sql, walls
from planner.crashpoints import committing, reach
from planner.leases import LeaseLost
from planner.models import OperationResult
from planner.operations.verbs import VERBS
from planner.operations.words import Done, OperationConflict, Outcome, Refused, Scope, Unclear, canonical, digest_of


def params_hash(op: str, params: BaseModel) -> str:
    """Of what differs from the defaults: a field that a later version adds leaves older hashes as they are."""
    return digest_of({"v": 2, "op": op, "params": _said(params)})


def _said(params: BaseModel) -> dict[str, Any]:
    return params.model_dump(mode="json", exclude={"op"}, exclude_defaults=True)


def apply(op: str, params: BaseModel, scope: Scope, *, key: str) -> Outcome | Unclear:
    """Raises OperationConflict, LeaseLost (a new effect needs the claim, a replay does not), or the database's errors.

    Two callers with one key: the second waits for the first and gets its row, or goes on if the first rolled back.
    """
    values = params.model_dump(mode="json", exclude={"op"})
    digest = params_hash(op, params)
    try:
        with walls.leaving_as_found(), committing("operation"):
            if stored := _stored_or_fenced(key, scope):
                return _replay(stored, digest, params)
            made = VERBS[op](scope, params)
            if isinstance(made, Unclear):
                return made
            reach("operation:effect")
            return _store(key, op, values, digest, scope, made)
    except IntegrityError:
        if stored := lookup(key):
            return _replay(stored, digest, params)
        raise


STORE = """
    INSERT INTO planner_operationresult (operation_key, follower_id, batch_id, claim_no, op, params, params_hash,
        status, result, undo, trace_id, undone_by, created_at)
    VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s::jsonb, %s::jsonb, %s, '', app_now())"""
COLUMNS = "o.operation_key, o.op, o.params_hash, o.status, o.result"


def lookup(key: str) -> tuple[Any, ...] | None:
    return sql.row(f"SELECT {COLUMNS} FROM planner_operationresult o WHERE o.operation_key = %s", (key,))


def _stored_or_fenced(key: str, scope: Scope) -> tuple[Any, ...] | None:
    """The stored row, or None with the claim held until commit, and from here on nothing to be seen of any other
    follower (planner/walls.py). Key, fence and wall are one statement."""
    if scope.lease is None:
        found = _looked_up("SELECT 1", (), key, scope)
    else:
        held = f"SELECT id FROM {scope.lease.table} WHERE {scope.lease.held} FOR UPDATE"
        found = _looked_up(held, scope.lease.params, key, scope) or lookup(key)
        if found is None:
            raise LeaseLost(f"{scope.lease.table} {scope.lease.pk}")
    return found if found and found[0] is not None else None


def _looked_up(held: str, params: tuple[Any, ...], key: str, scope: Scope) -> tuple[Any, ...] | None:
    statement = f"""
        SELECT {COLUMNS}, {walls.ONLY} FROM ({held}) held
        LEFT JOIN planner_operationresult o ON o.operation_key = %s"""
    found = sql.row(statement, (str(scope.follower.pk), *params, key))
    return found[:-1] if found else None


def _replay(stored: tuple[Any, ...], digest: str, params: BaseModel) -> Outcome:
    key, op, stored_hash, status, result = stored
    if stored_hash != digest and not _stored_by_an_older_version(key, params):
        counters.count("operations", outcome="conflict")
        raise OperationConflict(f"操作键 {key} 已用于不同的参数")
    counters.count("operations", outcome="replayed")
    return Outcome(key, op, status, sql.loads(result), replayed=True)


def _stored_by_an_older_version(key: str, params: BaseModel) -> bool:
    """Older versions hashed every field with the defaults of their day: then what is stored itself is compared."""
    found = sql.row("SELECT params FROM planner_operationresult WHERE operation_key = %s", (key,))
    stored = sql.loads(found[0]) if found else {}
    if not set(stored) <= set(type(params).model_fields):
        return False
    try:
        return _said(type(params).model_validate(stored)) == _said(params)
    except ValidationError:
        return False


def _store(key: str, op: str, values: dict[str, Any], digest: str, scope: Scope, made: Done | Refused) -> Outcome:
    succeeded = isinstance(made, Done)
    result = {"summary": made.summary, **(made.data if isinstance(made, Done) else {"reason": made.reason})}
    status = OperationResult.SUCCEEDED if succeeded else OperationResult.REFUSED
    kept = json.loads(canonical(result))
    undo = made.undo if isinstance(made, Done) else None
    claim_no = scope.lease.claim_no if scope.lease else None
    by = (scope.follower.pk, scope.batch_id, claim_no)
    sql.execute(STORE, (key, *by, op, values, digest, status, kept, undo, scope.trace_id))
    counters.count("operations", outcome="applied" if succeeded else "refused")
    return Outcome(key, op, status, kept, replayed=False)

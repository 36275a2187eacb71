"""The words of the ledger: for whom an operation is, and what may come of it."""

import hashlib
import json
import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from planner.leases import Lease
from planner.models import Follower


class OperationConflict(Exception):
    """The key was used with other parameters: a defect of the caller. Nothing was applied; never try again."""


@dataclass(frozen=True)
class Scope:
    """For whom and by whom. `sent_at` is when the follower's message was sent: the reference of every rule.

    Without a lease (the follower's own pages, an operator) the unique key alone guards the effect.
    """

    follower: Follower
    sent_at: datetime
    trace_id: UUID
    batch_id: int | None = None
    lease: Lease | None = None


@dataclass(frozen=True)
class Done:
    """A handler's result. `summary` is what a follower may read; `undo` what taking it back needs."""

    summary: str
    data: dict[str, Any] = field(default_factory=dict)
    undo: dict[str, Any] | None = None


@dataclass(frozen=True)
class Refused:
    """A rule says no: definite, stored, and returned again."""

    summary: str
    reason: str


@dataclass(frozen=True)
class Unclear:
    """Several tasks fit. Not a result: nothing is stored, the follower is asked. `options` are what he reads."""

    missing: str
    options: list[str]
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """A row of the ledger. `result` holds summary and data; `digest` proves that a replay is the original."""

    key: str
    op: str
    status: str
    result: dict[str, Any]
    replayed: bool

    @property
    def summary(self) -> str:
        return str(self.result["summary"])

    @property
    def digest(self) -> str:
        return digest_of(self.result)


def canonical(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return unicodedata.normalize("NFC", text)


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical(value).encode()).hexdigest()

"""The lease machine: every piece of work is a row, claimed with a number and finished only by whoever still holds it.

`claim` is one conditional statement. `claim_no` only grows, so it is the fence: each write of a worker, its error path
included, is an UPDATE that names the running status *and* the number it was given, and a count other than one is
`LeaseLost`, which rolls the caller's transaction back. A worker that was taken for dead and wakes can therefore
change nothing. Only this file writes `status`.
"""

import random
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from django.conf import settings
from django.db import IntegrityError, models

from planner import crashpoints, sql

OUTAGE_SECONDS = 6 * 3600  # how long an upstream's outage is no failure of the work that waits for it
OWNER = uuid.uuid4().hex[:12]  # random per process start: a restarted host must not pass for its former self


Usage = dict[str, Any] | None  # what a claim cost: tokens, model calls
Columns = dict[str, Any] | None  # further columns, written with the move


class LeaseLost(Exception):
    """Somebody else holds the row now. Roll back, write nothing, take the next one."""


class Lease:
    """Proof that a row was claimed: the row's key and the claim's number."""

    def __init__(self, model: type["Leased"], pk: int, claim_no: int) -> None:
        self.model, self.pk, self.claim_no = model, pk, claim_no

    def fence(self) -> None:
        """First statement of a transaction that writes for this claim; holds the row until commit."""
        statement = f"SELECT 1 FROM {self.table} WHERE {self.held} FOR UPDATE"
        if sql.row(statement, self.params) is None:
            raise LeaseLost(f"{self.table} {self.pk}")

    @property
    def table(self) -> str:
        return self.model._meta.db_table

    @property
    def held(self) -> str:
        """Condition to be filled with `params`: this claim still holds the row. The status is no parameter: a plan for
        any status could use no partial index, here and in all that follows."""
        return f"id = %s AND claim_no = %s AND status = '{self.model.RUNNING}'"

    @property
    def params(self) -> tuple[int, int]:
        return self.pk, self.claim_no

    def beat(self) -> bool:
        """Renews the heartbeat; never extends the lease, and never one that is over."""
        statement = (
            f"UPDATE {self.table} SET heartbeat_at = app_now() WHERE {self.held} AND lease_expires_at > app_now()"
        )
        return sql.execute(statement, self.params) == 1


@dataclass(frozen=True)
class Claimed:
    """`lease` and the columns that the model's CLAIM_COLUMNS names."""

    lease: Lease
    claims: int
    columns: dict[str, Any] = field(default_factory=dict)


def back_off(claims: int) -> float:
    """Seconds before try `claims + 1`: RETRY_WAITS ± 20 %, so that failures do not come back in step."""
    waits = settings.RETRY_WAITS
    return float(waits[min(claims, len(waits)) - 1] * random.uniform(0.8, 1.2))  # noqa: S311


class Leased(models.Model):
    """A row of work. What the states mean stands with each subclass; TRANSITIONS lists every legal move."""

    READY: ClassVar[str]
    RUNNING: ClassVar[str]
    FINAL: ClassVar[frozenset[str]]
    TRANSITIONS: ClassVar[frozenset[tuple[str, str]]]
    CLAIMABLE: ClassVar[str] = "TRUE"  # further SQL condition over the candidate `c`
    CLAIM_COLUMNS: ClassVar[tuple[str, ...]] = ()
    CLAIM_SETS: ClassVar[str] = ""  # further assignments of a claim
    AFTER_DEATH: ClassVar[str]  # SQL expression: the status of a row whose owner died
    EXHAUSTED: ClassVar[str] = "FAILED"
    NEEDS: ClassVar[str] = "c.held_for"  # SQL expression: the upstream that the candidate cannot do without

    status = models.CharField("状态", max_length=12)
    available_at = models.DateTimeField("可执行时间")
    claims = models.PositiveSmallIntegerField("领取次数", default=0)
    max_claims = models.PositiveSmallIntegerField("最多领取", default=3)
    claim_no = models.BigIntegerField("领取号", default=0)
    claimed_at = models.DateTimeField("领取时间", null=True, blank=True)
    owner = models.CharField("领取者", max_length=12, blank=True)
    heartbeat_at = models.DateTimeField("心跳", null=True, blank=True)
    lease_expires_at = models.DateTimeField("租约到期", null=True, blank=True)
    last_error = models.CharField("最近错误", max_length=500, blank=True)
    held_for = models.CharField("等待的上游", max_length=20, blank=True, default="", db_default="")
    finished_at = models.DateTimeField("结束时间", null=True, blank=True)

    class Meta:
        abstract = True

    @classmethod
    def claim(cls, lease_seconds: float, *, shut: Collection[str] = ()) -> Claimed | None:
        """The next row, or None. One short statement outside any transaction; a unique violation finds nothing.

        What needs one of the upstreams `shut` is left where it is, until its time of grace is over.
        """
        columns = ("id", "claim_no", "claims", *cls.CLAIM_COLUMNS)
        held = cls._held_back(len(shut)) if shut else ""
        statement = f"""
            UPDATE {cls._meta.db_table} SET status = '{cls.RUNNING}', claims = claims + 1, claim_no = claim_no + 1,
                owner = %s, claimed_at = app_now(), heartbeat_at = app_now(),
                lease_expires_at = app_later(%s){cls.CLAIM_SETS}
            WHERE id = (SELECT c.id FROM {cls._meta.db_table} c
                WHERE c.status = '{cls.READY}' AND c.available_at <= app_now() AND c.claims < c.max_claims
                AND {cls.CLAIMABLE}{held}
                ORDER BY c.available_at, c.id LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
            RETURNING {", ".join(columns)}"""
        try:
            with crashpoints.statement(f"claim {cls._meta.model_name}"):
                found = sql.row(statement, (OWNER, lease_seconds, *shut))
        except IntegrityError:
            return None
        if found is None:
            return None
        pk, claim_no, claims, *rest = found
        return Claimed(Lease(cls, pk, claim_no), claims, dict(zip(cls.CLAIM_COLUMNS, rest, strict=True)))

    @classmethod
    def _held_back(cls, count: int) -> str:
        names = ", ".join(["%s"] * count)
        return f" AND ({cls.NEEDS} NOT IN ({names}) OR c.created_at < app_later(-{OUTAGE_SECONDS}))"

    @classmethod
    def finish(
        cls, lease: Lease, status: str, outcome: str, error: str = "", *, usage: Usage = None, **columns: Any
    ) -> None:
        """RUNNING → `status`, under the fence, and how the claim ended, inside the caller's transaction. Raises
        LeaseLost."""
        cls._check(cls.RUNNING, status)
        values = {"status": status, **columns}
        assignments = "".join(f", {name} = %s{_cast(value)}" for name, value in values.items())
        finished = "app_now()" if status in cls.FINAL else "NULL"
        statement = f"""
            UPDATE {lease.table} SET lease_expires_at = NULL, heartbeat_at = NULL, held_for = '',
                finished_at = {finished}{assignments}
            WHERE {lease.held}"""
        moving = statement, [*values.values(), *lease.params]
        if not cls.record_end(lease.pk, outcome, error, usage, moving=moving):
            raise LeaseLost(f"{lease.table} {lease.pk}")

    @classmethod
    def retry(
        cls, lease: Lease, error: str, *, wait: float | None = None, held_for: str = "", usage: Usage = None
    ) -> str:
        """An error that may be tried again: READY later, or EXHAUSTED when no claim is left. Returns the status."""
        with crashpoints.committing(f"retry {cls._meta.model_name}"):
            row = cls.held_row(lease)
            exhausted = row.claims >= row.max_claims
            row._leave(cls.EXHAUSTED if exhausted else cls.READY, error, wait=wait, held_for=held_for)
            cls.record_end(row.pk, "failed" if exhausted else "retried", error, usage)
            if exhausted:
                row.on_exhausted(error)
        return row.status

    @classmethod
    def release(
        cls,
        lease: Lease,
        reason: str,
        *,
        wait: float,
        held_for: str = "",
        usage: Usage = None,
        columns: Columns = None,
    ) -> None:
        """Gives the row back without counting the claim: the upstream is down, or this process is leaving. `held_for`:
        an upstream that it cannot do without: while that one is shut, nobody looks at the row."""
        with crashpoints.committing(f"release {cls._meta.model_name}"):
            row = cls.held_row(lease)
            row.claims -= 1
            row._leave(cls.READY, reason, wait=wait, held_for=held_for, columns=columns)
            cls.record_end(row.pk, "released", reason, usage)

    @classmethod
    def give_up(
        cls, lease: Lease, error: str, *, status: str = "", usage: Usage = None, columns: Columns = None
    ) -> None:
        """An error that no retry can mend: `status` (EXHAUSTED) at once, a dead letter with its reason."""
        with crashpoints.committing(f"give up {cls._meta.model_name}"):
            row = cls.held_row(lease)
            row._leave(status or cls.EXHAUSTED, error, columns=columns)
            cls.record_end(row.pk, "failed", error, usage)
            row.on_exhausted(error)

    @classmethod
    def rescue_next(cls) -> bool:
        """Takes one row from a dead owner: its lease is over, or its heartbeat silent. One row, one transaction.

        The conditional UPDATE is the decision, so a worker that finishes at the same moment wins or loses, never both.
        """
        statement = f"""
            UPDATE {cls._meta.db_table} SET status = {cls.AFTER_DEATH}, lease_expires_at = NULL, heartbeat_at = NULL,
                last_error = %s, available_at = app_now(),
                finished_at = CASE WHEN {cls.AFTER_DEATH} = '{cls.READY}' THEN NULL ELSE app_now() END
            WHERE id = (SELECT c.id FROM {cls._meta.db_table} c WHERE c.status = '{cls.RUNNING}'
                AND (c.lease_expires_at < app_now() OR c.heartbeat_at < app_later(%s))
                ORDER BY c.id LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
            RETURNING id"""
        error = "领取者已失联，租约被收回"
        with crashpoints.committing(f"rescue {cls._meta.model_name}"):
            params = (error, -settings.HEARTBEAT_SILENCE_SECONDS)
            found = sql.row(statement, params)
            if found is None:
                return False
            row = cls._default_manager.get(pk=found[0])
            cls.record_end(row.pk, "died", error)
            if row.status != cls.READY:
                row.on_exhausted(error)
        return True

    @classmethod
    def held_row(cls, lease: Lease) -> Self:
        """The row, locked, if this claim still holds it. Inside a transaction. Raises LeaseLost."""
        held = {"pk": lease.pk, "claim_no": lease.claim_no, "status": cls.RUNNING}
        row = cls._default_manager.select_for_update().filter(**held).first()
        if row is None:
            raise LeaseLost(f"{lease.table} {lease.pk}")
        return row

    @classmethod
    def move(cls, pk: int, before: str, after: str, **columns: Any) -> bool:
        """A move that needs no claim (answer, expire, cancel, an operator's replay): compare-and-set on `before`.

        Exactly one of two callers wins; the loser gets False.
        """
        return cls.move_where("id = %s", (pk,), before, after, **columns) == 1

    @classmethod
    def move_where(cls, where: str, params: tuple[Any, ...], before: str, after: str, **columns: Any) -> int:
        """The same for all rows that are in `before` and fit `where`; returns how many moved."""
        cls._check(before, after)
        values = {"status": after, **columns}
        assignments = "".join(f", {name} = %s{_cast(value)}" for name, value in values.items())
        finished = "app_now()" if after in cls.FINAL else "NULL"
        statement = f"""
            UPDATE {cls._meta.db_table} SET finished_at = {finished}, available_at = app_now(), held_for = '',
                lease_expires_at = NULL, heartbeat_at = NULL{assignments}
            WHERE status = '{before}' AND {where}"""
        return sql.execute(statement, (*values.values(), *params))

    def _leave(
        self, status: str, error: str, *, wait: float | None = None, held_for: str = "", columns: Columns = None
    ) -> None:
        """RUNNING → `status` of a row that `held_row` has locked."""
        self._check(self.RUNNING, status)
        self.status = status
        seconds = back_off(self.claims) if wait is None else wait
        more = columns or {}
        also = "".join(f", {name} = %s" for name in more)
        statement = f"""
            UPDATE {self._meta.db_table} SET status = %s, claims = %s, last_error = %s, held_for = %s,
                available_at = app_later(%s), lease_expires_at = NULL, heartbeat_at = NULL,
                finished_at = {"app_now()" if status in self.FINAL else "NULL"}{also}
            WHERE id = %s"""
        sql.execute(statement, (status, self.claims, error[:500], held_for, seconds, *more.values(), self.pk))

    @classmethod
    def _check(cls, before: str, after: str) -> None:
        if (before, after) not in cls.TRANSITIONS:
            raise ValueError(f"{cls.__name__}: {before} → {after} is no legal move")

    @classmethod
    def record_end(
        cls, pk: int, outcome: str, error: str = "", usage: Usage = None, *, moving: sql.Statement | None = None
    ) -> bool:
        """Stores how this claim ended, in the transaction that ends it, together with the statement that moves the row,
        where that is given. False: it moved none, and nothing is stored."""
        raise NotImplementedError

    def on_exhausted(self, error: str) -> None:
        """The dead letter: review row and what the follower is told, in the transaction that ends the work."""
        raise NotImplementedError


def _cast(value: Any) -> str:
    return "::jsonb" if isinstance(value, dict | list) else ""

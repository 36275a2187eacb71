from typing import Any, ClassVar

from django.db import models

from planner import counters, sql
from planner.fields import CreatedAt
from planner.leases import Leased, Usage


class Attempt(models.Model):
    """How one claim of a row ended, written by whoever ended it; the claim going on stands on the row itself."""

    BATCH, OUTBOUND, VOICE = "batch", "outbound", "voice"
    KINDS: ClassVar[list[tuple[str, str]]] = [(BATCH, "批次"), (OUTBOUND, "外发消息"), (VOICE, "语音")]

    kind = models.CharField("类别", max_length=10, choices=KINDS)
    object_id = models.BigIntegerField("对象")
    claim_no = models.BigIntegerField("领取号")
    owner = models.CharField("领取者", max_length=12, blank=True)
    started_at = models.DateTimeField("开始", null=True)
    ended_at = CreatedAt("结束", null=True)
    outcome = models.CharField("结局", max_length=12)
    error = models.CharField("错误", max_length=500, blank=True)
    usage = models.JSONField("用量", null=True, blank=True)

    class Meta:
        verbose_name = verbose_name_plural = "执行记录"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["kind", "object_id", "claim_no"], name="one_end_per_claim"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object_id} #{self.claim_no}: {self.outcome}"


_END = """
    INSERT INTO webhook_attempt (kind, object_id, claim_no, owner, started_at, ended_at, outcome, error, usage)
    SELECT %s, id, claim_no, owner, claimed_at, app_now(), %s, %s, %s::jsonb FROM """


class Recorded(Leased):
    """A row of work of whose claims each end is kept, as an Attempt of this KIND."""

    KIND: ClassVar[str]

    class Meta:
        abstract = True

    @classmethod
    def record_end(
        cls, pk: int, outcome: str, error: str = "", usage: Usage = None, *, moving: sql.Statement | None = None
    ) -> bool:
        """From what the row itself says of its claim."""
        values = [cls.KIND, outcome, error[:500], usage]
        if moving is None:
            stored = sql.execute(f"{_END}{cls._meta.db_table} WHERE id = %s", [*values, pk])
        elif sql.is_postgres():
            statement, params = moving
            moved = f"{statement} RETURNING id, claim_no, owner, claimed_at"
            stored = sql.execute(f"WITH moved AS ({moved}) {_END}moved", [*params, *values])
        else:
            stored = sql.execute(*moving) and sql.execute(f"{_END}{cls._meta.db_table} WHERE id = %s", [*values, pk])
        if stored:
            counters.count("claims", kind=cls.KIND, outcome=outcome)
        return stored == 1

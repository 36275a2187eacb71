from typing import Any, ClassVar

from django.db import models

from planner import sql
from planner.fields import CreatedAt


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

    @classmethod
    def end(cls, kind: str, table: str, pk: int, outcome: str, error: str, usage: dict[str, Any] | None) -> None:
        """One statement, from what the claimed row itself says of its claim."""
        sql.execute(
            f"""INSERT INTO webhook_attempt
                    (kind, object_id, claim_no, owner, started_at, ended_at, outcome, error, usage)
                SELECT %s, id, claim_no, owner, claimed_at, app_now(), %s, %s, %s::jsonb FROM {table} WHERE id = %s""",
            (kind, outcome, error[:500], usage, pk),
        )

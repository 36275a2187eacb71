from typing import Any, ClassVar

from django.db import models

from planner import counters, sql
from planner.alarms import raise_alarm
from planner.fields import CreatedAt
from planner.leases import Leased, Usage


class Erasure(Leased):
    """One follower's wish, or an operator's act, that all of his data goes.

    PENDING  asked for: in the same transaction his row has lost its openid, and nothing more is said to it. A claim
             takes it out.
    ERASING  a worker deletes piece by piece, each under the fence. Its finish takes it out; a crash leaves it here
             until `rescue` makes it PENDING again, and what is gone stays gone.
    DONE     nothing is left but this row. FAILED after MAX_CLAIMS deaths: an alarm, and `manage.py forget` again.

    `digest` is the keyed hash of the openid. `until`: what was sent up to then was part of it, so that a message
    delivered once more brings nobody back.
    """

    PENDING, ERASING, DONE, FAILED = "PENDING", "ERASING", "DONE", "FAILED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [
        (PENDING, "等待"),
        (ERASING, "删除中"),
        (DONE, "完成"),
        (FAILED, "失败"),
    ]
    READY, RUNNING = PENDING, ERASING
    FINAL = frozenset({DONE, FAILED})
    TRANSITIONS = frozenset(
        {(PENDING, ERASING), (ERASING, PENDING), (ERASING, DONE), (ERASING, FAILED), (FAILED, PENDING)}
    )
    AFTER_DEATH = "CASE WHEN claims < max_claims THEN 'PENDING' ELSE 'FAILED' END"
    CLAIM_COLUMNS = ("follower_id",)
    MAX_CLAIMS = 50

    status = models.CharField("状态", max_length=12, choices=STATUSES, default=PENDING)
    digest = models.CharField("OpenID 摘要", max_length=64)
    follower_id = models.BigIntegerField("关注者编号", unique=True)
    until = models.DateTimeField("截至")
    by = models.CharField("由谁", max_length=150)
    rows_erased = models.PositiveIntegerField("已删行数", default=0)
    created_at = CreatedAt("请求时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "数据删除"
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=models.Q(status="ERASING", lease_expires_at__isnull=False)
                | (~models.Q(status="ERASING") & models.Q(lease_expires_at__isnull=True)),
                name="an_erasure_runs_iff_leased",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["digest", "until"], name="erasures_of_digest"),
            models.Index(
                fields=["available_at", "id"],
                condition=models.Q(status__in=["PENDING", "ERASING"]),
                name="open_erasures",
            ),
        ]

    def __str__(self) -> str:
        return f"数据删除 {self.pk}"

    @classmethod
    def record_end(
        cls, pk: int, outcome: str, error: str = "", usage: Usage = None, *, moving: sql.Statement | None = None
    ) -> bool:
        if moving and not sql.execute(*moving):
            return False
        counters.count("claims", kind="erasure", outcome=outcome)
        return True

    def on_exhausted(self, error: str) -> None:
        raise_alarm("erasure:failed", f"数据删除 {self.pk} 没有完成：{error[:200]}。查明后再运行 manage.py forget。")

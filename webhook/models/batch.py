from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from planner import texts
from planner.fields import CreatedAt
from planner.models import Follower, OperationResult, Review
from webhook.models.attempt import Attempt, Recorded
from webhook.outbox import enqueue


class Batch(Recorded):
    """Messages of one follower that are understood together.

    COLLECTING  the door opens it and joins messages to it; the submit step takes it out when the quiet time is over.
    SUBMITTED   ready for a worker; a claim takes it out. A crash leaves it here.
    RUNNING     a worker holds it; its finish, its error path or `rescue` take it out. A crash leaves it here until the
                lease is over or the heartbeat silent, then SUBMITTED again: the ledger makes the repeat harmless.
    WAITING     a question is open; the answer (→ SUBMITTED), the next question or the expiry (→ DONE) take it out.
    DONE, FAILED, CANCELLED  final for workers; FAILED has a Review. An operator's replay makes FAILED SUBMITTED again,
                as a new generation with the same analysis and the same operation keys.
    """

    COLLECTING, SUBMITTED, RUNNING, WAITING = "COLLECTING", "SUBMITTED", "RUNNING", "WAITING"
    DONE, FAILED, CANCELLED = "DONE", "FAILED", "CANCELLED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [
        (COLLECTING, "收集中"),
        (SUBMITTED, "已提交"),
        (RUNNING, "处理中"),
        (WAITING, "等待回答"),
        (DONE, "完成"),
        (FAILED, "失败"),
        (CANCELLED, "已取消"),
    ]
    KIND = Attempt.BATCH
    READY = SUBMITTED
    FINAL = frozenset({DONE, FAILED, CANCELLED})
    TRANSITIONS = frozenset(
        {
            (COLLECTING, SUBMITTED),
            (SUBMITTED, RUNNING),
            (RUNNING, SUBMITTED),
            (RUNNING, WAITING),
            (RUNNING, DONE),
            (RUNNING, FAILED),
            (WAITING, SUBMITTED),
            (WAITING, DONE),
            (FAILED, SUBMITTED),
            (COLLECTING, CANCELLED),
            (SUBMITTED, CANCELLED),
            (WAITING, CANCELLED),
        }
    )
    AFTER_DEATH = "CASE WHEN claims < max_claims THEN 'SUBMITTED' ELSE 'FAILED' END"
    CLAIMABLE = (
        # CASE, because an OR over partial indexes costs Postgres a millisecond to plan.
        "NOT EXISTS (SELECT 1 FROM webhook_batch e WHERE e.follower_id = c.follower_id"
        " AND e.status IN ('SUBMITTED', 'RUNNING') AND CASE e.status WHEN 'RUNNING' THEN TRUE ELSE e.id < c.id END)"
        # It waits for its voice messages and is never analysed with silence.
        " AND NOT EXISTS (SELECT 1 FROM webhook_voiceclip v"
        " WHERE v.batch_id = c.id AND v.status IN ('UNHEARD', 'HEARING'))"
    )
    CLAIM_COLUMNS = ("follower_id", "generation", "trace_id", "clarification_json")

    follower = models.ForeignKey(
        Follower, models.CASCADE, related_name="batches", verbose_name="关注者", db_constraint=False
    )
    status = models.CharField("状态", max_length=12, choices=STATUSES, default=COLLECTING)
    generation = models.PositiveIntegerField("代", default=1)
    trace_id = models.UUIDField("trace_id")
    collect_until = models.DateTimeField("最晚收集至")
    analysis_json = models.JSONField("分析", null=True, blank=True)
    analysed_by = models.CharField("分析者", max_length=40, blank=True)
    clarification_json = models.JSONField("提问", null=True, blank=True)
    clarification_answer = models.JSONField("回答", null=True, blank=True)
    question_expires_at = models.DateTimeField("提问到期", null=True, blank=True)
    route_json = models.JSONField("分流决定", null=True, blank=True)
    created_at = CreatedAt("开始时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "批次"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(
                fields=["follower"], condition=Q(status="COLLECTING"), name="one_collecting_batch_per_follower"
            ),
            models.UniqueConstraint(
                fields=["follower"], condition=Q(status="RUNNING"), name="one_running_batch_per_follower"
            ),
            models.UniqueConstraint(
                fields=["follower"], condition=Q(status="WAITING"), name="one_open_question_per_follower"
            ),
            models.CheckConstraint(
                condition=Q(status="RUNNING", lease_expires_at__isnull=False)
                | (~Q(status="RUNNING") & Q(lease_expires_at__isnull=True)),
                name="a_batch_runs_iff_leased",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["DONE", "FAILED", "CANCELLED"], finished_at__isnull=False)
                | (~Q(status__in=["DONE", "FAILED", "CANCELLED"]) & Q(finished_at__isnull=True)),
                name="a_batch_is_final_iff_finished",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["available_at", "id"], condition=Q(status="SUBMITTED"), name="claimable_batches"),
            models.Index(fields=["available_at"], condition=Q(status="COLLECTING"), name="collecting_batches"),
            models.Index(
                fields=["follower", "id"], condition=Q(status__in=["SUBMITTED", "RUNNING"]), name="batches_before"
            ),
            models.Index(fields=["question_expires_at"], condition=Q(status="WAITING"), name="open_questions"),
            models.Index(fields=["id"], condition=Q(status="RUNNING"), name="running_batches"),
            models.Index(fields=["status", "-id"], name="batches_by_status"),
            models.Index(fields=["follower", "-id"], name="batches_of_follower"),
            models.Index(fields=["trace_id"], name="batches_by_trace"),
        ]

    def __str__(self) -> str:
        return f"批次 {self.pk}"

    @property
    def actions(self) -> list[dict[str, Any]]:
        """The stored analysis's actions; position n of an operation key is actions[n - 1]."""
        return list((self.analysis_json or {}).get("actions", []))

    @property
    def question(self) -> dict[str, Any]:
        """The question last asked (agent/questions.py says what it holds), {} if none ever was."""
        return dict(self.clarification_json or {})

    def on_exhausted(self, error: str) -> None:
        """FAILED: a person looks, and the follower is told once what was done and what was not."""
        Review.objects.get_or_create(
            kind=Review.BATCH,
            object_id=self.pk,
            generation=self.generation,
            defaults={"follower_id": self.follower_id, "reason": error[:500], "trace_id": self.trace_id},
        )
        done = OperationResult.objects.filter(batch_id=self.pk).exclude(op="query").order_by("id")
        enqueue(
            key=f"{self.pk}:failed:{self.generation}",
            follower_id=self.follower_id,
            batch_id=self.pk,
            purpose="failed",
            text=texts.render("failed", done=[row.result["summary"] for row in done]),
            trace_id=self.trace_id,
        )

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from planner import counters, sql
from planner.crashpoints import committing
from planner.doorbell import Queue, ring
from planner.fields import CreatedAt
from planner.models import Follower, Review
from webhook.models.attempt import Attempt, Recorded
from webhook.models.batch import Batch
from webhook.models.inbound import InboundMessage


class VoiceClip(Recorded):
    """The sound of one voice message, on its way to words; its batch is not claimed before this is final.

    UNHEARD    to be fetched and recognised, or, with a `rec_task`, to be asked about again. A claim takes it out.
    HEARING    a worker holds it; its finish, its error path, `rescue` or the deadline take it out. A crash leaves it
               here until the heartbeat is silent, then UNHEARD again: fetching and asking are reads.
    HEARD      the words stand in the message's text. SILENT: there were none.
    FAILED     no words, for the `reason` that the follower is told; has a Review. An operator's retry makes it UNHEARD.
    CANCELLED  its batch was cancelled.

    The sound itself is never stored: a retry fetches it again, which WeChat allows for three days. `rendition` says
    which form of it is tried now (transcription/renditions.py); `creates` counts, before each call, how often a long
    recognition was ordered, and `rec_task` is its number, stored before the first question about it.
    """

    UNHEARD, HEARING, HEARD = "UNHEARD", "HEARING", "HEARD"
    SILENT, FAILED, CANCELLED = "SILENT", "FAILED", "CANCELLED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [
        (UNHEARD, "待识别"),
        (HEARING, "识别中"),
        (HEARD, "已识别"),
        (SILENT, "没有话"),
        (FAILED, "失败"),
        (CANCELLED, "已取消"),
    ]
    LATE, GONE, TOO_LONG, UNREADABLE, UNAVAILABLE = "late", "gone", "too_long", "unreadable", "unavailable"
    REASONS: ClassVar[list[tuple[str, str]]] = [
        (LATE, "过了期限"),
        (GONE, "录音已过期"),
        (TOO_LONG, "太长"),
        (UNREADABLE, "格式读不了"),
        (UNAVAILABLE, "识别不了"),
    ]
    WECHAT = "wechat"  # heard_by: WeChat's own words, which came with the message

    KIND = Attempt.VOICE
    READY, RUNNING = UNHEARD, HEARING
    FINAL = frozenset({HEARD, SILENT, FAILED, CANCELLED})
    TRANSITIONS = frozenset(
        {
            (UNHEARD, HEARING),
            (HEARING, UNHEARD),
            (HEARING, HEARD),
            (HEARING, SILENT),
            (HEARING, FAILED),
            (UNHEARD, FAILED),
            (UNHEARD, CANCELLED),
            (HEARING, CANCELLED),
            (FAILED, HEARD),
            (FAILED, UNHEARD),
        }
    )
    AFTER_DEATH = "CASE WHEN claims < max_claims THEN 'UNHEARD' ELSE 'FAILED' END"
    CLAIMABLE = "c.deadline_at > app_now()"
    CLAIM_COLUMNS = ("trace_id",)

    message = models.OneToOneField(
        InboundMessage, models.CASCADE, related_name="clip", verbose_name="消息", db_constraint=False
    )
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="clips", verbose_name="批次", db_constraint=False)
    follower = models.ForeignKey(
        Follower, models.CASCADE, related_name="clips", verbose_name="关注者", db_constraint=False
    )
    status = models.CharField("状态", max_length=12, choices=STATUSES, default=UNHEARD)
    generation = models.PositiveIntegerField("代", default=1)
    media_id = models.CharField("MediaId", max_length=256, blank=True)
    media_id_16k = models.CharField("MediaId16K", max_length=256, blank=True)
    format = models.CharField("声称的格式", max_length=16, blank=True)
    recognition = models.TextField("微信的识别", blank=True)
    rendition = models.PositiveSmallIntegerField("第几种形式", default=0)
    codec = models.CharField("编码", max_length=12, blank=True)
    seconds = models.FloatField("时长（秒）", null=True, blank=True)
    creates = models.PositiveSmallIntegerField("长语音提交次数", default=0)
    rec_task = models.BigIntegerField("识别任务号", null=True, blank=True)
    polls = models.PositiveSmallIntegerField("查询次数", default=0)
    heard_by = models.CharField("识别者", max_length=12, blank=True)
    reason = models.CharField("失败原因", max_length=12, choices=REASONS, blank=True)
    deadline_at = models.DateTimeField("最晚")
    trace_id = models.UUIDField("trace_id")
    created_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "语音"
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(status="HEARING", lease_expires_at__isnull=False)
                | (~Q(status="HEARING") & Q(lease_expires_at__isnull=True)),
                name="a_clip_is_heard_iff_leased",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["HEARD", "SILENT", "FAILED", "CANCELLED"], finished_at__isnull=False)
                | (~Q(status__in=["HEARD", "SILENT", "FAILED", "CANCELLED"]) & Q(finished_at__isnull=True)),
                name="a_clip_is_final_iff_finished",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["available_at", "id"], condition=Q(status="UNHEARD"), name="claimable_clips"),
            models.Index(fields=["id"], condition=Q(status="HEARING"), name="hearing_clips"),
            models.Index(fields=["batch"], condition=Q(status__in=["UNHEARD", "HEARING"]), name="unheard_of_batch"),
            models.Index(fields=["deadline_at"], condition=Q(status__in=["UNHEARD", "HEARING"]), name="clip_deadlines"),
            models.Index(fields=["status", "-id"], name="clips_by_status"),
            models.Index(fields=["follower", "-id"], name="clips_of_follower"),
            models.Index(fields=["trace_id"], name="clips_by_trace"),
        ]

    def __str__(self) -> str:
        return f"语音 {self.pk}"

    def on_exhausted(self, error: str) -> None:
        """FAILED: WeChat's own words stand in if it sent some; else a person looks; the batch goes on and says it."""
        if self.recognition:
            self.move(self.pk, self.FAILED, self.HEARD, heard_by=self.WECHAT)
            self.settle("fallback", self.recognition)
            return
        self.settle("failed")
        Review.objects.get_or_create(
            kind=Review.VOICE,
            object_id=self.pk,
            generation=self.generation,
            defaults={"follower_id": self.follower_id, "reason": error[:500], "trace_id": self.trace_id},
        )

    def settle(self, outcome: str, words: str = "") -> None:
        """With every final state: the words, if any, become the message's text, and the batch may be claimed."""
        sql.execute("UPDATE webhook_inboundmessage SET text = %s WHERE id = %s", (words, self.message_id))
        counters.count("voice", outcome=outcome)
        ring(Queue.BATCHES)

    @classmethod
    def expire_next(cls) -> bool:
        """One clip whose deadline is over: FAILED, whoever holds it. False when there is none."""
        statement = f"""
            SELECT id FROM {cls._meta.db_table} WHERE status IN ('UNHEARD', 'HEARING') AND deadline_at <= app_now()
            ORDER BY deadline_at LIMIT 1 FOR UPDATE SKIP LOCKED"""
        with committing("clip expired"):
            found = sql.row(statement)
            if found is None:
                return False
            row = cls._default_manager.get(pk=found[0])
            error = f"在期限内没有识别出来；上次：{row.last_error}" if row.last_error else "在期限内没有识别出来"
            cls.move(row.pk, row.status, cls.FAILED, last_error=error[:500], reason=cls.LATE)
            if row.status == cls.HEARING:
                cls.record_end(row.pk, "failed", error)
            row.on_exhausted(error)
        return True

"""The plan: who (Follower), what (Task), when it rings (Reminder), what was done (OperationResult), and what waits for
a person (Review, Alarm)."""

import hashlib
import uuid
from datetime import datetime
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from planner.failed_logins import FailedLogin as FailedLogin
from planner.fields import CreatedAt


def default_zone() -> str:
    return settings.TIME_ZONE_DEFAULT


class Follower(models.Model):
    """One openid of one account. `window_until` and `quota_left` say how much may be sent without a template: WeChat
    has no call that tells, so they are counted here and corrected by its refusals (webhook/routes.py).

    `refused_at`: WeChat told that he takes no messages of the account; nothing is pushed until he acts again.
    `forgotten_at`: this row is being erased (webhook/forgetting.py) and has no openid any more. `day_messages` since
    `day_started_at` are what the daily cap counts.
    """

    app_id = models.CharField("公众号", max_length=32)
    openid = models.CharField("OpenID", max_length=64)
    timezone = models.CharField("时区", max_length=64, default=default_zone)
    preferences = models.JSONField("偏好", default=dict, blank=True)
    last_message_at = models.DateTimeField("最近来信", null=True, blank=True)
    window_until = models.DateTimeField("可发窗口至", null=True, blank=True)
    quota_left = models.PositiveSmallIntegerField("剩余条数", default=0)
    unfollowed_at = models.DateTimeField("取消关注时间", null=True, blank=True)
    refused_at = models.DateTimeField("拒收时间", null=True, blank=True)
    forgotten_at = models.DateTimeField("删除请求时间", null=True, blank=True)
    day_started_at = models.DateTimeField("计数起点", null=True, blank=True)
    day_messages = models.PositiveIntegerField("当日条数", db_default=0)
    digest_at = models.DateTimeField("下次早报", null=True, blank=True)
    created_at = CreatedAt("首次出现", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "关注者"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["app_id", "openid"], name="one_follower_per_openid"),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["digest_at", "id"], condition=Q(digest_at__isnull=False), name="due_digests"),
        ]

    def __str__(self) -> str:
        return f"关注者 {self.short_id}"

    @property
    def short_id(self) -> str:
        """What logs and lists may show of an openid."""
        return short_openid(self.openid)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


def short_openid(openid: str) -> str:
    return hashlib.sha256(openid.encode()).hexdigest()[:10]


class Task(models.Model):
    """A planned thing. `version` grows with each change.

    `leads` are minutes before `start`; an all-day task counts them from 09:00 of its day in the follower's zone.

    With an `rrule` (normal form of planner/recurrence) it is a series: `start` is its first turn that is neither done
    nor skipped, `exdates` are later ones that are not its own any more. A turn that was done or moved is a task of its
    own, with the `series` and the moment it stood at (`turn_at`).
    """

    OPEN, DONE, DELETED = "OPEN", "DONE", "DELETED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [(OPEN, "待办"), (DONE, "完成"), (DELETED, "已删除")]

    follower = models.ForeignKey(Follower, models.CASCADE, related_name="tasks", verbose_name="关注者")
    title = models.CharField("标题", max_length=200)
    start = models.DateTimeField("开始", null=True, blank=True)
    end = models.DateTimeField("结束", null=True, blank=True)
    all_day = models.BooleanField("全天", default=False)
    leads = models.JSONField("提前分钟数", default=list, blank=True)
    notes = models.TextField("备注", blank=True)
    rrule = models.CharField("重复规则", max_length=255, blank=True)
    repeat = models.CharField("重复", max_length=60, blank=True)
    exdates = models.JSONField("除去的几次", default=list, blank=True)
    series = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="turns", verbose_name="系列", db_constraint=False
    )
    turn_at = models.DateTimeField("原定时间", null=True, blank=True)
    status = models.CharField("状态", max_length=8, choices=STATUSES, default=OPEN)
    done_at = models.DateTimeField("完成时间", null=True, blank=True)
    version = models.PositiveIntegerField("版本", default=1)
    reminder_status = models.CharField("下次提醒", max_length=60, blank=True)
    created_at = CreatedAt("创建时间", null=True)

    # What a look at one turn of a series sets (planner/series.py): `start` and `end` are that turn's, `row` is stored.
    turn: datetime | None = None
    row: "Task | None" = None

    class Meta:
        verbose_name = verbose_name_plural = "任务"
        indexes: ClassVar[list[Any]] = [
            models.Index(
                fields=["follower", "id"], condition=Q(status="OPEN") & ~Q(rrule=""), name="open_series_of_follower"
            ),
            models.Index(fields=["follower", "start", "id"], condition=Q(status="OPEN"), name="open_tasks_of_follower"),
            models.Index(fields=["follower", "-id"], name="tasks_of_follower"),
        ]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=~Q(title=""), name="a_task_has_a_title"),
        ]

    def __str__(self) -> str:
        return self.title


class Reminder(models.Model):
    """One moment at which one task rings; of a series, for its turn that starts at `turn`.

    PENDING until the scan turns it, in one transaction, into an outbound row (SENT: handed over) — or CANCELLED with
    its reason when the task was done, deleted or moved. A crash leaves it PENDING: nothing is lost or doubled.
    A `reason` on a SENT row came after the scan: the sender, which looks again, does not send it any more.
    """

    PENDING, SENT, CANCELLED = "PENDING", "SENT", "CANCELLED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [(PENDING, "等待"), (SENT, "已交付"), (CANCELLED, "已取消")]
    TRANSITIONS: ClassVar[frozenset[tuple[str, str]]] = frozenset(
        {(PENDING, SENT), (PENDING, CANCELLED), (CANCELLED, PENDING)}
    )
    LEAD, MOMENT, NAG = "LEAD", "MOMENT", "NAG"
    KINDS: ClassVar[list[tuple[str, str]]] = [(LEAD, "按提前量"), (MOMENT, "指定时间"), (NAG, "催办")]

    task = models.ForeignKey(Task, models.CASCADE, related_name="reminders", verbose_name="任务", db_constraint=False)
    follower = models.ForeignKey(
        Follower, models.CASCADE, related_name="+", verbose_name="关注者", db_constraint=False, db_index=False
    )
    task_version = models.PositiveIntegerField("任务版本")
    due_at = models.DateTimeField("提醒时间")
    turn = models.DateTimeField("哪一次", null=True, blank=True)
    kind = models.CharField("种类", max_length=6, choices=KINDS, default=LEAD)
    nth = models.PositiveSmallIntegerField("第几次催办", default=0)
    status = models.CharField("状态", max_length=10, choices=STATUSES, default=PENDING)
    reason = models.CharField("原因", max_length=60, blank=True)
    rung_at = models.DateTimeField("交付时间", null=True, blank=True)
    created_at = CreatedAt("创建时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "提醒"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["task", "due_at"], name="a_task_rings_once_at_a_moment"),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["due_at", "id"], condition=Q(status="PENDING"), name="due_reminders"),
            models.Index(fields=["follower", "due_at"], condition=Q(status="PENDING"), name="pending_of_follower"),
            models.Index(fields=["follower", "-rung_at"], condition=Q(status="SENT"), name="rung_of_follower"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id} @ {self.due_at:%Y-%m-%d %H:%M}"


class OperationResult(models.Model):
    """One operation that has taken effect, or was refused by a rule: written in the transaction of the effect.

    The key is chosen before the effect. The same key with the same parameters gets this row back, whatever has
    happened to the task since; with other parameters it is a conflict.
    """

    SUCCEEDED, REFUSED = "SUCCEEDED", "REFUSED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [(SUCCEEDED, "成功"), (REFUSED, "按规则拒绝")]

    operation_key = models.CharField("操作键", max_length=120, unique=True)
    follower = models.ForeignKey(Follower, models.CASCADE, related_name="+", verbose_name="关注者", db_constraint=False)
    batch_id = models.BigIntegerField("批次", null=True, blank=True)
    claim_no = models.BigIntegerField("领取号", null=True, blank=True)
    op = models.CharField("操作", max_length=16)
    params = models.JSONField("参数")
    params_hash = models.CharField("参数摘要", max_length=64)
    status = models.CharField("结果", max_length=10, choices=STATUSES)
    result = models.JSONField("结果内容")
    undo = models.JSONField("撤销信息", null=True, blank=True)
    undone_by = models.CharField("被撤销于", max_length=120, blank=True)
    trace_id = models.UUIDField("trace_id", null=True, blank=True)
    created_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "操作结果"
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["batch_id", "id"], name="results_of_batch"),
            models.Index(
                fields=["follower", "-id"], condition=Q(undo__isnull=False, undone_by=""), name="undoable_results"
            ),
            models.Index(fields=["follower", "-id"], condition=Q(op="query"), name="queries_of_follower"),
        ]
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=~Q(operation_key=""), name="an_operation_has_a_key"),
        ]

    def __str__(self) -> str:
        return self.operation_key


class Review(models.Model):
    """What waits for a person, written in the transaction of the state it speaks of: FAILED, UNKNOWN, conflict."""

    BATCH, OUTBOUND, VOICE = "batch", "outbound", "voice"
    KINDS: ClassVar[list[tuple[str, str]]] = [(BATCH, "批次"), (OUTBOUND, "外发消息"), (VOICE, "语音")]

    kind = models.CharField("类别", max_length=16, choices=KINDS)
    object_id = models.BigIntegerField("对象")
    generation = models.PositiveIntegerField("代", default=1)
    follower = models.ForeignKey(Follower, models.CASCADE, null=True, related_name="+", verbose_name="关注者")
    reason = models.CharField("原因", max_length=500)
    trace_id = models.UUIDField("trace_id", null=True, blank=True)
    resolution = models.CharField("处理", max_length=60, blank=True)
    resolved_by = models.CharField("处理人", max_length=150, blank=True)
    resolved_at = models.DateTimeField("处理时间", null=True, blank=True)
    created_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "待人工处理"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["kind", "object_id", "generation"], name="one_review_per_generation"),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["-id"], condition=Q(resolution=""), name="open_reviews"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.object_id}: {self.reason}"


class Alarm(models.Model):
    """Something an operator must change, raised once while it is open: `count` and `last_at` grow instead of rows."""

    key = models.CharField("警报", max_length=80)
    detail = models.TextField("说明")
    upstream = models.CharField("停下的上游", max_length=20, blank=True, default="", db_default="")
    count = models.PositiveIntegerField("次数", default=1)
    created_at = CreatedAt("首次", null=True)
    last_at = models.DateTimeField("最近", null=True)
    closed_at = models.DateTimeField("关闭时间", null=True, blank=True)

    class Meta:
        verbose_name = verbose_name_plural = "警报"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["key"], condition=Q(closed_at__isnull=True), name="one_open_alarm_per_key"),
        ]

    def __str__(self) -> str:
        return self.key


class ModelUse(models.Model):
    """What the model has cost on one day (of TIME_ZONE_DEFAULT): one row a follower, and one for all, follower_id 0."""

    day = models.DateField("日期")
    follower_id = models.BigIntegerField("关注者")
    calls = models.PositiveIntegerField("调用次数", default=0)
    tokens = models.BigIntegerField("词元数", default=0)

    class Meta:
        verbose_name = verbose_name_plural = "模型用量"
        constraints: ClassVar[list[Any]] = [
            models.UniqueConstraint(fields=["day", "follower_id"], name="one_use_per_day_and_follower"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.follower_id}: {self.tokens}"


class Correction(models.Model):
    """A model output that was not valid and went back with the reason: which wording misleads the model."""

    batch_id = models.BigIntegerField("批次")
    claim_no = models.BigIntegerField("领取号")
    round = models.PositiveSmallIntegerField("第几次")
    reason = models.CharField("原因", max_length=500)
    trace_id = models.UUIDField("trace_id", default=uuid.uuid4)
    created_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "模型纠正"
        indexes: ClassVar[list[Any]] = [models.Index(F("batch_id"), name="corrections_of_batch")]

    def __str__(self) -> str:
        return f"{self.batch_id} #{self.round}: {self.reason}"

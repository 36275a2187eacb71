from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from planner import counters, sql
from planner.fields import CreatedAt
from planner.models import Follower, Review
from webhook.fields import together
from webhook.models.attempt import Attempt, Recorded
from webhook.plain import joined


class OutboundMessage(Recorded):
    """One thing to be sent once, by its key.

    PENDING    to be sent; `waiting` when only the follower can open the way (closed window, quota used, an account that
               cannot push). A claim, a passive hand-over or a cancellation take it out; with `carried_by` set, that
               row's end does.
    SENDING    claimed and committed before the call. The recorded answer takes it out; a crash leaves it here until
               `rescue` calls it UNKNOWN — or, for a template within 8 minutes of its first try, PENDING again with the
               same client_msg_id, which WeChat sends once.
    SENT       accepted, or handed over as the passive answer to `answers`; one of several in one message points to it
               with `carried_by`. FAILED surely not done, UNKNOWN nobody can tell: both wait for a person (Review).
    CANCELLED  rightly not sent; `last_error` says why.
    """

    PENDING, SENDING, SENT = "PENDING", "SENDING", "SENT"
    FAILED, UNKNOWN, CANCELLED = "FAILED", "UNKNOWN", "CANCELLED"
    STATUSES: ClassVar[list[tuple[str, str]]] = [
        (PENDING, "待发"),
        (SENDING, "发送中"),
        (SENT, "已发"),
        (FAILED, "失败"),
        (UNKNOWN, "结果不明"),
        (CANCELLED, "已取消"),
    ]
    CUSTOMER, TEMPLATE, PASSIVE = "customer", "template", "passive"
    ROUTES: ClassVar[list[tuple[str, str]]] = [(CUSTOMER, "客服消息"), (TEMPLATE, "模板消息"), (PASSIVE, "被动回复")]
    KIND = Attempt.OUTBOUND
    READY, RUNNING, EXHAUSTED = PENDING, SENDING, FAILED
    FINAL = frozenset({SENT, FAILED, UNKNOWN, CANCELLED})
    TRANSITIONS = frozenset(
        {
            (PENDING, SENDING),
            (SENDING, PENDING),
            (SENDING, SENT),
            (SENDING, FAILED),
            (SENDING, UNKNOWN),
            (SENDING, CANCELLED),
            (PENDING, CANCELLED),
            (PENDING, SENT),
            (UNKNOWN, SENT),
            (UNKNOWN, FAILED),
            (SENT, FAILED),
        }
    )
    # A claim sets first_tried_at, and only a refusal clears it: then whoever died knew that nothing had been sent.
    AFTER_DEATH = (
        "CASE WHEN first_tried_at IS NULL THEN CASE WHEN claims < max_claims THEN 'PENDING' ELSE 'FAILED' END"
        " WHEN route = 'template' AND first_tried_at > app_later(-480) AND claims < max_claims"
        " THEN 'PENDING' ELSE 'UNKNOWN' END"
    )
    CLAIMABLE = (
        "NOT c.waiting AND c.carried_by_id IS NULL AND NOT EXISTS (SELECT 1 FROM webhook_outboundmessage e"
        " WHERE e.follower_id = c.follower_id AND e.route = c.route AND e.status IN ('PENDING', 'SENDING')"
        " AND CASE e.status WHEN 'SENDING' THEN TRUE ELSE NOT e.waiting AND e.id < c.id END)"
    )
    NEEDS = "CASE c.route WHEN 'template' THEN 'wechat_template' ELSE 'wechat_send' END"
    CLAIM_COLUMNS = ("follower_id", "route", "purpose", "trace_id")
    CLAIM_SETS = ", first_tried_at = coalesce(first_tried_at, app_now())"

    key = models.CharField("键", max_length=120, unique=True)
    follower = models.ForeignKey(
        Follower, models.CASCADE, related_name="outbound", verbose_name="关注者", db_constraint=False
    )
    batch = models.ForeignKey(
        "webhook.Batch",
        models.CASCADE,
        null=True,
        blank=True,
        related_name="outbound",
        verbose_name="批次",
        db_constraint=False,
    )
    status = models.CharField("状态", max_length=12, choices=STATUSES, default=PENDING)
    purpose = models.CharField("用途", max_length=12)
    route = models.CharField("通道", max_length=10, choices=ROUTES, default=CUSTOMER)
    text = models.TextField("内容")
    fields = models.JSONField("模板字段", null=True, blank=True)
    waiting = models.BooleanField("等待用户开口", default=False)
    task_id = models.BigIntegerField("任务", null=True, blank=True)
    task_version = models.PositiveIntegerField("任务版本", null=True, blank=True)
    due_at = models.DateTimeField("应在", null=True, blank=True)
    first_tried_at = models.DateTimeField("首次尝试", null=True, blank=True)
    wechat_msgid = models.BigIntegerField("微信 msgid", null=True, blank=True)
    receipt = models.CharField("回执", max_length=40, blank=True)
    resent_as = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="resends", verbose_name="重发为"
    )
    carried_by = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="carried", verbose_name="并入"
    )
    answers = models.ForeignKey(
        "webhook.InboundMessage",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="answered_with",
        verbose_name="随其回复",
        db_constraint=False,
    )
    trace_id = models.UUIDField("trace_id")
    created_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "外发消息"
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(condition=~Q(key=""), name="an_outbound_message_has_a_key"),
            models.CheckConstraint(
                condition=Q(status="SENDING", lease_expires_at__isnull=False)
                | (~Q(status="SENDING") & Q(lease_expires_at__isnull=True)),
                name="outbound_is_sending_iff_leased",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(
                fields=["available_at", "id"], condition=Q(status="PENDING", waiting=False), name="sendable_outbound"
            ),
            models.Index(
                fields=["follower", "id"], condition=Q(status__in=["PENDING", "SENDING"]), name="outbound_before"
            ),
            models.Index(fields=["id"], condition=Q(status="SENDING"), name="sending_outbound"),
            models.Index(fields=["status", "-id"], name="outbound_by_status"),
            models.Index(fields=["follower", "-id"], name="outbound_of_follower"),
            models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="outbound_of_batch"),
            models.Index(fields=["wechat_msgid"], condition=Q(wechat_msgid__isnull=False), name="outbound_by_msgid"),
            models.Index(fields=["carried_by"], condition=Q(carried_by__isnull=False), name="outbound_carried"),
            models.Index(fields=["answers"], condition=Q(answers__isnull=False), name="outbound_answering"),
            models.Index(fields=["trace_id"], name="outbound_by_trace"),
        ]

    def __str__(self) -> str:
        return f"外发 {self.pk}"

    @property
    def client_msg_id(self) -> str:
        """The same for every try of this row: within 10 minutes WeChat sends one openid one such id once."""
        return f"p{self.pk}"

    def take_along(self) -> None:
        """What it carries ends with it; from now on its own words are those of the whole message, for whoever settles
        or repeats it."""
        carried = list(self.carried.filter(status=self.PENDING).order_by("id"))
        if not carried:
            return
        whole: dict[str, Any] = {"text": joined([self.text, *(row.text for row in carried)])}
        if self.route == self.TEMPLATE:
            told = [row.fields or {} for row in (self, *carried)]
            whole["fields"] = together(told, settings.WECHAT_REMINDER_TEMPLATE_FIELDS) or self.fields
        type(self).objects.filter(pk=self.pk).update(**whole)
        self.deliver_carried(self.pk)

    @classmethod
    def deliver_carried(cls, pk: int) -> None:
        """They went out with their carrier."""
        cls.move_where("carried_by_id = %s", (pk,), cls.PENDING, cls.SENT, last_error="")

    @classmethod
    def let_go(cls, pk: int) -> None:
        """Their carrier surely did not leave: each is on its own again."""
        sql.execute(
            "UPDATE webhook_outboundmessage SET carried_by_id = NULL WHERE carried_by_id = %s AND status = 'PENDING'",
            (pk,),
        )

    def on_exhausted(self, error: str) -> None:
        """FAILED or UNKNOWN: nobody repeats it by himself; a person looks."""
        if self.status == self.CANCELLED:
            return
        counters.count("outbound", outcome=self.status.lower())
        self._end_carried()
        Review.objects.get_or_create(
            kind=Review.OUTBOUND,
            object_id=self.pk,
            defaults={"follower_id": self.follower_id, "reason": error[:500], "trace_id": self.trace_id},
        )

    def _end_carried(self) -> None:
        if self.status != self.UNKNOWN:
            self.let_go(self.pk)
        else:
            self.take_along()

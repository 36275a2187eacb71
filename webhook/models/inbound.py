from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from planner.fields import CreatedAt
from planner.models import Follower
from webhook.models.batch import Batch


class InboundMessage(models.Model):
    """One message or event, by `message_key`: a redelivery finds this row and changes nothing.

    `response_text` is the passive answer that every delivery gets: '' is `success`; NULL is undecided (a hold).
    """

    TEXT, VOICE, EVENT, OTHER = "text", "voice", "event", "other"
    KINDS: ClassVar[list[tuple[str, str]]] = [(TEXT, "文字"), (VOICE, "语音"), (EVENT, "事件"), (OTHER, "其他")]

    message_key = models.CharField("消息键", max_length=200, unique=True)
    follower = models.ForeignKey(
        Follower, models.CASCADE, related_name="messages", verbose_name="关注者", db_constraint=False
    )
    batch = models.ForeignKey(
        Batch, models.CASCADE, null=True, blank=True, related_name="messages", verbose_name="批次", db_constraint=False
    )
    kind = models.CharField("类别", max_length=8, choices=KINDS)
    detail = models.CharField("细类", max_length=64, blank=True)
    text = models.TextField("内容", blank=True)
    msg_id = models.CharField("MsgId", max_length=32, blank=True)
    sent_at = models.DateTimeField("发送时间")
    response_text = models.TextField("被动回复", null=True, blank=True)  # noqa: DJ001 - NULL: undecided
    trace_id = models.UUIDField("trace_id")
    received_at = CreatedAt("收到时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "收到的消息"
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="messages_of_batch"),
            models.Index(fields=["follower", "-id"], name="messages_of_follower"),
            models.Index(fields=["follower", "id"], condition=Q(response_text__isnull=True), name="undecided_messages"),
            models.Index(fields=["trace_id"], name="messages_by_trace"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.pk}"

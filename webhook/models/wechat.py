from typing import Any, ClassVar

from django.db import models
from django.db.models import Q

from planner.fields import CreatedAt
from planner.models import Follower


class Receipt(models.Model):
    """TEMPLATESENDJOBFINISH: what became of a template message. It may come before our own commit, so it is a row that
    is matched when both sides are there."""

    app_id = models.CharField("公众号", max_length=32)
    follower = models.ForeignKey(
        Follower, models.CASCADE, null=True, related_name="+", verbose_name="关注者", db_constraint=False
    )
    wechat_msgid = models.BigIntegerField("微信 msgid")
    status = models.CharField("状态", max_length=40)
    outbound = models.ForeignKey(
        "webhook.OutboundMessage", models.SET_NULL, null=True, related_name="receipts", verbose_name="外发"
    )
    received_at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "模板回执"
        constraints: ClassVar[list[Any]] = [
            # Some receipts come with MsgID 0, which is nobody's number.
            models.UniqueConstraint(
                fields=["app_id", "wechat_msgid", "status"],
                condition=~Q(wechat_msgid=0),
                name="one_receipt_per_msgid_and_status",
            ),
        ]
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["follower", "id"], condition=Q(outbound__isnull=True), name="unmatched_receipts"),
        ]

    def __str__(self) -> str:
        return f"{self.wechat_msgid} {self.status}"


class AccessToken(models.Model):
    """The one token of an account, shared by all processes. Whoever sets `fetching_until` fetches; others wait."""

    app_id = models.CharField("公众号", max_length=32, unique=True)
    token = models.CharField("令牌", max_length=1024, blank=True)
    expires_at = models.DateTimeField("到期", null=True)
    fetching_until = models.DateTimeField("获取中至", null=True)
    blocked_until = models.DateTimeField("暂停获取至", null=True)
    forced_at = models.DateTimeField("最近强制刷新", null=True)
    forced_day = models.DateField("强制刷新日", null=True)
    forced_count = models.PositiveSmallIntegerField("当日强制刷新次数", default=0)
    fetches = models.PositiveIntegerField("获取次数", default=0)

    class Meta:
        verbose_name = verbose_name_plural = "访问令牌"

    def __str__(self) -> str:
        return f"{self.app_id} 的访问令牌"

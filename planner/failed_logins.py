from typing import Any, ClassVar

from django.db import models

from planner.fields import CreatedAt


class FailedLogin(models.Model):
    """A try to sign in to the admin that failed: what the lock-out counts. `name` is a keyed hash of what was typed."""

    name = models.CharField("用户名摘要", max_length=64)
    address = models.CharField("地址", max_length=45)
    at = CreatedAt("时间", null=True)

    class Meta:
        verbose_name = verbose_name_plural = "登录失败"
        indexes: ClassVar[list[Any]] = [
            models.Index(fields=["address", "at"], name="failures_of_address"),
            models.Index(fields=["name", "at"], name="failures_of_name"),
        ]

    def __str__(self) -> str:
        return f"登录失败 {self.pk}"

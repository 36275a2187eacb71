"""The plan, for operators: look, follow the links; change nothing by hand."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.safestring import SafeString

from planner.alarms import close_alarm
from planner.desk import Desk, badge, pretty
from planner.models import Alarm, Correction, Follower, OperationResult, Reminder, Review, Task


@admin.register(Follower)
class FollowerDesk(Desk):
    list_display = ("id", "short_id", "timezone", "last_message_at", "window_until", "quota_left", "unfollowed_at")

    @admin.display(description="OpenID（缩写）")
    def short_id(self, row: Follower) -> str:
        return row.short_id


@admin.register(Task)
class TaskDesk(Desk):
    list_display = ("id", "title", "follower", "start", "state", "reminder_status", "version")
    list_filter = ("status",)
    list_select_related = ("follower",)

    @admin.display(description="状态")
    def state(self, row: Task) -> SafeString:
        return badge(row.status, row.get_status_display())


@admin.register(Reminder)
class ReminderDesk(Desk):
    list_display = ("id", "task", "due_at", "status", "reason", "task_version")
    list_filter = ("status",)
    list_select_related = ("task",)


@admin.register(OperationResult)
class ResultDesk(Desk):
    list_display = ("id", "operation_key", "follower", "op", "state", "summary", "created_at")
    list_select_related = ("follower",)
    exclude = ("params", "result", "undo")
    readonly_fields = ("pretty_params", "pretty_result", "pretty_undo")

    @admin.display(description="结果")
    def state(self, row: OperationResult) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="摘要")
    def summary(self, row: OperationResult) -> str:
        return str(row.result.get("summary", ""))[:60]

    @admin.display(description="参数")
    def pretty_params(self, row: OperationResult) -> SafeString:
        return pretty(row.params)

    @admin.display(description="结果内容")
    def pretty_result(self, row: OperationResult) -> SafeString:
        return pretty(row.result)

    @admin.display(description="撤销信息")
    def pretty_undo(self, row: OperationResult) -> SafeString:
        return pretty(row.undo)


class OpenFirst(admin.SimpleListFilter):
    title = "处理情况"
    parameter_name = "open"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "待处理"), ("no", "已处理")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Review]) -> QuerySet[Review]:
        match self.value():
            case "yes":
                return queryset.filter(resolution="")
            case "no":
                return queryset.exclude(resolution="")
        return queryset


@admin.register(Review)
class ReviewDesk(Desk):
    list_display = ("id", "kind", "object_id", "reason", "follower", "created_at", "resolution", "resolved_by")
    list_filter = (OpenFirst, "kind")
    list_select_related = ("follower",)
    actions = ("resolve",)

    @admin.action(description="标记为已处理", permissions=["operate"])
    def resolve(self, request: HttpRequest, queryset: QuerySet[Review]) -> None:
        for row in queryset.filter(resolution=""):
            done = Review.objects.filter(pk=row.pk, resolution="").update(
                resolution="已处理", resolved_by=request.user.get_username(), resolved_at=timezone.now()
            )
            if done:
                self.log_change(request, row, "标记为已处理")
        messages.success(request, "已标记")


@admin.register(Alarm)
class AlarmDesk(Desk):
    list_display = ("key", "detail", "count", "created_at", "last_at", "closed_at")
    list_filter = (("closed_at", admin.EmptyFieldListFilter),)
    actions = ("close",)

    @admin.action(description="关闭（已处理）", permissions=["operate"])
    def close(self, request: HttpRequest, queryset: QuerySet[Alarm]) -> None:
        for row in queryset.filter(closed_at__isnull=True):
            close_alarm(row.key)
            self.log_change(request, row, "关闭警报")


@admin.register(Correction)
class CorrectionDesk(Desk):
    list_display = ("id", "batch_id", "round", "reason", "created_at")

"""The plan, for operators: look, follow the links; change nothing by hand."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince

from planner import operators, texts
from planner.cells import badge, link, person, pretty, to_list
from planner.desk import Desk, OpenFirst
from planner.lockout import Guarded
from planner.models import Alarm, Follower, Reminder, Task

admin.site.login_form = Guarded


@admin.register(LogEntry)
class AuditDesk(Desk):
    """Who did and who looked at what."""

    list_display = ("action_time", "user", "content_type", "object_repr", "change_message")
    list_select_related = ("user", "content_type")
    search_help_text = "按编号精确查找"


@admin.register(Follower)
class FollowerDesk(Desk):
    """Not even the time zone is edited here: the follower says it in the chat, and reminders are set anew with it."""

    list_display = ("id", "short_id", "timezone", "last_message_at", "window_until", "quota_left", "away")
    exclude = ("preferences",)
    readonly_fields = ("short_id", "rows", "pretty_preferences")
    search_help_text = "按编号或完整 OpenID 精确查找"

    def by_openid(self, openid: str) -> Q:
        return Q(app_id=self.account(), openid=openid)

    @admin.display(description="收不到推送")
    def away(self, row: Follower) -> str:
        return "已取消关注" if row.unfollowed_at else "已拒收" if row.refused_at else ""

    @admin.display(description="OpenID（缩写）")
    def short_id(self, row: Follower) -> str:
        return row.short_id

    @admin.display(description="相关记录")
    def rows(self, row: Follower) -> SafeString:
        lists = [
            ("webhook.inboundmessage", "收到的消息"),
            ("webhook.batch", "批次"),
            ("webhook.voiceclip", "语音"),
            ("webhook.outboundmessage", "外发消息"),
            ("planner.task", "任务"),
        ]
        return format_html_join(" · ", "{}", ((to_list(label, text, follower=row.pk),) for label, text in lists))

    @admin.display(description="偏好")
    def pretty_preferences(self, row: Follower) -> SafeString:
        return pretty(row.preferences)


@admin.register(Task)
class TaskDesk(Desk):
    tells = True
    list_display = ("id", "title", "who", "start", "repeats", "state", "reminder_status", "version")
    list_select_related = ("follower",)
    drill = ("follower", "series")
    readonly_fields = ("state", "who", "repeats", "lead_times", "whole", "turns", "reminders")
    exclude = ("status", "follower", "leads", "series", "repeat")
    search_help_text = "按编号或关注者的完整 OpenID 精确查找"

    @admin.display(description="状态")
    def state(self, row: Task) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="重复")
    def repeats(self, row: Task) -> str:
        return texts.repeats(row)

    @admin.display(description="提前")
    def lead_times(self, row: Task) -> str:
        return "、".join(texts.lead(minutes) for minutes in row.leads)

    @admin.display(description="所属系列")
    def whole(self, row: Task) -> SafeString | str:
        return link(row.series) if row.series else ""

    @admin.display(description="单独的几次")
    def turns(self, row: Task) -> SafeString | str:
        return to_list("planner.task", "完成了或改过时间的几次", series=row.pk) if row.rrule else ""

    @admin.display(description="提醒")
    def reminders(self, row: Task) -> SafeString:
        return to_list("planner.reminder", "这个任务的提醒", task=row.pk)


class Due(admin.SimpleListFilter):
    """The one status that an index answers; it is read in the order of time."""

    title = "状态"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(Reminder.PENDING, "等待（最早的在前）")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Reminder]) -> QuerySet[Reminder]:
        return queryset.filter(status=Reminder.PENDING) if self.value() == Reminder.PENDING else queryset


@admin.register(Reminder)
class ReminderDesk(Desk):
    list_display = ("id", "planned", "who", "due_at", "turn", "kind", "state", "reason", "rung_at")
    list_filter = (Due,)
    list_select_related = ("task__follower",)
    drill = ("task",)
    readonly_fields = ("planned", "who", "state")
    exclude = ("status", "task", "follower")
    search_help_text = "按编号精确查找"

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("due_at", "pk") if request.GET.get("status") == Reminder.PENDING else ("-pk",)

    @admin.display(description="任务")
    def planned(self, row: Reminder) -> SafeString:
        return link(row.task)

    @admin.display(description="关注者")
    def who(self, row: Reminder) -> SafeString | str:
        return person(row.task.follower)

    @admin.display(description="状态")
    def state(self, row: Reminder) -> SafeString:
        return badge("DONE" if row.status == Reminder.SENT else row.status, row.get_status_display())


class OpenAlarms(OpenFirst):
    condition = Q(closed_at__isnull=True)


@admin.register(Alarm)
class AlarmDesk(Desk):
    list_display = ("key", "detail", "count", "age", "last_at", "closed_at")
    list_filter = (OpenAlarms,)
    search_fields: ClassVar[tuple[str, ...]] = ()
    actions = ("close", "resume")

    @admin.display(description="首次")
    def age(self, row: Alarm) -> str:
        return f"{timesince(row.created_at)}前" if row.created_at else ""

    def offers(self, row: Alarm) -> tuple[str, ...]:
        if row.closed_at is not None:
            return ()
        return ("resume", "close") if row.upstream else ("close",)

    @admin.action(description="关闭", permissions=["operate"])
    def close(self, request: HttpRequest, queryset: QuerySet[Alarm]) -> None:
        self.each(request, queryset.iterator(), operators.close, "已关闭")

    @admin.action(description="恢复上游…", permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Alarm]) -> HttpResponse | None:
        """Asks first: pressed before the cause is mended, it only makes the service be refused once more."""
        rows = queryset.filter(closed_at__isnull=True).exclude(upstream="")
        if request.POST.get("confirmed") != "yes":
            note = "确认问题已经改好？下一个请求会马上发出去试；成功后积压的会自动继续，不成功会再次报警。"
            return self.ask(request, rows, title="恢复上游？", note=note, do="已改好，恢复")
        self.each(request, rows.iterator(), operators.resume, "已恢复，正在重试")
        return None

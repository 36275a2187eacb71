from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from planner.cells import badge, link, pretty, table
from planner.desk import Desk
from planner.models import Review
from webhook import operators
from webhook.admin import traces, words
from webhook.admin.attempts import attempts_of, reviews_of
from webhook.admin.states import Status
from webhook.models import Attempt, OutboundMessage

QUEUE = "queue"


class QueueOrStatus(Status):
    """The states, and before them the queue: UNKNOWN ones that nobody has settled yet."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(QUEUE, "结果不明，待处理"), *super().lookups(request, model_admin)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> QuerySet[OutboundMessage]:
        return unsettled(queryset) if self.value() == QUEUE else super().queryset(request, queryset)


def unsettled(queryset: QuerySet[OutboundMessage]) -> QuerySet[OutboundMessage]:
    waiting = Review.objects.filter(kind=Review.OUTBOUND, resolution="")
    return queryset.filter(status=OutboundMessage.UNKNOWN, pk__in=waiting.values("object_id"))


@admin.register(OutboundMessage)
class OutboundDesk(Desk):
    tells = True
    list_display = ("id", "who", "state", "why", "route", "short", "last_error", "resent", "created_at")
    list_filter = (QueueOrStatus,)
    list_select_related = ("follower",)
    drill = ("follower", "batch")
    actions = ("delivered", "again")
    search_help_text = "按编号、键、trace_id 或完整 OpenID 精确查找"
    readonly_fields = ("now", "who", "why", "of_batch", "resent", "template", "attempts", "reviews", "receipts")
    fieldsets = (
        (
            None,
            {"fields": ("now", "who", "of_batch", "trace_id", "key", "why", "route", "created_at", "finished_at")},
        ),
        ("内容", {"fields": ("text", "template", "task_id", "task_version", "due_at")}),
        ("发送", {"fields": ("attempts", "wechat_msgid", "receipts", "resent", "reviews")}),
    )

    def by_trace(self, trace_id: UUID) -> Q:
        return traces.of_trace(trace_id)

    def by_key(self, key: str) -> Q:
        return Q(key=key)

    def offers(self, row: OutboundMessage) -> tuple[str, ...]:
        again = ("again",) if row.resent_as_id is None else ()
        match row.status:
            case OutboundMessage.UNKNOWN:
                return ("delivered", *again)
            case OutboundMessage.FAILED:
                return again
        return ()

    @admin.display(description="状态")
    def state(self, row: OutboundMessage) -> SafeString:
        return badge(row.status, "等用户开口" if row.waiting else words.label(row))

    @admin.display(description="现在")
    def now(self, row: OutboundMessage) -> SafeString:
        return badge(row.status, words.of_outbound(row))

    @admin.display(description="用途")
    def why(self, row: OutboundMessage) -> str:
        return words.PURPOSES.get(row.purpose, row.purpose)

    @admin.display(description="内容")
    def short(self, row: OutboundMessage) -> str:
        return row.text if len(row.text) <= 30 else row.text[:29] + "…"

    @admin.display(description="批次")
    def of_batch(self, row: OutboundMessage) -> SafeString | str:
        return link(row.batch) if row.batch else "—"

    @admin.display(description="重发为")
    def resent(self, row: OutboundMessage) -> SafeString | str:
        return link(OutboundMessage(pk=row.resent_as_id)) if row.resent_as_id else "—"

    @admin.display(description="模板字段")
    def template(self, row: OutboundMessage) -> SafeString:
        return pretty(row.fields)

    @admin.display(description="每次尝试")
    def attempts(self, row: OutboundMessage) -> SafeString | str:
        return attempts_of(Attempt.OUTBOUND, [row.pk]).get(row.pk, "（还没有）")

    @admin.display(description="回执")
    def receipts(self, row: OutboundMessage) -> SafeString:
        found = row.receipts.order_by("id")
        return table(["结果", "收到"], [[link(r, words.receipt(r.status)), words.at(r.received_at)] for r in found])

    @admin.display(description="人工处理")
    def reviews(self, row: OutboundMessage) -> SafeString:
        return reviews_of(Review.OUTBOUND, row.pk)

    @admin.action(description="标记已送达", permissions=["operate"])
    def delivered(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> None:
        self.each(request, queryset.iterator(), operators.mark_delivered, "已标记送达")

    @admin.action(description="重新发送…", permissions=["operate"])
    def again(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> HttpResponse | None:
        """Asks before it does, and says which of them may reach the phone twice."""
        if request.POST.get("confirmed") != "yes":
            rows = list(queryset.filter(operators.RESENDABLE))
            note = "每条会作为新的一条再发一次，原来的记录保持不变。"
            risk = "结果不明的消息可能已经送到手机：重新发送后，关注者可能收到两遍。"
            warning = risk if any(row.status == OutboundMessage.UNKNOWN for row in rows) else ""
            return self.ask(request, rows, title="重新发送？", note=note, warning=warning, do="确认重新发送")
        self.each(request, queryset.iterator(), operators.send_again, "已安排重新发送")
        return None

"""What was done (OperationResult), what misled the model (Correction), and what waits for a person (Review)."""

from typing import ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from planner import operators
from planner.cells import badge, pretty, to_page
from planner.desk import Desk, OpenFirst
from planner.models import Correction, OperationResult, Review
from webhook.admin import traces, words


@admin.register(OperationResult)
class ResultDesk(Desk):
    tells = True
    list_display = ("id", "operation_key", "who", "op", "state", "summary", "of_batch", "created_at")
    list_select_related = ("follower",)
    fields = (
        "operation_key", "who", "of_batch", "op", "state", "pretty_params", "pretty_result", "pretty_undo", "undone_by",
        "claim_no", "trace_id", "created_at",
    )  # fmt: skip
    readonly_fields = ("who", "of_batch", "state", "pretty_params", "pretty_result", "pretty_undo")
    search_help_text = "按编号、操作键、批次的 trace_id 或完整 OpenID 精确查找"

    def by_trace(self, trace_id: UUID) -> Q:
        return Q(batch_id__in=traces.batches(trace_id))

    def by_key(self, key: str) -> Q:
        return Q(operation_key=key)

    @admin.display(description="结果")
    def state(self, row: OperationResult) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="摘要")
    def summary(self, row: OperationResult) -> str:
        return str(row.result.get("summary", ""))[:60]

    @admin.display(description="批次")
    def of_batch(self, row: OperationResult) -> SafeString | str:
        return to_page("webhook.batch", row.batch_id, row.batch_id) if row.batch_id else "—"

    @admin.display(description="参数")
    def pretty_params(self, row: OperationResult) -> SafeString:
        return pretty(row.params)

    @admin.display(description="结果内容")
    def pretty_result(self, row: OperationResult) -> SafeString:
        return pretty(row.result)

    @admin.display(description="撤销信息")
    def pretty_undo(self, row: OperationResult) -> SafeString:
        return pretty(row.undo)


@admin.register(Correction)
class CorrectionDesk(Desk):
    list_display = ("id", "of_batch", "round", "reason", "created_at")
    readonly_fields = ("of_batch",)
    exclude = ("batch_id",)
    search_help_text = "按编号、批次编号或 trace_id 精确查找"

    def by_number(self, number: int) -> Q:
        return Q(pk=number) | Q(batch_id=number)

    def by_trace(self, trace_id: UUID) -> Q:
        return Q(batch_id__in=traces.batches(trace_id))

    @admin.display(description="批次")
    def of_batch(self, row: Correction) -> SafeString:
        return to_page("webhook.batch", row.batch_id, row.batch_id)


class OpenReviews(OpenFirst):
    condition = Q(resolution="")


@admin.register(Review)
class ReviewDesk(Desk):
    list_display = ("id", "about", "reason", "who", "age", "resolution", "resolved_by", "resolved_at")
    list_filter = (OpenReviews,)
    list_select_related = ("follower",)
    actions = ("resolve",)
    readonly_fields = ("about", "who", "age")
    exclude = ("kind", "object_id", "follower")
    search_help_text = "按编号、对象编号或 trace_id 精确查找"
    PAGES: ClassVar[dict[str, str]] = {
        Review.BATCH: "webhook.batch",
        Review.OUTBOUND: "webhook.outboundmessage",
        Review.VOICE: "webhook.voiceclip",
    }

    def by_number(self, number: int) -> Q:
        return Q(pk=number) | Q(kind__in=list(self.PAGES), object_id=number)

    def by_trace(self, trace_id: UUID) -> Q:
        return traces.objects(trace_id)

    def offers(self, row: Review) -> tuple[str, ...]:
        return ("resolve",) if not row.resolution else ()

    @admin.display(description="对象")
    def about(self, row: Review) -> SafeString:
        return to_page(self.PAGES[row.kind], row.object_id, f"{row.get_kind_display()} {row.object_id}")

    @admin.display(description="等了多久")
    def age(self, row: Review) -> str:
        return "—" if row.resolution else words.ago(row.created_at).removesuffix("前")

    @admin.action(description="标记为已处理", permissions=["operate"])
    def resolve(self, request: HttpRequest, queryset: QuerySet[Review]) -> None:
        self.each(request, queryset.iterator(), operators.resolve, "已标记")

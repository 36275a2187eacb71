"""Messages, batches and sends, for operators: a batch on one page, and the buttons for what waits for a person."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from planner.desk import Desk, badge, link, pretty, table
from planner.models import Correction, OperationResult, Review
from webhook import operators
from webhook.models import Attempt, Batch, InboundMessage, OutboundMessage, Receipt


def each(desk: Desk, request: HttpRequest, queryset: QuerySet[Any], act: Callable[[Any, str], bool], done: str) -> None:
    """One after the other; says how many it was too late for."""
    rows = list(queryset)
    changed = [row for row in rows if act(row, request.user.get_username())]
    for row in changed:
        desk.log_change(request, row, done)
    if changed:
        messages.success(request, f"{done}：{len(changed)} 条")
    if len(changed) < len(rows):
        messages.warning(request, f"{len(rows) - len(changed)} 条的状态不允许，或已被处理，没有改动")


@admin.register(Batch)
class BatchDesk(Desk):
    list_display = ("id", "follower", "state", "claims", "generation", "analysed_by", "last_error", "created_at")
    list_filter = ("status",)
    list_select_related = ("follower",)
    actions = ("retry", "cancel")
    readonly_fields = (
        "state", "inbound", "analysis", "asked", "operations", "replies", "attempts", "corrections", "reviews"
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("state", "follower", "trace_id", "created_at", "finished_at", "last_error")}),
        ("收到的消息", {"fields": ("inbound",)}),
        ("理解", {"fields": ("analysed_by", "analysis", "asked", "route_json")}),
        ("操作与回复", {"fields": ("operations", "replies")}),
        (
            "执行记录",
            {"fields": ("attempts", "corrections", "reviews", "claims", "max_claims", "generation", "available_at")},
        ),
    )

    @admin.display(description="状态")
    def state(self, row: Batch) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="消息")
    def inbound(self, row: Batch) -> SafeString:
        rows = [[link(m), m.text, m.sent_at, m.msg_id] for m in row.messages.order_by("sent_at", "id")]
        return table(["编号", "内容", "发送时间", "MsgId"], rows)

    @admin.display(description="分析")
    def analysis(self, row: Batch) -> SafeString:
        return pretty(row.analysis_json)

    @admin.display(description="提问与回答")
    def asked(self, row: Batch) -> SafeString:
        if not row.question:
            return table([], [])
        answer = (row.clarification_answer or {}).get("text", "")
        columns = ["问题", "选项", "回答", "到期"]
        return table(
            columns, [[row.question["question"], "\n".join(row.question["options"]), answer, row.question_expires_at]]
        )

    @admin.display(description="操作")
    def operations(self, row: Batch) -> SafeString:
        found = OperationResult.objects.filter(batch_id=row.pk).order_by("id")
        rows = [
            [link(r), badge(r.status, r.get_status_display()), r.result.get("summary"), r.claim_no, r.undone_by]
            for r in found
        ]
        return table(["操作键", "结果", "摘要", "领取号", "被撤销于"], rows)

    @admin.display(description="外发消息")
    def replies(self, row: Batch) -> SafeString:
        found = row.outbound.order_by("id")
        rows = [[link(o, o.key), badge(o.status, o.get_status_display()), o.text, o.last_error] for o in found]
        return table(["键", "状态", "内容", "错误"], rows)

    @admin.display(description="每次领取")
    def attempts(self, row: Batch) -> SafeString:
        found = Attempt.objects.filter(kind=Attempt.BATCH, object_id=row.pk).order_by("claim_no")
        rows = [[a.claim_no, a.started_at, a.ended_at, a.owner, a.outcome, a.error, pretty(a.usage)] for a in found]
        return table(["领取号", "开始", "结束", "领取者", "结局", "错误", "用量"], rows)

    @admin.display(description="模型纠正")
    def corrections(self, row: Batch) -> SafeString:
        found = Correction.objects.filter(batch_id=row.pk).order_by("id")
        return table(["领取号", "第几次", "原因"], [[c.claim_no, c.round, c.reason] for c in found])

    @admin.display(description="人工处理")
    def reviews(self, row: Batch) -> SafeString:
        found = Review.objects.filter(kind=Review.BATCH, object_id=row.pk).order_by("id")
        return table(["原因", "处理", "处理人"], [[link(r, r.reason), r.resolution, r.resolved_by] for r in found])

    @admin.action(description="重试（失败的批次，沿用原分析）", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Batch]) -> None:
        each(self, request, queryset, operators.retry_batch, "已重新提交")

    @admin.action(description="取消（尚未处理或等待回答的）", permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Batch]) -> None:
        each(self, request, queryset, operators.cancel_batch, "已取消")


@admin.register(OutboundMessage)
class OutboundDesk(Desk):
    list_display = ("id", "follower", "purpose", "route", "state", "waiting", "claims", "last_error", "created_at")
    list_filter = ("status",)
    list_select_related = ("follower",)
    actions = ("delivered", "again")
    readonly_fields = ("state", "attempts")

    @admin.display(description="状态")
    def state(self, row: OutboundMessage) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="每次领取")
    def attempts(self, row: OutboundMessage) -> SafeString:
        found = Attempt.objects.filter(kind=Attempt.OUTBOUND, object_id=row.pk).order_by("claim_no")
        rows = [[a.claim_no, a.started_at, a.ended_at, a.outcome, a.error] for a in found]
        return table(["领取号", "开始", "结束", "结局", "错误"], rows)

    @admin.action(description="标记已送达（结果不明的）", permissions=["operate"])
    def delivered(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> None:
        each(self, request, queryset, operators.mark_delivered, "已标记送达")

    @admin.action(description="重新发送（先确认）", permissions=["operate"])
    def again(self, request: HttpRequest, queryset: QuerySet[OutboundMessage]) -> HttpResponse | None:
        """Asks before it does: the follower may get it twice."""
        if request.POST.get("confirmed") != "yes":
            rows = queryset.select_related("follower")
            context = {**self.admin_site.each_context(request), "rows": rows, "opts": self.opts, "title": "重新发送？"}
            return render(request, "admin/send_again.html", context)
        each(self, request, queryset, lambda row, who: operators.send_again(row.pk, who), "已安排重新发送")
        return None


@admin.register(InboundMessage)
class InboundDesk(Desk):
    list_display = ("id", "follower", "kind", "short", "batch_id", "sent_at", "received_at")
    list_select_related = ("follower",)

    @admin.display(description="内容")
    def short(self, row: InboundMessage) -> str:
        return row.text[:40]


@admin.register(Receipt)
class ReceiptDesk(Desk):
    list_display = ("id", "wechat_msgid", "status", "outbound", "received_at")
    list_select_related = ("outbound",)


@admin.register(Attempt)
class AttemptDesk(Desk):
    list_display = ("id", "kind", "object_id", "claim_no", "outcome", "error", "started_at", "ended_at")

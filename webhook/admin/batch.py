from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString

from planner.cells import badge, link, pretty, table
from planner.desk import Desk
from planner.models import Correction, OperationResult, Review
from webhook import operators
from webhook.admin import traces, words
from webhook.admin.attempts import attempts_of
from webhook.admin.states import Status
from webhook.models import Attempt, Batch

CANCELLABLE = (Batch.COLLECTING, Batch.SUBMITTED, Batch.WAITING)


@admin.register(Batch)
class BatchDesk(Desk):
    """The whole story of a batch on one page, in a fixed number of statements."""

    tells = True
    list_display = ("id", "who", "state", "claims", "generation", "analysed_by", "last_error", "created_at")
    list_filter = (Status,)
    list_select_related = ("follower",)
    drill = ("follower",)
    actions = ("retry", "cancel")
    readonly_fields = (
        "now", "who", "inbound", "clips", "hearings", "analysis", "asked", "answer", "route", "operations", "replies",
        "attempts", "sendings", "corrections", "reviews",
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("now", "who", "trace_id", "generation", "created_at", "finished_at")}),
        ("收到的消息", {"fields": ("inbound", "clips")}),
        ("理解", {"fields": ("analysed_by", "analysis", "asked", "answer", "route")}),
        ("操作与回复", {"fields": ("operations", "replies")}),
        ("执行记录", {"fields": ("attempts", "hearings", "sendings", "corrections", "reviews")}),
    )

    def by_trace(self, trace_id: UUID) -> Q:
        return Q(pk__in=traces.batches(trace_id))

    def offers(self, row: Batch) -> tuple[str, ...]:
        if row.status == Batch.FAILED:
            return ("retry",)
        return ("cancel",) if row.status in CANCELLABLE else ()

    @admin.display(description="状态")
    def state(self, row: Batch) -> SafeString:
        return badge(row.status, words.label(row))

    @admin.display(description="现在")
    def now(self, row: Batch) -> SafeString:
        return badge(row.status, words.of_batch(row))

    @admin.display(description="消息")
    def inbound(self, row: Batch) -> SafeString:
        rows = [[link(m, m.pk), m.text, words.at(m.sent_at), m.msg_id] for m in row.messages.order_by("sent_at", "id")]
        return table(["编号", "内容", "发送时间", "MsgId"], rows)

    @admin.display(description="语音")
    def clips(self, row: Batch) -> SafeString:
        found = row.clips.select_related("message").order_by("id")
        rows = [
            [link(c), badge(c.status, words.of_clip(c)), c.message.text, words.sound(c), words.at(c.finished_at)]
            for c in found
        ]
        return table(["编号", "状态", "听到", "录音", "结束"], rows)

    @admin.display(description="分析")
    def analysis(self, row: Batch) -> SafeString:
        return pretty(row.analysis_json)

    @admin.display(description="提问")
    def asked(self, row: Batch) -> SafeString:
        if not row.question:
            return table([], [])
        options = "\n".join(f"{n}. {option}" for n, option in enumerate(row.question["options"], 1))
        asked = [row.question["round"], row.question["question"], options, words.at(row.question_expires_at)]
        return table(["第几次", "问题", "选项", "回答期限"], [asked])

    @admin.display(description="回答")
    def answer(self, row: Batch) -> SafeString:
        return pretty(row.clarification_answer)

    @admin.display(description="分流决定")
    def route(self, row: Batch) -> SafeString:
        return pretty(row.route_json)

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
        rows = [
            [link(o, o.key), words.PURPOSES.get(o.purpose), o.text, badge(o.status, words.of_outbound(o))]
            for o in found
        ]
        return table(["键", "用途", "内容", "状态"], rows)

    @admin.display(description="每次领取")
    def attempts(self, row: Batch) -> SafeString | str:
        return attempts_of(Attempt.BATCH, [row.pk]).get(row.pk, "（还没有结束的领取）")

    @admin.display(description="每次识别")
    def hearings(self, row: Batch) -> SafeString:
        clips = list(row.clips.order_by("id"))
        tried = attempts_of(Attempt.VOICE, [c.pk for c in clips])
        return table([], [[link(c), tried[c.pk]] for c in clips if c.pk in tried])

    @admin.display(description="每次发送")
    def sendings(self, row: Batch) -> SafeString:
        sends = list(row.outbound.order_by("id"))
        tried = attempts_of(Attempt.OUTBOUND, [o.pk for o in sends])
        return table([], [[link(o, o.key), tried[o.pk]] for o in sends if o.pk in tried])

    @admin.display(description="模型纠正")
    def corrections(self, row: Batch) -> SafeString:
        found = Correction.objects.filter(batch_id=row.pk).order_by("id")
        return table(["领取号", "第几次", "原因"], [[c.claim_no, c.round, c.reason] for c in found])

    @admin.display(description="人工处理")
    def reviews(self, row: Batch) -> SafeString:
        sends = list(row.outbound.values_list("pk", flat=True))
        clips = list(row.clips.values_list("pk", flat=True))
        about = Q(kind=Review.BATCH, object_id=row.pk) | Q(kind=Review.OUTBOUND, object_id__in=sends)
        about |= Q(kind=Review.VOICE, object_id__in=clips)
        rows = [
            [link(r, r.reason), r.get_kind_display(), r.resolution or "待处理", r.resolved_by, words.at(r.resolved_at)]
            for r in Review.objects.filter(about).order_by("id")
        ]
        return table(["原因", "关于", "处理", "处理人", "处理时间"], rows)

    @admin.action(description="重试（沿用原分析，做过的不会重做）", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[Batch]) -> None:
        self.each(request, queryset.iterator(), operators.retry_batch, "已重新提交")

    @admin.action(description="取消…", permissions=["operate"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Batch]) -> HttpResponse | None:
        """Asks for the reason first: it is what the row says ever after."""
        reason = request.POST.get("reason", "").strip()
        if not reason:
            rows = queryset.filter(status__in=CANCELLABLE)
            note = "还没有做的不会再做，关注者不会收到通知。已经完成的操作保持不变。"
            return self.ask(request, rows, title="取消批次？", note=note, reason=True, do="确认取消")
        self.each(request, queryset.iterator(), lambda row, who: operators.cancel_batch(row, who, reason), "已取消")
        return None

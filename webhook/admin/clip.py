from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from planner.cells import badge, link, to_page
from planner.desk import Desk
from planner.models import Review
from webhook import operators
from webhook.admin import traces, words
from webhook.admin.attempts import attempts_of, reviews_of
from webhook.admin.states import Status
from webhook.models import Attempt, VoiceClip


@admin.register(VoiceClip)
class ClipDesk(Desk):
    """One voice message on its way to words."""

    list_display = ("id", "who", "state", "heard", "sound", "claims", "of_batch", "last_error", "created_at")
    list_filter = (Status,)
    list_select_related = ("follower", "message")
    drill = ("follower", "batch")
    actions = ("retry",)
    readonly_fields = ("now", "who", "of_message", "of_batch", "heard", "sound", "own", "attempts", "reviews")
    fieldsets = (
        (None, {"fields": ("now", "who", "of_message", "of_batch", "trace_id", "generation", "created_at")}),
        ("识别", {"fields": ("heard", "heard_by", "sound", "own", "rec_task", "creates", "polls", "deadline_at")}),
        ("执行记录", {"fields": ("attempts", "reviews")}),
    )

    def by_trace(self, trace_id: UUID) -> Q:
        return Q(trace_id=trace_id) | Q(batch_id__in=traces.batches(trace_id))

    def offers(self, row: VoiceClip) -> tuple[str, ...]:
        return ("retry",) if row.status == VoiceClip.FAILED else ()

    @admin.display(description="状态")
    def state(self, row: VoiceClip) -> SafeString:
        return badge(row.status, words.label(row))

    @admin.display(description="现在")
    def now(self, row: VoiceClip) -> SafeString:
        return badge(row.status, words.of_clip(row))

    @admin.display(description="消息")
    def of_message(self, row: VoiceClip) -> SafeString:
        return link(row.message, row.message_id)

    @admin.display(description="批次")
    def of_batch(self, row: VoiceClip) -> SafeString:
        return to_page("webhook.batch", row.batch_id, row.batch_id)

    @admin.display(description="听到")
    def heard(self, row: VoiceClip) -> str:
        return row.message.text or "—"

    @admin.display(description="录音")
    def sound(self, row: VoiceClip) -> str:
        return words.sound(row)

    @admin.display(description="微信自带的识别")
    def own(self, row: VoiceClip) -> str:
        return row.recognition or "—"

    @admin.display(description="每次领取")
    def attempts(self, row: VoiceClip) -> SafeString | str:
        return attempts_of(Attempt.VOICE, [row.pk]).get(row.pk, "（还没有结束的领取）")

    @admin.display(description="人工处理")
    def reviews(self, row: VoiceClip) -> SafeString:
        return reviews_of(Review.VOICE, row.pk)

    @admin.action(description="重新识别（录音在微信保留三天）", permissions=["operate"])
    def retry(self, request: HttpRequest, queryset: QuerySet[VoiceClip]) -> None:
        self.each(request, queryset.iterator(), operators.retry_clip, "已重新提交")

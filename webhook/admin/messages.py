from typing import ClassVar
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.utils.safestring import SafeString

from planner.cells import pretty, to_page
from planner.desk import NOTHING, Desk
from webhook.admin import traces, words
from webhook.models import Attempt, InboundMessage, Receipt


@admin.register(InboundMessage)
class InboundDesk(Desk):
    tells = True
    list_display = ("id", "who", "kind", "short", "of_batch", "sent_at", "received_at")
    list_select_related = ("follower",)
    drill = ("follower", "batch")
    readonly_fields = ("who", "of_batch")
    exclude = ("follower", "batch", "message_key")  # the key of an event holds a full openid
    search_help_text = "按编号、MsgId、trace_id 或完整 OpenID 精确查找"

    def by_number(self, number: int) -> Q:
        return Q(pk=number) | Q(message_key=f"{self.account()}:msg:{number}")

    def by_trace(self, trace_id: UUID) -> Q:
        return traces.of_trace(trace_id)

    @admin.display(description="内容")
    def short(self, row: InboundMessage) -> str:
        return row.text if len(row.text) <= 40 else row.text[:39] + "…"

    @admin.display(description="批次")
    def of_batch(self, row: InboundMessage) -> SafeString | str:
        return to_page("webhook.batch", row.batch_id, row.batch_id) if row.batch_id else "—"


@admin.register(Receipt)
class ReceiptDesk(Desk):
    list_display = ("id", "wechat_msgid", "told", "of_outbound", "received_at")
    readonly_fields = ("told", "of_outbound", "received_at")
    exclude = ("status", "outbound")
    search_help_text = "按编号或微信 msgid 精确查找"

    def by_number(self, number: int) -> Q:
        return Q(pk=number) | Q(app_id=self.account(), wechat_msgid=number)

    @admin.display(description="结果")
    def told(self, row: Receipt) -> str:
        return words.receipt(row.status)

    @admin.display(description="外发消息")
    def of_outbound(self, row: Receipt) -> SafeString | str:
        return to_page("webhook.outboundmessage", row.outbound_id, row.outbound_id) if row.outbound_id else "—"


@admin.register(Attempt)
class AttemptDesk(Desk):
    list_display = ("id", "about", "claim_no", "ended", "error", "started_at", "took")
    readonly_fields = ("about", "ended", "took", "tokens")
    exclude = ("usage", "outcome")
    search_help_text = "按编号、对象编号或 trace_id 精确查找"
    KINDS: ClassVar[dict[str, str]] = {
        Attempt.BATCH: "webhook.batch",
        Attempt.OUTBOUND: "webhook.outboundmessage",
        Attempt.VOICE: "webhook.voiceclip",
    }

    def by_number(self, number: int) -> Q:
        return Q(pk=number) | Q(kind__in=list(self.KINDS), object_id=number)

    def by_trace(self, trace_id: UUID) -> Q:
        return traces.objects(trace_id)

    def by_openid(self, openid: str) -> Q:
        return NOTHING

    @admin.display(description="对象")
    def about(self, row: Attempt) -> SafeString | str:
        return to_page(self.KINDS[row.kind], row.object_id, f"{row.get_kind_display()} {row.object_id}")

    @admin.display(description="结局")
    def ended(self, row: Attempt) -> str:
        return words.OUTCOMES.get(row.outcome, row.outcome)

    @admin.display(description="用时")
    def took(self, row: Attempt) -> str:
        return words.took(row.started_at, row.ended_at)

    @admin.display(description="用量")
    def tokens(self, row: Attempt) -> SafeString:
        return pretty(row.usage)

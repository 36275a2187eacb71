"""The figures above the operators' front page. Partial indexes only, and no count goes beyond ENOUGH."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django import template
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.template.context import RequestContext
from django.urls import reverse
from django.utils.timesince import timesince

from planner import upstreams
from planner.clock import app_now
from planner.models import Alarm, Reminder, Review
from webhook.admin.outbound import QUEUE, unsettled
from webhook.admin.words import at
from webhook.models import Batch, OutboundMessage, VoiceClip

register = template.Library()
ENOUGH = 1000
LATE_SECONDS = 60


@dataclass(frozen=True)
class Figure:
    label: str
    value: str
    address: str
    urgent: bool


@register.simple_tag(takes_context=True)
def overview(context: RequestContext) -> list[Figure]:
    """What an operator wants to know first; empty for somebody who may not look at it."""
    if not context["request"].user.has_perms(
        ["planner.view_review", "webhook.view_batch", "webhook.view_outboundmessage"]
    ):
        return []
    sends = OutboundMessage.objects.all()
    return [
        _waiting("待人工处理", Review.objects.filter(resolution=""), "", urgent=True),
        _waiting("未关闭的警报", Alarm.objects.filter(closed_at__isnull=True), "", urgent=True),
        _waiting("结果不明", unsettled(sends), f"status={QUEUE}", urgent=True),
        _waiting("等待回答", Batch.objects.filter(status=Batch.WAITING), "status=WAITING"),
        _waiting("排队的批次", Batch.objects.filter(status=Batch.SUBMITTED), "status=SUBMITTED"),
        _waiting("待识别的语音", VoiceClip.objects.filter(status=VoiceClip.UNHEARD), "status=UNHEARD"),
        _waiting("待发的消息", sends.filter(status=OutboundMessage.PENDING), "status=PENDING"),
        _oldest(),
    ]


@register.simple_tag(takes_context=True)
def standing_still(context: RequestContext) -> list[str]:
    """One line for each upstream that is shut: which, since when, why."""
    if not context["request"].user.has_perm("planner.view_alarm"):
        return []
    shut = {name: state for name, state in upstreams.states().items() if state.phase is not upstreams.Phase.CLOSED}
    return [
        f"{upstreams.LABELS[name]}：{upstreams.WAITING}。{_since(state)} 起，{state.reason}"
        for name, state in shut.items()
    ]


def _since(state: upstreams.State) -> str:
    return at(datetime.fromtimestamp(state.since, UTC))


def _waiting(label: str, rows: QuerySet[Any], query: str, *, urgent: bool = False) -> Figure:
    found = len(rows.order_by().values_list("pk", flat=True)[: ENOUGH + 1])
    value = str(found) if found <= ENOUGH else f"{ENOUGH}+"
    return Figure(label, value, f"{_list(rows.model)}?{query}", urgent and found > 0)


def _list(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def _oldest() -> Figure:
    """How long the longest due has waited for a worker: it grows when workers or clock are down."""
    now = app_now()
    batches, sends = Batch.objects.filter(status=Batch.SUBMITTED), OutboundMessage.objects.filter(status="PENDING")
    clips = VoiceClip.objects.filter(status=VoiceClip.UNHEARD)
    unheard = VoiceClip.objects.filter(batch=OuterRef("pk"), status__in=[VoiceClip.UNHEARD, VoiceClip.HEARING])
    due = [
        (_first(batches.filter(~Exists(unheard)), "available_at"), Batch, "status=SUBMITTED"),
        (_first(clips, "available_at"), VoiceClip, "status=UNHEARD"),
        (_first(sends.filter(waiting=False), "available_at"), OutboundMessage, "status=PENDING"),
        (_first(Reminder.objects.filter(status=Reminder.PENDING), "due_at"), Reminder, "status=PENDING"),
    ]
    moment, model, query = min(due, key=lambda entry: entry[0] or now)
    if moment is None or moment >= now:
        return Figure("最久的到期", "无", _list(Batch), urgent=False)
    late = (now - moment).total_seconds()
    value = timesince(moment, now) if late >= LATE_SECONDS else f"{late:.0f} 秒"
    return Figure("最久的到期", value, f"{_list(model)}?{query}", late >= LATE_SECONDS)


def _first(rows: QuerySet[Any], column: str) -> datetime | None:
    return rows.order_by(column).values_list(column, flat=True).first()

"""Template helpers of the operators' admin."""

import json
from typing import Any

from django import template

from planner import sql
from planner.models import Alarm, Review

register = template.Library()


@register.filter
def indented(value: Any) -> str:
    return "（无）" if value in (None, "", {}, []) else json.dumps(value, ensure_ascii=False, indent=2)


@register.simple_tag
def overview() -> list[tuple[str, int, str]]:
    """What an operator wants to know first: label, number, address. Partial indexes only."""
    unknown = sql.row(
        "SELECT count(*) FROM (SELECT 1 FROM webhook_outboundmessage WHERE status = 'UNKNOWN' LIMIT 1000) u"
    )
    waiting = sql.row("SELECT count(*) FROM (SELECT 1 FROM webhook_batch WHERE status = 'SUBMITTED' LIMIT 1000) b")
    return [
        ("待人工处理", Review.objects.filter(resolution="")[:1000].count(), "planner/review/?open=yes"),
        ("未关闭的警报", Alarm.objects.filter(closed_at__isnull=True)[:1000].count(), "planner/alarm/"),
        ("结果不明的消息", unknown[0] if unknown else 0, "webhook/outboundmessage/?status=UNKNOWN"),
        ("排队的批次", waiting[0] if waiting else 0, "webhook/batch/?status=SUBMITTED"),
    ]

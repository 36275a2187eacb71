"""Which way a message travels, and whether that way is open now: the cheapest that works is chosen before sending.

passive   free: the answer to what the follower has just sent (webhook/passive.py)
template  reminders, where the account has one: no window, no quota
customer  inside the follower's window, from a small quota (webhook/delivery.py)
later     none is open: the row waits for the follower's next message
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from planner import upstreams
from planner.alarms import raise_alarm
from planner.upstreams import Phase, Upstream
from webhook.fields import field
from webhook.kinds import template_ready
from webhook.models import OutboundMessage


def reminder_route(
    *, title: str, when: datetime | None, zone: ZoneInfo, note: str, status: str
) -> tuple[str, dict[str, str] | None]:
    """Template where one is configured, allowed, not stopped and takes these values, else customer message."""
    if not template_ready() or upstreams.states()[Upstream.WECHAT_TEMPLATE].phase is Phase.STOPPED:
        return OutboundMessage.CUSTOMER, None
    values: dict[str, str | datetime | None] = {"title": title, "when": when, "note": note, "status": status}
    filled = {
        key: field(key, values.get(name, ""), zone) for key, name in settings.WECHAT_REMINDER_TEMPLATE_FIELDS.items()
    }
    fields = {key: value for key, value in filled.items() if value is not None}
    if refused := sorted(set(filled) - set(fields)):
        raise_alarm("wechat:fields", f"模板字段 {'、'.join(refused)} 不接受所配的内容，提醒改走客服消息。")
        return OutboundMessage.CUSTOMER, None
    return OutboundMessage.TEMPLATE, fields

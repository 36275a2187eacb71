"""Which way a message travels, and whether that way is open now."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings

from webhook.models import OutboundMessage
from webhook.plain import clean

TEMPLATE_KINDS = ("service", "test")


def template_ready() -> bool:
    return bool(settings.WECHAT_REMINDER_TEMPLATE_ID and settings.WECHAT_REMINDER_TEMPLATE_FIELDS) and (
        settings.WECHAT_ACCOUNT_KIND in TEMPLATE_KINDS
    )


def reminder_route(
    *, title: str, when: datetime | None, zone: ZoneInfo, note: str, status: str
) -> tuple[str, dict[str, str] | None]:
    """Template where one is configured and allowed, else customer message; with the template's fields filled."""
    if not template_ready():
        return OutboundMessage.CUSTOMER, None
    values: dict[str, str | datetime | None] = {"title": title, "when": when, "note": note, "status": status}
    mapping = settings.WECHAT_REMINDER_TEMPLATE_FIELDS
    return OutboundMessage.TEMPLATE, {key: field(key, values.get(name, ""), zone) for key, name in mapping.items()}


def field(key: str, value: str | datetime | None, zone: ZoneInfo) -> str:
    """The value as the key's prefix demands (thing ≤ 20 characters, time2 → `2026年12月2日 15:00` …); never empty."""
    if isinstance(value, datetime):
        local = value.astimezone(zone)
        day = f"{local.year}年{local.month}月{local.day}日"
        value = day if key.startswith("date") else f"{day} {local:%H:%M}"
    text = " ".join(clean(value or "").split())
    prefix = key.rstrip("0123456789")
    return LIMITS.get(prefix, _cut(20))(text) or ("-" if prefix == "character_string" else "无")


def _cut(limit: int) -> Callable[[str], str]:
    return lambda text: text if len(text) <= limit else text[: limit - 1] + "…"


LIMITS: dict[str, Callable[[str], str]] = {
    "thing": _cut(20),
    "short_thing": _cut(10),
    "phrase": lambda text: "".join(c for c in text if "一" <= c <= "鿿")[:5],
    "name": _cut(10),
    "character_string": lambda text: "".join(c for c in text if c.isascii())[:32],
    "time": lambda text: text,
    "date": lambda text: text,
}

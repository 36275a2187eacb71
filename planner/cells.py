"""What the cells of the operators' pages are made of: links, tables, JSON, states in colours."""

from typing import Any

from django.db.models import Model
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from planner.models import Follower

RED, AMBER, GREEN, GREY = "#ba2121", "#a06000", "#28794b", "#777"
COLOURS = {
    "FAILED": RED, "UNKNOWN": RED, "DONE": GREEN, "SENT": GREEN, "SUCCEEDED": GREEN, "CANCELLED": GREY, "DELETED": GREY,
}  # fmt: skip


def badge(status: str, label: str) -> SafeString:
    """A state in a colour: red waits for a person, amber is on its way, green is done."""
    keep = "nowrap" if len(label) < 10 else "normal"
    return format_html('<b style="color:{};white-space:{}">{}</b>', COLOURS.get(status, AMBER), keep, label)


def link(row: Model, text: object = "") -> SafeString:
    """To the row's own page."""
    return to_page(row._meta.label_lower, row.pk, text or row)


def to_page(label: str, pk: int, text: object) -> SafeString:
    """The same for a row that is only known by its model (`webhook.batch`) and number."""
    address = reverse(f"admin:{label.replace('.', '_')}_change", args=[pk])
    return format_html('<a href="{}">{}</a>', address, text)


def to_list(label: str, text: object, **lookups: Any) -> SafeString:
    """To a list that shows only what fits `lookups`."""
    address = reverse(f"admin:{label.replace('.', '_')}_changelist", query=lookups)
    return format_html('<a href="{}">{}</a>', address, text)


def person(follower: Follower | None) -> SafeString | str:
    """Never a full openid: that stands on the follower's own page alone."""
    return link(follower, follower.short_id) if follower else "—"


def table(columns: list[str], rows: list[list[Any]]) -> SafeString:
    return render_to_string("admin/table.html", {"columns": columns, "rows": rows})


def pretty(value: Any) -> SafeString:
    return render_to_string("admin/json.html", {"value": value})

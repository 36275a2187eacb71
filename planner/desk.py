"""What every list and page of the operators' admin shares: no counting, exact look-ups, nothing editable by hand."""

import re
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from planner.models import Follower

FAR = 2000  # how deep a list may be leafed through; further down, filters and search lead


class Bounded(Paginator):
    """Never counts a whole table: at most FAR + 1 rows of the index are looked at."""

    @cached_property
    def count(self) -> int:
        found: QuerySet[Any] = self.object_list  # type: ignore[assignment]
        return len(found.order_by(*found.query.order_by or ("-pk",)).values_list("pk", flat=True)[: FAR + 1])


class Desk(admin.ModelAdmin):
    """Read-only: rows change through operations, leases and the buttons, never through a form.

    Search is by id, trace_id or openid, exactly: each has an index, and nothing else is searched.
    """

    paginator = Bounded
    show_full_result_count = False
    list_per_page = 50
    ordering = ("-pk",)
    search_fields: ClassVar[tuple[str, ...]] = ("pk",)
    search_help_text = "按编号、trace_id 或完整 OpenID 精确查找"
    trace_field = "trace_id"
    actions_selection_counter = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Who may use the buttons: those with the model's change permission."""
        opts = self.opts
        return request.user.has_perm(f"{opts.app_label}.change_{opts.model_name}")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        return queryset.filter(**self._lookup(term)), False

    def _lookup(self, term: str) -> dict[str, Any]:
        names = {field.name for field in self.model._meta.get_fields()}
        if re.fullmatch(r"\d{1,18}", term):
            return {"pk": int(term)}
        if re.fullmatch(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}", term) and "trace_id" in names:
            return {"trace_id": UUID(term)}
        if self.model is Follower:
            return {"app_id": settings.WECHAT_APP_ID, "openid": term}
        owner = Follower.objects.filter(app_id=settings.WECHAT_APP_ID, openid=term).first()
        return {"follower": owner} if owner is not None and "follower" in names else {"pk": -1}


def link(row: Model, text: str = "") -> SafeString:
    """To the row's own page."""
    opts = row._meta
    return format_html(
        '<a href="{}">{}</a>', reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.pk]), text or row
    )


def table(columns: list[str], rows: list[list[Any]]) -> SafeString:
    return render_to_string("admin/table.html", {"columns": columns, "rows": rows})


def pretty(value: Any) -> SafeString:
    return render_to_string("admin/json.html", {"value": value})


def badge(status: str, label: str) -> SafeString:
    """A state in a colour: red waits for a person, amber is on its way, green is done."""
    colour = {
        "FAILED": "#ba2121", "UNKNOWN": "#ba2121", "DONE": "#28794b", "SENT": "#28794b", "SUCCEEDED": "#28794b",
        "CANCELLED": "#777", "DELETED": "#777",
    }.get(status, "#a06000")  # fmt: skip
    return format_html('<b style="color:{}">{}</b>', colour, label)

"""What every list and page of the operators' admin shares: no counting, exact look-ups, nothing editable by hand."""

import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, cast
from uuid import UUID

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, ChangeList
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString

from planner.cells import person
from planner.models import Follower
from planner.operators import audit

PAGES = 100  # how deep a list may be leafed through: each page passes over those before it
NOTHING = Q(pk=-1)
_TRACE = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


class Leaves(ChangeList):
    """Reads one page and one row more, which tells whether there is a next one: nothing is ever counted."""

    previous_page = next_page = ""

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """The desk's own, never a column named in the address: it may have no index."""
        return list(self.model_admin.get_ordering(request))

    def get_results(self, request: HttpRequest) -> None:
        if not 1 <= self.page_num <= PAGES:
            raise IncorrectLookupParameters
        first = (self.page_num - 1) * self.list_per_page
        rows = list(self.queryset[first : first + self.list_per_page + 1])
        self.result_list = rows[: self.list_per_page]
        if self.page_num > 1:
            self.previous_page = self.get_query_string({PAGE_VAR: self.page_num - 1})
        if len(rows) > self.list_per_page and self.page_num < PAGES:
            self.next_page = self.get_query_string({PAGE_VAR: self.page_num + 1})
        self.result_count = self.full_result_count = len(self.result_list)
        self.show_full_result_count = self.can_show_all = self.multi_page = False
        self.show_admin_actions = True


class Desk(admin.ModelAdmin):
    """Read-only: rows change through operations, leases and the buttons, never through a form.

    Filters and searches take only what an index answers; `drill` names the lookups that links between lists use.
    """

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    sortable_by = ()
    list_per_page = 50
    ordering = ("-pk",)
    search_fields: ClassVar[tuple[str, ...]] = ("pk",)
    search_help_text = "按编号、trace_id 或完整 OpenID 精确查找"
    drill: ClassVar[tuple[str, ...]] = ()
    change_form_template = "admin/desk.html"
    tells = False  # its page shows what a follower wrote: each look at it is written down

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Leaves

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self._has(request, "view") or self._has(request, "change")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Who may use the buttons: those with the model's change permission."""
        return self._has(request, "change")

    def _has(self, request: HttpRequest, verb: str) -> bool:
        return request.user.has_perm(f"{self.opts.app_label}.{verb}_{self.opts.model_name}")

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Only the filters shown and the links between lists: a `text__icontains` in the address would read it all."""
        shown = {name for entry in self.list_filter if (name := getattr(entry, "parameter_name", None))}
        return lookup in shown or lookup in self.drill

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        return (queryset.filter(self.find(term)) if term else queryset), False

    def find(self, term: str) -> Q:
        if re.fullmatch(r"\d{1,20}", term, re.ASCII):
            return self.by_number(int(term))
        if _TRACE.fullmatch(term):
            return self.by_trace(UUID(term))
        return self.by_key(term) if ":" in term else self.by_openid(term)

    def by_number(self, number: int) -> Q:
        return Q(pk=number)

    def by_trace(self, trace_id: UUID) -> Q:
        return NOTHING

    def by_key(self, key: str) -> Q:
        return NOTHING

    def by_openid(self, openid: str) -> Q:
        if "follower" not in {field.name for field in self.opts.fields}:
            return NOTHING
        return Q(follower__in=list(Follower.objects.filter(app_id=self.account(), openid=openid)))

    def account(self) -> str:
        """An openid means somebody only within one account: this service's."""
        return str(settings.WECHAT_APP_ID)

    @admin.display(description="关注者")
    def who(self, row: Any) -> SafeString | str:
        return person(row.follower)

    def offers(self, row: Any) -> tuple[str, ...]:
        """Which of the actions this row's state allows, as buttons on its page."""
        return ()

    def render_change_form(
        self,
        request: HttpRequest,
        context: dict[str, Any],
        add: bool = False,
        change: bool = False,
        form_url: str = "",
        obj: Any = None,
    ) -> HttpResponse:
        if self.tells and obj is not None:
            audit(cast(User, request.user), obj, "查看")
        offered = self.offers(obj) if obj is not None else ()
        allowed = self.get_actions(request)
        context["buttons"] = [(name, entry[2]) for name in offered if (entry := allowed.get(name))]
        return super().render_change_form(request, context, add, change, form_url, obj)

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> HttpResponse | None:
        """Only rows that were ticked on the page, never all that fit; from a row's own page back to it."""
        if request.POST.get("select_across") == "1":
            messages.warning(request, "一次只能处理本页勾选的行，没有改动")
            return None
        response = super().response_action(request, queryset, *args)
        selected = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if "_page" in request.POST and len(selected) == 1 and getattr(response, "status_code", 0) == 302:
            return redirect(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", selected[0])
        return response

    def each(self, request: HttpRequest, rows: Iterator[Any], act: Callable[[Any, User], bool], done: str) -> None:
        """One after the other, each a transaction of its own; says how many it was too late for."""
        outcomes = [act(row, cast(User, request.user)) for row in rows]
        if changed := outcomes.count(True):
            messages.success(request, f"{done}：{changed} 条")
        if late := outcomes.count(False):
            messages.warning(request, f"{late} 条的状态不允许，或已被别人处理，没有改动")
        if not outcomes:
            messages.warning(request, "选中的行不在这个列表里，没有改动")

    def ask(self, request: HttpRequest, rows: Any, **context: Any) -> HttpResponse:
        """A page that asks before the action: posts the same action again with `confirmed`."""
        known = {"rows": rows, "opts": self.opts, "action": request.POST["action"], "page": "_page" in request.POST}
        return render(request, "admin/ask.html", {**self.admin_site.each_context(request), **known, **context})


class OpenFirst(admin.SimpleListFilter):
    """What nobody has settled is what the list shows at first; a search looks everywhere."""

    title = "处理情况"
    parameter_name = "open"
    condition: ClassVar[Q]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        self.default = "all" if request.GET.get("q") else "yes"
        return [("yes", "待处理"), ("no", "已处理"), ("all", "全部")]

    def choices(self, changelist: ChangeList) -> Iterator[dict[str, Any]]:  # type: ignore[override]
        for value, label in self.lookup_choices:
            yield {
                "selected": (self.value() or self.default) == value,
                "query_string": changelist.get_query_string({self.parameter_name: value}),
                "display": label,
            }

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value() or self.default:
            case "yes":
                return queryset.filter(self.condition)
            case "no":
                return queryset.filter(~self.condition)
        return queryset

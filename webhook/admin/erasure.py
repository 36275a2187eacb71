from django.contrib import admin
from django.utils.safestring import SafeString

from planner.cells import badge
from planner.desk import Desk
from webhook.admin import words
from webhook.admin.states import Status
from webhook.models import Erasure


@admin.register(Erasure)
class ErasureDesk(Desk):
    """Who was forgotten is not told: only that, when, at whose wish, and how far it has got."""

    list_display = ("id", "state", "by", "rows_erased", "created_at", "took", "last_error")
    list_filter = (Status,)
    fields = ("state", "by", "rows_erased", "created_at", "finished_at", "took", "claims", "last_error")
    readonly_fields = ("state", "took")
    search_help_text = "按编号精确查找"

    @admin.display(description="状态")
    def state(self, row: Erasure) -> SafeString:
        return badge(row.status, row.get_status_display())

    @admin.display(description="用时")
    def took(self, row: Erasure) -> str:
        return words.took(row.created_at, row.finished_at)

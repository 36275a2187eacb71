"""What befell a row, as tables: each claim of it, and what people did about it."""

from collections import defaultdict
from collections.abc import Sequence

from django.utils.safestring import SafeString

from planner.cells import link, table
from planner.models import Review
from webhook.admin import words
from webhook.models import Attempt


def attempts_of(kind: str, numbers: Sequence[int]) -> dict[int, SafeString]:
    """One statement for all of them; rows without a finished claim are missing."""
    rows = defaultdict(list)
    for a in Attempt.objects.filter(kind=kind, object_id__in=numbers).order_by("claim_no"):
        ended = [words.OUTCOMES.get(a.outcome, a.outcome), a.error]
        used = [words.tokens(a.usage)] if kind == Attempt.BATCH else []
        rows[a.object_id].append(
            [a.claim_no, words.at(a.started_at), words.took(a.started_at, a.ended_at), *ended, *used, a.owner]
        )
    columns = ["领取号", "开始", "用时", "结局", "错误", *(["用量"] if kind == Attempt.BATCH else []), "领取者"]
    return {number: table(columns, found) for number, found in rows.items()}


def reviews_of(kind: str, number: int) -> SafeString:
    found = Review.objects.filter(kind=kind, object_id=number).order_by("id")
    rows = [[link(r, r.reason), r.resolution or "待处理", r.resolved_by, words.at(r.resolved_at)] for r in found]
    return table(["原因", "处理", "处理人", "处理时间"], rows)

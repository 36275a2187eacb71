"""The answer, composed from stored results alone: what the ledger does not prove is not said."""

from collections import Counter
from collections.abc import Sequence

from planner import texts
from planner.models import OperationResult
from planner.operations import Outcome


def compose(outcomes: Sequence[Outcome], *, chat: str = "", note: str = "", unread: Sequence[str] = ()) -> str:
    """One text for the whole batch. `chat` counts only when there was nothing to do; `unread` is what nobody could
    read, and so was not done."""
    if not outcomes:
        return texts.render("note", note=note, text=chat or texts.render("not_understood"))
    created = [o.summary for o in outcomes if o.op == "create" and o.status == OperationResult.SUCCEEDED]
    others = Counter(o.summary for o in outcomes if not (o.op == "create" and o.status == OperationResult.SUCCEEDED))
    done = {o.summary for o in outcomes if o.status == OperationResult.SUCCEEDED}
    lines = [(line, times if line in done else 1) for line, times in others.items()]
    return texts.render("reply", created=created, others=lines, note=note, unread=unread)

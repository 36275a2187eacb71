"""«从明天开始每天», «下周起每晚»: a day, and a repeat that begins with it."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from planner.when import repeats
from planner.when.atoms import Now
from planner.when.lazy import Lazy

if TYPE_CHECKING:
    from planner.when.draft import Draft

_FROM = Lazy(r"(?:(?:我|就|要|想|准备|打算|得)*开始|算?起|[之以]后)[,\s的]*(?:就|要|都)?(?=每|隔|天天|逢|工作日)")


def repeat(text: str, draft: "Draft", now: Now, read: "Callable[[str, int, Now], Draft | None]") -> "Draft | None":
    match = _FROM.match(text, draft.end) if draft.day and not (draft.part or draft.clock or draft.repeat) else None
    told = read(text, match.end(), now) if match else None
    if told is None or told.repeat is None or draft.day is None:
        return None
    first = repeats.first_day(told.repeat, draft.day.first)
    return replace(told, start=draft.start, repeat=replace(told.repeat, since=first))

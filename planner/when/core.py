"""Reads the parts that stand side by side, from left to right."""

from dataclasses import replace

from planner.when import counted, scan, zones
from planner.when.atoms import Now, Repeat
from planner.when.draft import Draft, span_of
from planner.when.lazy import Lazy
from planner.when.numerals import CN
from planner.when.text import number

GAP = Lazy(
    rf"(?:[\s,()吧啊呀嗯呃]|的(?!时候)|那天|当天|那个|大概|大约|差不多|{zones.PATTERN}"
    r"|(?i:at|on|the)\s+(?=[A-Za-z]|\d{1,2}(?:[:点]|\s?[aApP]\.?[mM]|st|nd|rd|th)))*"
)
_SINCE = Lazy(r"[\s)]*(?:(?:我|就|要|想|准备|打算|得)*开始|算?起)[\s,的]*(?=每|隔|天天|日日|工作日)")
_MINUTE = Lazy(
    rf"的?(?:(?:第|在)?(?P<minute>\d{{1,2}}|[{CN}]{{1,3}})分钟?(?![钟后内前之以])|(?P<half>半点)|整点|准点)(?:时|的时候)?"
)


def core(text: str, place: int, now: Now) -> Draft | None:
    draft = Draft(place, place)
    while (told := scan.at(text, place, now)) and draft.add(told[0]):
        draft.end = told[1]
        if draft.end == len(text):
            return draft
        place = gap(text, draft.end)
        now = _within(draft, now)
        if _more(text, draft, now):
            place = gap(text, draft.end)
        if since := _SINCE.match(text, draft.end):
            return _series(text, draft, since.end(), now) or draft
    return draft if draft.end > draft.start else None


def gap(text: str, place: int) -> int:
    """Behind what may stand between two parts."""
    return GAP.match(text, place).end()  # type: ignore[union-attr]


def _within(draft: Draft, now: Now) -> Now:
    span = span_of(draft.day) if draft.day else None
    if draft.day and draft.day.loose:
        return replace(now, floor=draft.day.loose[0])
    if not draft.day or not span:
        return now
    anchor = draft.day.first if draft.day.around else now.anchor
    return replace(now, floor=span[0], span=span, anchor=anchor)


def _series(text: str, begin: Draft, place: int, now: Now) -> Draft | None:
    """«从明天开始每天九点», «从下周一起，每周一三五»."""
    draft = core(text, place, now)
    if draft is None or draft.repeat is None or draft.since or not (begin.day or begin.instant or begin.clock):
        return None
    draft.start, draft.since = begin.start, begin
    return draft


def _more(text: str, draft: Draft, now: Now) -> bool:
    if draft.repeat:
        return _minute(text, draft, draft.repeat)
    if not draft.day or draft.clock or draft.part:
        return False
    return counted.more(text, draft, draft.day, now)


def _minute(text: str, draft: Draft, repeat: Repeat) -> bool:
    """«每小时05分», «每小时的整点»."""
    match = _MINUTE.match(text, draft.end) if repeat.freq == "HOURLY" and repeat.minute is None else None
    minute = (number(match["minute"]) if match["minute"] else 30 if match["half"] else 0) if match else 60
    if not match or minute >= 60:
        return False
    draft.repeat, draft.end = replace(repeat, minute=minute), match.end()
    return True

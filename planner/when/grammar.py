"""Puts the parts of one expression together: what stands side by side, the other end of a range, the bounds."""

from planner.when import ranges, scan, since
from planner.when.atoms import Clock, Day, Now
from planner.when.core import core
from planner.when.draft import Draft
from planner.when.lazy import Lazy

_AND = Lazy(r"\s*(?:[、,和及跟]|还有|以及|(?=\d{1,2}[:点]|[一二三四五六七八九十]{1,3}点|[早上中下晚傍凌]))\s*")
_BEFORE = Lazy(r"(?:(?:之前|以前|前(?![台面端往任男女辈期言景途列夫者程线门后]|提(?![交醒供出到升])))|截止|为止|到期前)")
_AFTER = Lazy(r"(?:结束|过)?(?:[之以]后|后(?![台面续天勤备方院悔代世]))")
_SINCE = Lazy(r"以来|(?<=[日号年月])(?:开始|算?起)(?=$|[\s,.。;的])")
_INSIDE = Lazy(r"[之以]?内(?![容部])|(?:结束|过完|完)[之以]?前")
_BOUNDS = "之以前后内截为到结过完起算"
_BLANK = Lazy(r"\s+(?:(?i:on)\s+)?(?=[A-Za-z])")
_BY = Lazy(r"(?:截止到?|截至|最晚|最迟|不晚于|赶在|务必在|(?<![A-Za-z])(?i:by|before|no later than)\s)\s*$")
_FURTHEST = 20


def warm() -> None:
    """Compiles every pattern, for a worker that is about to take messages."""
    scan.warm()
    for each in Lazy.all:
        each.compile()


def read(text: str, place: int, now: Now) -> Draft | None:
    """The expression that begins here, to the end of its last part."""
    draft = core(text, place, now)
    if draft is None:
        return None
    if draft.end < len(text):
        if repeated := since.repeat(text, draft, now, read):
            return repeated
        _more_clocks(text, draft, now)
        ranges.read(text, draft, now)
        ranges.lasting(text, draft)
        _day_behind(text, draft, now)
    _bound(text, draft)
    return draft


def _more_clocks(text: str, draft: Draft, now: Now) -> None:
    """«每周一9点和14点»: further times of the same repeat."""
    while draft.repeat and draft.clock and (gap := _AND.match(text, draft.end)):
        follower = core(text, gap.end(), now)
        if not follower or not isinstance(follower.clock, Clock) or follower.day or follower.repeat:
            return
        draft.more.append((follower.clock, follower.part or draft.part))
        draft.end = follower.end


def _day_behind(text: str, draft: Draft, now: Now) -> None:
    """«3pm tomorrow»: English names the day last."""
    gap = _BLANK.match(text, draft.end)
    if not gap or draft.day or not isinstance(draft.clock, Clock) or draft.repeat:
        return
    told = scan.at(text, gap.end(), now)
    if told and isinstance(told[0], Day) and told[0].behind:
        draft.day, draft.end = told[0], told[1]


def _bound(text: str, draft: Draft) -> None:
    by = _BY.search(text, max(0, draft.start - _FURTHEST), draft.start) if draft.start else None
    if by:
        draft.start, draft.bound = by.start(), "before"
    if draft.end == len(text) or text[draft.end] not in _BOUNDS:
        return
    for name, pattern in (("before", _BEFORE), ("after", _AFTER), ("inside", _INSIDE), ("since", _SINCE)):
        match = pattern.match(text, draft.end)
        if match and not draft.length:
            draft.bound, draft.end = name, match.end()
            return

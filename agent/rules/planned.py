"""Which of a clause's times plan the thing; later ones between its words belong to its title."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from agent.rules import titles
from agent.rules.clause import Clause, same_thing
from agent.rules.words import ERRAND, REMIND
from planner.when import Found, When, find, holidays

_SAID_FIRST = re.compile(rf"(?:我\s*)?{REMIND}(?:我|一下)*")
_ERRAND = re.compile(rf"(?:提醒我|叫我)?(?:去|来|帮我)?(?:{ERRAND})(?:一下|好)?")
_TAKEN = re.compile("(?:顺便|顺手|再|也|就|先|还)*(?:把|将)")


def main_times(clause: Clause) -> tuple[Clause, list[When], list[datetime]]:
    """The times that plan the thing; later ones between its words belong to its title («把明天的衣服熨了»)."""
    points = [told for told in _points(clause) if not _of_the_thing(clause, told)]
    if not points:
        return replace(clause, times=tuple(told for told in clause.times if told not in _points(clause))), [], []
    main = [points[0]]
    for told in points[1:]:
        if once := _narrower(clause, main[-1], told):
            main[-1] = once
        elif _its_feast(main[-1], told) and clause.flat[told.end :].strip():
            continue
        elif told.start == main[-1].start or not clause.flat[main[-1].end : told.start].strip(" 和、,及跟"):
            main.append(told)
    others = [told for told in points if told not in main]
    if len(main) == 1 and len(others) == 1 and (turns := _told_behind(clause, main[0], others[0])):
        return _kept(clause, [main[0], others[0]]), [turns], []
    if len(others) == 1 and len(main) > 1 and same_thing(clause, main[-1], others[0]):  # «周四五六值班，早八点到晚八点»
        return _kept(clause, [*main, others[0]]), _whens([*main[:-1], others[0]]), []
    if len(main) == 1 and others and same_thing(clause, main[0], others[0]):
        return _kept(clause, [main[0], others[0]]), _whens([others[0]]), []
    if len(main) == 1 and others and _rings_first(clause, main[0], others[0]):
        return _kept(clause, [*main, others[0]]), _whens([others[0]]), [at for at in [_at(main[0])] if at]
    return _kept(clause, main), _whens(main), []


def _narrower(clause: Clause, first: Found, second: Found) -> Found | None:
    """«下午下了班», «五点下班之后»: one moment, told twice."""
    when, part = first.when, second.when
    if not (isinstance(when, When) and isinstance(part, When)) or clause.flat[first.end : second.start].strip(" ,的"):
        return None
    if when.kind == "day" and part.has_clock and not (part.has_day or part.rrule):
        return replace(first, end=second.end, when=replace(part, has_day=True))
    if part.has_day or part.has_clock or part.point is None or when.rrule or part.rrule:
        return None
    if when.has_clock:
        return replace(first, end=second.end)
    at = datetime.combine(when.start.date(), part.point.timetz()) if when.point and when.start else None
    if at is None or not (when.start and when.end and when.start <= at <= when.end):
        return None
    return replace(first, end=second.end, when=replace(when, point=at))


def _its_feast(first: Found, second: Found) -> bool:
    """«12月25号晚上6点半圣诞聚餐», «2月14号情人节订花»: the feast is what is done, or the day's name."""
    when, feast = first.when, second.when
    if not (isinstance(when, When) and isinstance(feast, When)) or when.rrule or not when.has_day or second.start != first.end:
        return False
    is_feast = feast.kind == "day" and re.fullmatch(holidays.PATTERN, feast.words) is not None
    return is_feast and not re.search(holidays.PATTERN, when.words)


def _told_behind(clause: Clause, first: Found, last: Found) -> When | None:
    """«我每天都要吃降压药早上七点», «下礼拜家长会周三下午四点»: the rest of the time stands at the end."""
    wide, near = first.when, last.when
    if not (isinstance(wide, When) and isinstance(near, When)) or not wide.all_day or wide.start is None:
        return None
    if clause.flat[last.end :].strip(" 吧啊哦。") or near.rrule or not (near.has_clock or near.point):
        return None
    if near.has_day if wide.rrule else not (near.has_day and wide.kind == "span"):
        return None
    found = find(wide.words + near.words, clause.sent_at.astimezone(wide.start.tzinfo))
    both = found[0].when if len(found) == 1 else None
    return both if isinstance(both, When) and (both.has_clock or both.point or both.rrule) else None


def _points(clause: Clause) -> list[Found]:
    return [told for told in clause.times if isinstance(told.when, When) and told.when.kind != "duration"]


def _of_the_thing(clause: Clause, told: Found) -> bool:
    """«订明天早上的机票», «看一月的报表»: the time of the ticket, not of the errand."""
    before, after = titles.polite(clause.flat[: told.start]), clause.flat[told.end :]
    return bool((_ERRAND.fullmatch(before) or _TAKEN.fullmatch(before)) and re.match("[^,、]{0,8}?的", after))


def _rings_first(clause: Clause, first: Found, second: Found) -> bool:
    """«早上提醒我下午三点开会»: rings in the morning for three o'clock."""
    between = clause.flat[first.end : second.start].strip()
    begins, ends = _at(first), _at(second)
    return bool(_SAID_FIRST.fullmatch(between) and begins and ends and ends > begins)


def _at(told: Found) -> datetime | None:
    return told.when.at if isinstance(told.when, When) else None


def _whens(found: Sequence[Found]) -> list[When]:
    return [told.when for told in found if isinstance(told.when, When)]


def _kept(clause: Clause, main: list[Found]) -> Clause:
    lengths = [told for told in clause.times if isinstance(told.when, When) and told.when.kind == "duration"]
    clocked = any(when.has_clock and not when.end for when in _whens(main))
    several = len(main) > 1 and all(when.all_day for when in _whens(main))  # «8号9号两天»
    return replace(clause, times=(*main, *(lengths[:1] if clocked or several else [])))

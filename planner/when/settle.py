"""Turns what was read into instants, spans, lengths and rules."""

from dataclasses import replace
from datetime import datetime, time, timedelta

from planner.when import holidays, spans, turns
from planner.when.atoms import Clock, Instant, Now
from planner.when.draft import Draft
from planner.when.model import When
from planner.when.moments import NOTHING, Carry, begin, midnight, moment

_DAY = timedelta(days=1)


def settle(draft: Draft, words: str, now: Now, carry: Carry = NOTHING) -> When:
    if draft.length:
        return When(words, "duration", seconds=draft.length.total, certain=not draft.length.about)
    if draft.instant and not draft.every:
        return _from_now(draft, draft.instant, words, now)
    if draft.repeat:
        return turns.recurrence(draft, draft.repeat, words, now)
    if draft.every and draft.until:
        return turns.window(draft, draft.until, draft.every, words, now)
    if draft.until:
        draft = spans.tightened(draft, draft.until)
    told = moment(draft, words, now, carry)
    if draft.until:
        told = spans.span(draft, draft.until, told, now)
    told = _bounded(draft, told, now) if draft.bound and not draft.until else told
    return told if told.certain else replace(told, others=_others(draft, told, now))


def _others(draft: Draft, told: When, now: Now) -> tuple[datetime, ...]:
    """What else may be meant: the second hour of «七八点», the other half of the day, the same weekday a week later."""
    start = begin(told)
    if draft.day and draft.day.other:
        return (midnight(draft.day.other, now),) if told.kind == "day" and not draft.bound else ()
    if draft.bound and told.all_day:
        return ()
    if draft.day and draft.day.weekday is not None and not (isinstance(draft.clock, Clock) and draft.clock.upto):
        steps = [start + timedelta(days=7)]
    elif isinstance(draft.clock, Clock):
        half = [] if draft.clock.fixed or draft.part else [start + timedelta(hours=-12 if draft.clock.hour == 12 else 12)]
        steps = [start + timedelta(hours=1)] if draft.clock.upto else half or [start + _DAY]
    else:
        steps = []
    return tuple(step for step in steps if step > now.ref)


def _from_now(draft: Draft, told: Instant, words: str, now: Now) -> When:
    if told.deadline:
        day = midnight(told.start.date(), now)
        start, end = (day, day + _DAY) if told.all_day else (told.start, told.start)
        return When(words, "deadline", start, end, all_day=told.all_day, certain=told.certain,
                    has_clock=not told.all_day, has_day=True)
    if told.end:
        return When(words, "span", told.start, told.end, has_day=True)
    if draft.until and draft.until.day:
        return When(words, "span", told.start, midnight(draft.until.day.first, now), has_day=True)
    return When(words, "instant", told.start, certain=told.certain, has_clock=True, has_day=True)


def _bounded(draft: Draft, told: When, now: Now) -> When:
    if draft.bound == "after":
        return _after(draft, told, now)
    if draft.bound == "since":
        return _since(told, now)
    if draft.bound == "inside" or told.point or not (told.kind == "span" or (draft.day and draft.day.name and told.all_day)):
        return _deadline(told)
    if not told.all_day:
        return replace(told, kind="deadline", end=told.start, certain=False)
    sure = draft.day is not None and (draft.day.feast or draft.day.weekday is not None)
    return replace(told, kind="deadline", start=begin(told) - _DAY, end=told.start, certain=sure)


def _since(told: When, now: Now) -> When:
    """«去年9月以来» is up to now, «下月1号起» begins then."""
    if begin(told) >= now.ref:
        return told
    return replace(told, kind="span", end=now.ref, all_day=False, point=None, loose=None, certain=True)


def _after(draft: Draft, told: When, now: Now) -> When:
    """Behind a feast are the days off around it, behind a stretch of days its end: «国庆后», «周末之后»."""
    day = draft.day
    if day and told.all_day and told.end and (day.name or day.last):
        end = midnight(holidays.days_off(day.name, day.first, now.today)[1], now) if day.name else told.end
        return replace(told, kind="day", start=end, end=end + _DAY, certain=False)
    if told.kind in ("instant", "day") or told.point:
        return replace(told, certain=told.certain and told.kind == "instant")
    return told


def _deadline(told: When) -> When:
    """With the day that was named: its last day, or the point of its part."""
    if told.all_day and told.end:
        last = (told.end - timedelta(hours=12)).date()
        return replace(told, kind="deadline", start=datetime.combine(last, time(), told.end.tzinfo), loose=None)
    return replace(told, kind="deadline", start=told.at, end=told.at)

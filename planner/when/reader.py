"""The public face: one expression, or all of a sentence."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from planner.when import dates, grammar, scan, zones
from planner.when.atoms import Budget, Clock, Day, Impossible, Now
from planner.when.draft import Draft
from planner.when.model import Found, Refused, When
from planner.when.moments import NOTHING, Carry
from planner.when.settle import settle
from planner.when.text import plain, tight

# More times than anybody tells in one message; what lies behind them is not read.
MOST, MOST_PARTS = 60, 150
_APART = 2  # «周二周四游泳» is two days, each the coming one


def resolve(text: str, ref: datetime, zone: ZoneInfo | None = None) -> When | Refused | None:
    """The one expression in `text`, as it reads at `ref` (aware); the longest where there are several."""
    found = find(text, ref, zone)
    return max(found, key=lambda told: told.end - told.start).when if found else None


def find(
    text: str, ref: datetime, zone: ZoneInfo | None = None, *, trace: list[str] | None = None
) -> list[Found]:
    """Every expression with its place in `text`. A day that was named holds for the clock times after it.

    `trace` gathers the rules that fired, with what they read.
    """
    if ref.tzinfo is None:
        raise ValueError("ref must be aware")
    local, flat = ref.astimezone(zone) if zone else ref, plain(text)
    if places := tight(flat):
        short = "".join(text[place] for place in places[:-1])
        return [_spread(each, text, places) for each in find(short, ref, zone, trace=trace)]
    budget = Budget(MOST_PARTS)
    now = Now(local, local.date(), trace=trace, zoned=zones.marked(flat), budget=budget)
    found: list[Found] = []
    place, carry = 0, NOTHING
    while len(found) < MOST and budget.left > 0 and (start := scan.search(flat, place)) is not None:
        told, place, carry = _one(text, flat, start, now, carry)
        found += told
    return found


def _spread(found: Found, text: str, places: list[int]) -> Found:
    """Back to its place in a text with spaces."""
    start, end = places[found.start], places[found.end - 1] + 1
    return Found(replace(found.when, words=text[start:end]), start, end)


def _one(text: str, flat: str, place: int, now: Now, carry: Carry) -> tuple[list[Found], int, Carry]:
    floor = max(now.floor, dates.monday(carry.day)) if carry.week and carry.day else max(now.floor, carry.since or now.floor)
    try:
        draft = grammar.read(flat, place, now if floor is now.floor else replace(now, floor=floor))
        if draft is None:
            return [], scan.past(flat, place), carry
        told = zones.around(flat, draft.start, draft.end) if now.zoned and (draft.timed or draft.repeat) else None
        if told:
            return _elsewhere(text, flat, place, told, now, dated=draft.day is not None)
        return _settled(text, draft, now, carry)
    except (Impossible, OverflowError, ValueError) as error:
        reason = str(error) if isinstance(error, Impossible) else _beyond(error)
        end = scan.past_all(flat, place)
        return [Found(Refused(text[place:end], reason), place, end)], end, carry


def _elsewhere(
    text: str, flat: str, place: int, told: zones.Told, now: Now, *, dated: bool
) -> tuple[list[Found], int, Carry]:
    """Read by the clocks of the zone that was named, and told by the follower's. «明天» is the follower's own."""
    ref = now.ref.replace(tzinfo=told.zone) if dated else now.ref.astimezone(told.zone)
    there = replace(now, ref=ref, floor=ref.date())
    draft = grammar.read(flat, place, there)
    if draft is None:
        return [], scan.past(flat, place), NOTHING
    draft.start, draft.end = min(draft.start, told.start), max(draft.end, told.end)
    found, end, _ = _settled(text, draft, there, NOTHING)
    try:
        return [replace(each, when=zones.at_home(each.when, now.ref)) for each in found], end, NOTHING
    except Impossible as error:
        return [Found(Refused(text[draft.start : end], str(error)), draft.start, end)], end, NOTHING


def _beyond(error: Exception) -> str:
    """Python's calendar ends with the year 9999, and says so in two ways."""
    if isinstance(error, OverflowError) or "out of range" in str(error):
        return "时间太远了，日历上没有"
    raise error


def _settled(text: str, draft: Draft, now: Now, carry: Carry) -> tuple[list[Found], int, Carry]:
    words, draft = text[draft.start : draft.end], _in_order(draft, carry)
    found, several = [], _each(draft)
    for each in several:
        told = settle(each, words, now, carry)
        found.append(Found(told, draft.start, draft.end))
        if draft.end < len(text) or each is not several[-1]:  # else nothing follows
            carry = _carried(carry, told, each)
    return found, draft.end, carry


def _in_order(draft: Draft, carry: Carry) -> Draft:
    """«周二去，周四回，周五…» said on a Friday: one week after the other, not back to today. «1月8号…，9号…» are in one
    month."""
    day = draft.day
    if day and day.roll == "month" and carry.month and carry.month > day.first:
        also = tuple(_in_month(each, carry) for each in day.also)
        return replace(draft, day=replace(_in_month(day, carry), also=also))
    if not (day and day.roll == "week" and day.weekday is not None and carry.day and carry.bare):
        return draft
    if draft.start - carry.bare < _APART:
        return draft
    passed = day.first < carry.day and day.weekday > carry.day.weekday()
    return replace(draft, day=replace(day, first=day.first + timedelta(days=7), certain=True)) if passed else draft


def _in_month(day: Day, carry: Carry) -> Day:
    if carry.month is None or day.monthday is None:
        return day
    first = carry.month + timedelta(days=day.monthday - carry.month.day)
    return replace(day, first=first, roll="", named=True) if first.month == carry.month.month and first >= carry.month else day


def _month_of(day: Day, told: When, carry: Carry) -> date | None:
    """From which day on a bare «9号» is of the month that was named; None when that is not known any more."""
    if day.monthday and day.roll != "month":
        return day.first
    whole = told.kind == "span" and day.first.day == 1 and day.last and (day.last - day.first).days in (28, 29, 30, 31)
    return day.first if whole else carry.month if day.monthday else None


def _week_of(day: Day, told: When) -> date | None:
    """«下周体检，周三»."""
    whole = told.kind == "span" and day.last and day.last - day.first == timedelta(weeks=1)
    return day.first if whole and day.first.weekday() == 0 else None


def _each(draft: Draft) -> list[Draft]:
    """«周一三五九点» is three; «每天九点和两点半» two, since one rule has one minute."""
    clocks = [(draft.clock, draft.part), *((clock or draft.clock, part) for clock, part in draft.more)]
    if draft.repeat and len({clock.minute for clock, _ in clocks if isinstance(clock, Clock)}) > 1:
        return [replace(draft, clock=clock, part=part, more=[]) for clock, part in clocks]
    return [draft, *(replace(draft, day=day) for day in (draft.day.also if draft.day else ()))]


def _carried(carry: Carry, told: When, draft: Draft) -> Carry:
    """Only a day that was said is left to what follows; a moment counted from now says nothing about it."""
    day, part = draft.day, draft.part
    if day:
        month, since = _month_of(day, told, carry), _week_of(day, told)
        if told.kind != "recurrence" and day.last is None:
            week = day.anchored or (carry.week and day.weekday is not None)
            carry = Carry(day.first, week=week, bare=draft.end if day.roll == "week" else 0, month=month)
        elif (month, since) != (carry.month, carry.since):
            carry = replace(carry, month=month, since=since)
    if carry.day and part and not draft.clock and part.half in ("pm", "evening"):
        carry = replace(carry, part=part)
    if told.start and told.has_clock and carry.day and told.start.date() - carry.day <= timedelta(days=1):
        return replace(carry, after=told.start)
    if told.start and told.has_clock and told.kind in ("instant", "recurrence") and not carry.day and (part or carry.after):
        return replace(carry, after=told.start)
    return carry

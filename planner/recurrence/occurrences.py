"""From a rule and its start to occurrences. Each next one costs at most PERIODS steps, or there is none."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count, islice

from planner.recurrence.periods import FIRST_YEAR, LAST_YEAR, days_of, index_near
from planner.recurrence.rule import SHORT, BadRule, Rule
from planner.when import lunar

PERIODS = 3000  # eight years of days, or a week of ten minutes: longer without an occurrence is never


def settled(rule: Rule, start: datetime, *, all_day: bool) -> Rule:
    """The normal form: the rule itself names its days, its clock and its end, so that each of its occurrences may
    stand as the start of what remains. Raises BadRule where nothing ever occurs."""
    if not FIRST_YEAR <= start.year < LAST_YEAR:
        raise BadRule(f"starts outside {FIRST_YEAR} to {LAST_YEAR}")
    rule = _named_clock(_named_days(rule, start), start, all_day=all_day)
    if rule.count:
        counted = list(islice(occurrences(replace(rule, count=None), start), rule.count))
        rule = replace(rule, count=None, until=counted[-1] if counted else start)
    if next(occurrences(rule, start), None) is None:
        raise BadRule("never occurs")
    return rule


def _named_days(rule: Rule, start: datetime) -> Rule:
    if rule.freq in SHORT:
        return rule
    if rule.workdays and rule.freq in ("DAILY", "WEEKLY"):
        return replace(rule, freq="DAILY", interval=1, weekdays=())
    _, month, day = lunar.of(start.date()) if rule.lunar else (start.year, start.month, start.day)
    if rule.freq == "DAILY" and rule.weekdays and rule.interval == 1 and not rule.monthdays:
        rule = replace(rule, freq="WEEKLY")
    if rule.freq == "WEEKLY" and not rule.weekdays:
        rule = replace(rule, weekdays=((0, start.weekday()),))
    if rule.freq == "YEARLY":
        rule = replace(rule, months=rule.months or (month,))
    if rule.freq in ("MONTHLY", "YEARLY") and not (rule.monthdays or rule.weekdays or rule.workdays):
        rule = replace(rule, monthdays=(day,))
    return rule


def _named_clock(rule: Rule, start: datetime, *, all_day: bool) -> Rule:
    if rule.freq in SHORT:
        return rule
    if all_day:
        return replace(rule, hours=(), minutes=())
    same_hour = not rule.hours or start.hour in rule.hours
    minutes = rule.minutes or ((start.minute,) if same_hour else (0,))
    return replace(rule, hours=rule.hours or (start.hour,), minutes=minutes)


def occurrences(rule: Rule, start: datetime, *, since: datetime | None = None) -> Iterator[datetime]:
    """Those of a rule in normal form from `since` on, in order; the first period is the start's."""
    floor = max(start, since or start)
    found = _short(rule, start, floor) if rule.freq in SHORT else _daily(rule, start, floor)
    for moment in found:
        if rule.until and moment > rule.until:
            return
        yield moment


def _daily(rule: Rule, start: datetime, floor: datetime) -> Iterator[datetime]:
    vain = 0
    for n in count(index_near(rule, start.date(), floor.date())):
        days = days_of(rule, start.date(), n)
        moments = [datetime.combine(day, clock) for day in days for clock in rule.clocks]
        ahead = [moment for moment in moments if moment >= floor]
        vain = 0 if ahead else vain + 1
        yield from ahead
        if vain > PERIODS or (days and days[-1].year >= LAST_YEAR) or _beyond(rule, start, n):
            return


def _beyond(rule: Rule, start: datetime, n: int) -> bool:
    """No later period can lie before the end of all tables."""
    days = {"DAILY": 1, "WEEKLY": 7, "MONTHLY": 28, "YEARLY": 354}[rule.freq]
    return start.toordinal() + n * rule.interval * days > LAST_YEAR * 366


def _short(rule: Rule, start: datetime, floor: datetime) -> Iterator[datetime]:
    step = timedelta(minutes=SHORT[rule.freq] * rule.interval)
    weekdays = [weekday for _, weekday in rule.weekdays]
    moment = start + -(-(floor - start) // step) * step
    vain = 0
    while vain <= PERIODS and moment.year < LAST_YEAR:
        fits = (not rule.hours or moment.hour in rule.hours) and (not weekdays or moment.weekday() in weekdays)
        vain = 0 if fits else vain + 1
        if fits:
            yield moment
        moment += step

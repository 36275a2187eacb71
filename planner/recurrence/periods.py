"""The days that a rule names in its n-th period (day, week, month, year; lunar ones too), counted from the start's."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from planner.recurrence.rule import Rule
from planner.when import lunar, offdays

DAY = timedelta(days=1)
FIRST_YEAR, LAST_YEAR = 2001, 2100  # as far as the lunar table goes


def days_of(rule: Rule, start: date, n: int) -> list[date]:
    """In order; empty where the period has none, and past LAST_YEAR."""
    found = sorted(set(_named(rule, start, n * rule.interval)))
    if rule.workdays:
        found = [day for day in found if offdays.works(day)]
    if rule.position:
        place = rule.position - 1 if rule.position > 0 else rule.position
        found = found[place : place + 1 or None]
    return found


def index_near(rule: Rule, start: date, day: date) -> int:
    """A period not after the one that holds `day`, and at most one before it."""
    if day <= start:
        return 0
    if rule.lunar:
        gone = lunar.place(day) - lunar.place(start) if rule.freq == "MONTHLY" else day.year - start.year - 1
    else:
        gone = {
            "DAILY": (day - start).days,
            "WEEKLY": (_monday(day) - _monday(start)).days // 7,
            "MONTHLY": (day.year - start.year) * 12 + day.month - start.month,
            "YEARLY": day.year - start.year,
        }[rule.freq]
    return max(0, gone // rule.interval)


def _named(rule: Rule, start: date, steps: int) -> Iterator[date]:
    if rule.lunar:
        return _lunar(rule, start, steps)
    match rule.freq:
        case "DAILY":
            return _of_day(rule, start, steps)
        case "WEEKLY":
            return _of_week(rule, _monday(start) + 7 * steps * DAY)
        case "MONTHLY":
            year, month = divmod(start.year * 12 + start.month - 1 + steps, 12)
            return _of_month(rule, year, month + 1) if not rule.months or month + 1 in rule.months else iter(())
    year = start.year + steps
    return (day for month in rule.months for day in _of_month(rule, year, month))


def _monday(day: date) -> date:
    return day - day.weekday() * DAY


def _of_day(rule: Rule, start: date, steps: int) -> Iterator[date]:
    day = start + steps * DAY
    weekdays = [weekday for _, weekday in rule.weekdays]
    length = monthrange(day.year, day.month)[1]
    named = {_clamped(number, length) for number in rule.monthdays}
    fits = (not rule.months or day.month in rule.months) and (not named or day.day in named)
    if fits and (not weekdays or day.weekday() in weekdays):
        yield day


def _of_week(rule: Rule, monday: date) -> Iterator[date]:
    for _, weekday in rule.weekdays:
        day = monday + weekday * DAY
        if not rule.months or day.month in rule.months:
            yield day


def _of_month(rule: Rule, year: int, month: int) -> Iterator[date]:
    if year > LAST_YEAR:
        return
    first, length = date(year, month, 1), monthrange(year, month)[1]
    days = [first + n * DAY for n in range(length)]
    if rule.monthdays:
        numbers = {_clamped(number, length) for number in rule.monthdays}
        days = [day for day in days if day.day in numbers]
    yield from _weekdays(rule, days) if rule.weekdays else days


def _weekdays(rule: Rule, days: list[date]) -> Iterator[date]:
    for nth, weekday in rule.weekdays:
        of_it = [day for day in days if day.weekday() == weekday]
        place = nth - 1 if nth > 0 else nth
        yield from of_it[place : place + 1 or None] if nth else of_it


def _clamped(number: int, length: int) -> int:
    return max(1, min(number, length) if number > 0 else length + 1 + number)


def _lunar(rule: Rule, start: date, steps: int) -> Iterator[date]:
    if rule.freq == "MONTHLY":
        months = [lunar.month_at(lunar.place(start) + steps)]
    else:
        year = lunar.of(start)[0] + steps
        months = [lunar.month_days(year, month) for month in rule.months]
    for span in months:
        if span:
            length = (span[1] - span[0]).days
            yield from (span[0] + (_clamped(number, length) - 1) * DAY for number in rule.monthdays)

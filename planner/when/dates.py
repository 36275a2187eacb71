"""Calendar arithmetic, and the day that is coming."""

from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from planner.when.atoms import Impossible

_FAR = 9


def add_months(day: date, months: int) -> date:
    """The same day of another month, or that month's last."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_start(day: date, months: int = 0) -> date:
    return add_months(day.replace(day=1), months)


def month_end(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def days_of_month(day: date) -> list[date]:
    return [day.replace(day=number) for number in range(1, month_end(day).day + 1)]


def monday(day: date, weeks: int = 0) -> date:
    return day - timedelta(days=day.weekday()) + timedelta(weeks=weeks)


def nth_weekday(month: date, weekday: int, nth: int) -> date:
    """The nth such weekday of a month; -1 is the last."""
    if nth < 0:
        last = month_end(month)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    first = month.replace(day=1)
    found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    if found.month != first.month:
        raise Impossible(f"{first.month}月没有第{nth}个这样的日子")
    return found


def of(year: int, month: int, day: int) -> date:
    if not 1 <= month <= 12:
        raise Impossible(f"没有{month}月")
    if not 1 <= day <= monthrange(year, month)[1]:
        raise Impossible(f"{year}年{month}月没有{day}日")
    return date(year, month, day)


def coming_monthday(day: int, floor: date) -> date:
    if not 1 <= day <= 31:
        raise Impossible(f"没有{day}号这一天")
    return next(found for found in _monthdays(day, floor) if found >= floor)


def _monthdays(day: int, floor: date) -> Iterator[date]:
    for step in range(_FAR):
        month = month_start(floor, step)
        if day <= monthrange(month.year, month.month)[1]:
            yield month.replace(day=day)


def coming_yearday(month: int, day: int, floor: date) -> date:
    """The 29th of February waits for its year."""
    if not 1 <= month <= 12:
        raise Impossible(f"没有{month}月")
    if not 1 <= day <= monthrange(2000, month)[1]:
        raise Impossible(f"{month}月没有{day}日")
    years = (floor.year + step for step in range(_FAR) if day <= monthrange(floor.year + step, month)[1])
    return next(found for found in (date(year, month, day) for year in years) if found >= floor)


def same_day(day: date, first: date, last: date | None) -> date:
    """«去年的今天», «下个月的今天», «下周同一时间»: the day of a year, a month or a week that answers to this one."""
    if last is None:
        return first
    if last - first >= timedelta(days=365):
        return of(first.year, day.month, day.day)
    if last - first == timedelta(days=7):
        return first + timedelta(days=day.weekday())
    return first.replace(day=min(day.day, month_end(first).day))

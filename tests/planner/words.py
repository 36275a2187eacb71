"""One line for what an expression was read as; docs/time.md and the tests share it."""

from datetime import datetime, timedelta

from planner.when import Refused, When


def shown(told: When | Refused | None) -> str:
    """`?` marks a reading that is said back, `or` what else may be meant."""
    if told is None:
        return "no time"
    if isinstance(told, Refused):
        return f"refused: {told.reason}"
    others = "".join(f" or {_moment(other, all_day=told.all_day)}" for other in told.others)
    return f"{_value(told)}{'' if told.certain else ' ?'}{others}"


def _value(told: When) -> str:
    if told.kind == "duration":
        return f"{timedelta(seconds=told.seconds or 0)} long"
    if told.kind == "recurrence":
        return f"{told.rrule}, first {_moment(told.start, all_day=told.all_day)}"
    if told.kind == "deadline":
        return f"by {_moment(told.start if told.all_day else told.end, all_day=told.all_day)}"
    start = _moment(told.start, all_day=told.all_day)
    if told.kind in ("day", "instant") or told.end is None:
        return start
    last = told.end - timedelta(days=1) if told.all_day else told.end
    return f"{start} to {_moment(last, all_day=told.all_day)}" + (f", at {told.point:%H:%M}" if told.point else "")


def _moment(value: datetime | None, *, all_day: bool) -> str:
    return f"{value:%Y-%m-%d}" if value and all_day else f"{value:%Y-%m-%d %H:%M}" if value else ""

"""Time expressions: the value of each row beside what `planner.when` reads.

`exact` asks for the source's own value, or one that it lists beside it; `planner` for the value under a planner's
conventions, where the row has another; `natural` is `planner` over the rows that a planner would be told.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from planner.management.evaluation import rules
from planner.management.evaluation.verdicts import Verdict
from planner.when import When, resolve

ZONE = ZoneInfo("Asia/Shanghai")
FILES = ("time_*.jsonl", "reported_misparses.jsonl")

_FIELDS = ("start", "end", "rrule", "seconds", "mod")

Row = Mapping[str, Any]
Value = Mapping[str, Any]


def judge(source: str, rows: Sequence[Row]) -> list[Verdict]:
    return [_verdict(source, row) for row in rows]


def _verdict(source: str, row: Row) -> Verdict:
    got = read(row["text"], datetime.fromisoformat(row["ref"]), window="end" in row["expect"])
    got = _without_until(got, row["expect"])
    wanted = row.get("planner_expect") or row["expect"]
    marks = {"exact": _exact(row, got), "planner": _matches(row["kind"], got, [wanted])}
    if row["planner"]:
        marks["natural"] = marks["planner"]
    if row["kind"] == "period" and "end" in wanted:
        marks["both ends"] = marks["planner"] and _ends(got, wanted)
    return Verdict(row["id"], source, row["kind"], row["text"], _shown(row["expect"]) + _other(row), _shown(got), marks)


def read(text: str, ref: datetime, *, window: bool) -> dict[str, Any]:
    """What the resolver makes of a text, in the form of the rows.

    Of a part of the day the window, or the one point in it; of a day that stands for a stretch («月底») the stretch, or
    the day; a deadline runs from now to its end, and an instant ends as it begins.
    """
    ref = ref.replace(tzinfo=ZONE)
    told = resolve(text, ref)
    if not isinstance(told, When):
        return {}
    if told.rrule or told.seconds is not None:
        return {"rrule": told.rrule} if told.rrule else {"seconds": told.seconds}
    start, end = ref if told.kind == "deadline" else told.start if window else told.at, told.end
    if window and told.kind != "deadline":
        start, end = told.loose or (start, end or start)
    return {name: _local(value) for name, value in (("start", start), ("end", end)) if value}


def _without_until(got: dict[str, Any], wanted: Value) -> dict[str, Any]:
    """The end of a repeat, where the row keeps it beside the rule."""
    until = wanted.get("until")
    ending = f";UNTIL={until.replace('-', '').replace(':', '')}" if until else ""
    return got | {"rrule": got["rrule"].removesuffix(ending)} if ending and got.get("rrule") else got


def _local(value: datetime) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%S}"


def _exact(row: Row, got: Value) -> bool:
    return _matches(row["kind"], got, [row["expect"], *(row.get("alt") or [])])


def _matches(kind: str, got: Value, wanted: Sequence[Value]) -> bool:
    first = wanted[0]
    if kind == "none" or not got:
        return (kind == "none") == (not got)
    if kind == "duration":
        return bool(got.get("seconds") == first["seconds"])
    if kind == "recurrence":
        return bool(got.get("rrule")) and rules.same(got["rrule"], first["rrule"])
    if "rrule" in got or "seconds" in got:
        return False
    if _open_below(first):
        return _ends(got, first)
    return got.get("start") in {value["start"] for value in wanted if "start" in value}


def _open_below(value: Value) -> bool:
    """Bounded above alone: the end is the value."""
    return "start" not in value or (value.get("mod") in ("before", "until") and "end" in value)


def _ends(got: Value, wanted: Value) -> bool:
    if "end" not in got:
        return False
    apart = abs(datetime.fromisoformat(got["end"]) - datetime.fromisoformat(wanted["end"]))
    return apart <= _tolerance(wanted)


def _tolerance(value: Value) -> timedelta:
    """One unit of the finest clock step in play: an end may be named with it or without."""
    ends = [datetime.fromisoformat(value[name]) for name in ("end", "start") if name in value]
    if (ends[0].hour, ends[0].minute, ends[0].second) == (23, 59, 59):
        return timedelta(days=1)
    if any(end.minute or end.second for end in ends):
        return timedelta(seconds=61)
    return timedelta(hours=1) if len(ends) < 2 or any(end.hour for end in ends) else timedelta(days=1)


def _shown(value: Value) -> str:
    return " ".join(f"{name}={value[name]}" for name in _FIELDS if name in value) or "nothing"


def _other(row: Row) -> str:
    other = row.get("planner_expect")
    return f" (planner: {_shown(other)})" if other else ""

"""Whole messages: are all their actions there, in order, each with its title, its time and its rule?"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any
from zoneinfo import ZoneInfo

from agent.analysis import Action, Said
from agent.rules import analyse
from planner.management.evaluation import rules
from planner.management.evaluation.verdicts import Verdict
from planner.when.text import plain

ZONE = ZoneInfo("Asia/Shanghai")
FILES = ("utterances_*.jsonl",)
# A title is right with the right words; a particle more or less is no error.
ALIKE = 0.6

Wanted = Mapping[str, Any]


def judge(source: str, rows: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    return [_verdict(source, row) for row in rows]


def _verdict(source: str, row: Mapping[str, Any]) -> Verdict:
    sent = datetime.fromisoformat(row["ref"]).replace(tzinfo=ZONE)
    actions = analyse([Said(text=row["text"], sent_at=sent)], zone=ZONE).analysis.actions
    readings = [row["actions"], *row.get("alt_actions", [])]
    judged = [_marks(wanted, actions, row.get("context", {}).get("tasks", [])) for wanted in readings]
    marks = max(judged, key=lambda told: (told["all"], sum(told.values())))
    return Verdict(row["id"], source, row["tags"][0], row["text"], str(row["actions"]), _shown(actions), marks)


def _marks(wanted: Sequence[Wanted], actions: Sequence[Action], tasks: Sequence[Wanted]) -> dict[str, bool]:
    pairs = list(zip(wanted, actions, strict=False))
    marks = {
        "op": len(wanted) == len(actions) and all(_op(one, action) for one, action in pairs),
        "title": all(_title(one, action, tasks) for one, action in pairs),
        "time": all(_time(one, action) for one, action in pairs),
        "repeat": all(_repeat(one, action) for one, action in pairs),
    }
    return {"all": all(marks.values()), **marks}


def _op(wanted: Wanted, action: Action) -> bool:
    told = str(action.pending.get("op", "")) if action.op == "clarify" else action.op
    return told == wanted["type"] or (told == "snooze" and wanted["type"] == "update")


def bare(title: str) -> str:
    return re.sub(r"[\W_]+", "", plain(title)).lower()


def alike(title: str, wanted: str) -> bool:
    first, second = bare(title), bare(wanted)
    return SequenceMatcher(None, first, second).ratio() >= ALIKE or bool(first and second and first in second)


def _title(wanted: Wanted, action: Action, tasks: Sequence[Wanted]) -> bool:
    if action.op == "create" and wanted["type"] == "create":
        return wanted["title"] is None or alike(action.title, wanted["title"])
    target = getattr(action, "target", None)
    ids = _ids(wanted.get("target", {}))
    if target is None or not ids or not target.text:
        return True
    meant = [task["title"] for task in tasks if task["id"] in ids]
    return any(set(bare(target.text)) & set(bare(title)) for title in meant)


def _ids(target: Wanted) -> list[str]:
    return target.get("task_ids") or ([target["task_id"]] if "task_id" in target else [])


def _time(wanted: Wanted, action: Action) -> bool:
    told = wanted.get("changes", wanted)
    made = getattr(action, "changes", action)
    start = getattr(made, "start", None) or getattr(action, "at", None)
    if window := told.get("start_window") or told.get("due_window"):
        return start is not None and _moment(window[0]) <= start <= _moment(window[1])
    if named := told.get("start") or told.get("due"):
        return start is not None and _same(named, start)
    return True


def _same(named: str, got: datetime) -> bool:
    """A date alone is right at any time of that day, and as its end."""
    if "T" in named:
        return _moment(named) == got
    day = _moment(named)
    return day <= got.astimezone(ZONE) <= day + timedelta(days=1)


def _moment(words: str) -> datetime:
    return datetime.fromisoformat(words).replace(tzinfo=ZONE)


def _repeat(wanted: Wanted, action: Action) -> bool:
    told = wanted.get("changes", wanted).get("rrule")
    made = getattr(getattr(action, "changes", action), "rrule", None)
    return rules.same(told, made) if told and made else not told and (not made or "lunar_rule" in wanted)


def _shown(actions: Sequence[Action]) -> str:
    return " | ".join(str(action.model_dump(mode="json", exclude_defaults=True)) for action in actions) or "nothing"

"""Whole messages: are all their actions there, in order, each with its title or task, its time, its rule, its rings?

What an action does is worked out on the row's own tasks by the code that would do it: which task is meant, where a
change puts it. A message that must be asked about is right when it is asked about.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from typing import Any
from zoneinfo import ZoneInfo

from agent.analysis import Action, Create, Query, Said, Snooze
from agent.rules import Understood, analyse
from planner.management.evaluation import rules
from planner.management.evaluation.plan import Plan, asks, moved, rings
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
    understood = analyse([Said(text=row["text"], sent_at=sent)], zone=ZONE)
    judged = _Judged(row, understood, Plan(row, sent, ZONE))
    readings = [row["actions"], *row.get("alt_actions", [])]
    marks = max((judged.marks(wanted) for wanted in readings), key=lambda told: (told["all"], sum(told.values())))
    return Verdict(row["id"], source, row["tags"][0], row["text"], str(row["actions"]), _shown(understood), marks)


class _Judged:
    def __init__(self, row: Mapping[str, Any], understood: Understood, plan: Plan) -> None:
        self.row, self.plan = row, plan
        self.actions, self.chat = understood.analysis.actions, understood.analysis.chat

    def marks(self, wanted: Sequence[Wanted]) -> dict[str, bool]:
        if self.row.get("clarify", {}).get("needed"):
            asked = any(asks(action, self.plan) for action in self.actions)
            return {"all": asked, "op": asked, "title": True, "time": True, "repeat": True, "remind": True}
        if wanted and wanted[0].get("kind") == "date_math":
            told = str(wanted[0]["answer"]) in self.chat
            return {"all": told, "op": told, "title": True, "time": True, "repeat": True, "remind": True}
        pairs = list(zip(wanted, self.actions, strict=False))
        marks = {
            "op": len(wanted) == len(self.actions) and all(_op(one, action) for one, action in pairs),
            "title": all(self._thing(one, action) for one, action in pairs),
            "time": all(self._time(one, action) for one, action in pairs),
            "repeat": all(_repeat(one, action) for one, action in pairs),
        }
        reminded = all(self._remind(one, action) for one, action in pairs)
        return {"all": all(marks.values()), **marks, "remind": reminded}

    def _thing(self, wanted: Wanted, action: Action) -> bool:
        """The title of what is new, or the very tasks that are meant."""
        if isinstance(action, Create) and wanted["type"] == "create":
            return wanted["title"] is None or alike(action.title, wanted["title"])
        ids = _ids(wanted.get("target", {}))
        target = getattr(action, "target", None)
        return not ids or (target is not None and self.plan.meant(target) == ids)

    def _time(self, wanted: Wanted, action: Action) -> bool:
        if isinstance(action, Query):
            return _query(wanted, action)
        told = wanted.get("changes", wanted)
        start = moved(action, self.plan) if wanted["type"] == "update" else getattr(action, "start", None)
        if window := told.get("start_window") or told.get("due_window"):
            return start is not None and _moment(window[0]) <= start <= _moment(window[1])
        if named := told.get("start") or told.get("due"):
            return start is not None and _same(named, start)
        return wanted["type"] != "create" or "remind" not in wanted or self._remind(wanted, action)

    def _remind(self, wanted: Wanted, action: Action) -> bool:
        """Each ring that is wanted is there. One that is wanted at the task's own time is there by default."""
        told = wanted.get("changes", wanted).get("remind")
        if not told or isinstance(action, Snooze):
            return True
        rung = rings(action, self.plan)
        return all(any(_rings(one, moment, lead) for moment, lead in rung) for one in told)


def _rings(wanted: Wanted, moment: datetime, lead: timedelta | None) -> bool:
    if "before" in wanted:
        return lead == _length(wanted["before"])
    window = wanted.get("window")
    return _moment(window[0]) <= moment <= _moment(window[1]) if window else _same(wanted["at"], moment)


def _length(iso: str) -> timedelta:
    """`PT10M`, `P1D`, `P7D`, `PT3H`."""
    days, hours, minutes = (
        int(found[1]) if (found := re.search(pattern, iso)) else 0 for pattern in (r"(\d+)D", r"(\d+)H", r"T.*?(\d+)M")
    )
    return timedelta(days=days, hours=hours, minutes=minutes)


def _op(wanted: Wanted, action: Action) -> bool:
    return action.op == wanted["type"] or (action.op == "snooze" and wanted["type"] == "update")


def bare(title: str) -> str:
    return re.sub(r"[\W_]+", "", plain(title)).lower()


def alike(title: str, wanted: str) -> bool:
    first, second = bare(title), bare(wanted)
    same = bool(first and second) and (first in second or sorted(first) == sorted(second))
    return same or SequenceMatcher(None, first, second).ratio() >= ALIKE


def _ids(target: Wanted) -> list[str]:
    return target.get("task_ids") or ([target["task_id"]] if "task_id" in target else [])


def _query(wanted: Wanted, action: Query) -> bool:
    """The same time to look at, from now on or from its beginning; the same kind of tasks."""
    if (wanted.get("kind") == "free_busy") != action.free or wanted.get("status", action.status) != action.status:
        return False
    if "range" not in wanted:
        return action.start is None and action.end is None
    first, last = (_moment(text) for text in wanted["range"])
    return action.start is not None and action.start <= first and action.end == last


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


def _shown(understood: Understood) -> str:
    actions = (str(action.model_dump(mode="json", exclude_defaults=True)) for action in understood.analysis.actions)
    return " | ".join(actions) or understood.analysis.chat or "nothing"

"""Messages with one intent: does the message become the right kind of action, with its title and its length?"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from agent.analysis import Action, Said
from agent.rules import analyse
from planner.management.evaluation.utterances import alike, bare
from planner.management.evaluation.verdicts import Verdict

ZONE = ZoneInfo("Asia/Shanghai")
FILES = ("intents_*.jsonl",)
SENT_AT = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
# A timer is set, changed and stopped by the same words as a reminder.
_KINDS = {"device_timer": ("create",), "update": ("update", "snooze"), "none": ()}
_TITLES = ("title", "event")


def judge(source: str, rows: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    return [_verdict(source, row) for row in rows]


def _verdict(source: str, row: Mapping[str, Any]) -> Verdict:
    actions = analyse([Said(text=row["text"], sent_at=SENT_AT)], zone=ZONE).analysis.actions
    intent = row["planner_intent"]
    wanted = _KINDS.get(intent, (intent,))
    told = [_meant(action) for action in actions]
    marks = {"intent": all(op in wanted for op in told) and bool(told) == bool(wanted)}
    if row["planner_domain"]:
        marks["intent, ours"] = marks["intent"]
    marks |= _title(row, actions)
    titles = "/".join(getattr(action, "title", "") for action in actions)
    return Verdict(row["id"], source, intent, row["text"], _wanted(row), f"{' '.join(told)} {titles}".strip(), marks)


def _meant(action: Action) -> str:
    return str(action.pending.get("op", "clarify")) if action.op == "clarify" else action.op


def _title(row: Mapping[str, Any], actions: Sequence[Action]) -> dict[str, bool]:
    """The title that the source marks, or any of the words it would accept."""
    titles = [bare(action.title) for action in actions if action.op == "create"]
    slots = {slot["type"]: slot["value"] for slot in row["slots"] or []}
    for name in _TITLES:
        if name in slots and row["planner_intent"] == "create":
            return {"title": any(alike(title, slots[name]) for title in titles)}
    words = slots.get("title_contains_any")
    return {"title": any(word in title for title in titles for word in words)} if words else {}


def _wanted(row: Mapping[str, Any]) -> str:
    slots = " ".join(f"{slot['type']}={slot['value']}" for slot in row["slots"] or [])
    return f"{row['planner_intent']} {slots}".strip()

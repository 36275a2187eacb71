"""From what the model wrote to an Analysis, or to the reason why it is none.

A reason goes back to the model and into the log of corrections, so it names paths and rules, never a value.
"""

import json
import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import json_repair
from pydantic import TypeAdapter, ValidationError

from agent.analysis import Action, Analysis, Clarify
from agent.prompts import ASKED_FOR, OURS

LONGEST = 60_000
REPAIRABLE = 20_000
TIMES = ("start", "end", "at")
ASKABLE = ("create", "update", "complete", "reopen", "delete", "snooze")

_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)
_FENCE = re.compile(r"^\s*```\w*\s*(.*?)\s*```\s*$", re.DOTALL)
_CONTROL = {code: None for code in range(32) if chr(code) not in "\n\t"}
_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


class Invalid(Exception):
    """The whole output is refused; no part of it is carried out."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason[:500]


def read(text: str, zone: ZoneInfo) -> Analysis:
    """Unknown fields are dropped, wrong ones refused. Instants without an offset are the follower's local time."""
    values = _cleaned(_parsed(text), zone)
    if not isinstance(values, dict) or not {"actions", "chat"} & values.keys():
        raise Invalid("the answer must be one object with `actions`")
    try:
        analysis = Analysis.model_validate(values)
    except ValidationError as error:
        raise Invalid(_paths(error)) from None
    for n, action in enumerate(analysis.actions):
        if isinstance(action, Clarify):
            pending(action, f"actions.{n}")
    return analysis


def pending(question: Clarify, path: str) -> Action:
    """The action behind a question, with what is missing filled in."""
    if question.missing not in ASKED_FOR:
        raise Invalid(f"{path}.missing: must be one of {', '.join(ASKED_FOR)}; for all else give the action itself")
    if question.pending.get("op") not in ASKABLE:
        raise Invalid(f"{path}.pending.op: must be one of {', '.join(ASKABLE)}")
    try:
        filled = {"title": "…"} if question.missing == "title" else {}
        return _ACTION.validate_python({"changes": {}, **question.pending, **filled})
    except ValidationError as error:
        raise Invalid(f"{path}.pending.{_paths(error)}") from None


def _parsed(text: str) -> Any:
    text = _THOUGHT.sub("", text).strip()
    if fenced := _FENCE.match(text):
        text = fenced[1]
    if not text:
        raise Invalid("the answer is empty")
    if len(text) > LONGEST:
        raise Invalid("the answer is too long")
    try:
        return json.loads(text)
    except ValueError:
        return _repaired(text)
    except RecursionError:
        raise Invalid("the answer is nested too deeply") from None


def _repaired(text: str) -> Any:
    """Commas, quotes and comments, once. What was cut off is not mended: its end would be a guess, and half a plan."""
    bare = _STRING.sub("", text)
    whole = all(bare.count(opened) == bare.count(closed) for opened, closed in ("{}", "[]"))
    if "{" not in bare or not whole or len(text) > REPAIRABLE:
        raise Invalid("the answer is not JSON, or was cut off")
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        raise Invalid("the answer is not JSON") from None


def _cleaned(value: Any, zone: ZoneInfo, name: str = "") -> Any:
    """Without nulls, fields that are ours to set, and characters that no database takes."""
    if isinstance(value, dict):
        kept = {key: field for key, field in value.items() if field is not None and key not in OURS}
        return {key: _cleaned(field, zone, key) for key, field in kept.items() if not (key in TIMES and field == "")}
    if isinstance(value, list):
        return [_cleaned(item, zone) for item in value]
    if not isinstance(value, str):
        return value
    text = value.translate(_CONTROL).encode("utf-8", "ignore").decode().strip()
    return _local(text, zone) if name in TIMES else text


def _local(text: str, zone: ZoneInfo) -> str | datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _paths(error: ValidationError) -> str:
    return "; ".join(_path(detail) for detail in error.errors(include_input=False, include_url=False)[:3])


def _path(detail: Any) -> str:
    path = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "union_tag_invalid":
        return f"{path}.op: must be one of {detail['ctx']['expected_tags']}"
    return f"{path}: {detail['msg']}"

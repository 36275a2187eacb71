"""A pending action plus the follower's stored answer: the parameters that are carried out, and hashed."""

from typing import Any

from pydantic import BaseModel

from agent import tools

ANSWERED = ("when", "start", "end", "all_day", "remind", "repeat", "rrule", "title")


def merged(action: dict[str, Any], answer: dict[str, Any] | None) -> BaseModel:
    """The operation's parameters. Only a stored answer can choose a task or confirm a deletion."""
    base = dict(action["pending"] if action["op"] == "clarify" else action)
    if answer is None and action["op"] == "clarify":
        base = _unnamed(base)
    if answer is not None:
        base = _with(base, dict(answer["value"]))
    params = tools.BY_OP[base["op"]].params
    return params.model_validate(base)


def each(action: dict[str, Any], answer: dict[str, Any] | None) -> list[BaseModel]:
    """One set of parameters, or one for every task that the follower picked."""
    value = answer["value"] if answer is not None else {}
    if answer is None or "picked" not in value:
        return [merged(action, answer)]
    return [merged(action, {**answer, "value": {"task": _as_shown(task, action)}}) for task in value["picked"]]


def _as_shown(task: Any, action: dict[str, Any]) -> Any:
    """Of a series the turn or the whole, as its option read: nobody is asked once more for each. What is done is
    always one turn."""
    if action.get("op") == "complete":
        return task
    if isinstance(task, dict):
        return {"series": False, **task} if task.get("turn") else task
    return {"chosen": task, "series": True}


def _unnamed(base: dict[str, Any]) -> dict[str, Any]:
    """A question about which task, without options: all that fit become the options."""
    target = base.get("target") or {}
    said = target.get("text") or target.get("position") or target.get("start")
    return {**base, "target": {**target, "unnamed": not said}}


def _with(base: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    if "task" in value:
        picked = value["task"] if isinstance(value["task"], dict) else {"chosen": value["task"]}
        whole = {"series": True} if value.get("series") else {}
        return {**base, "target": {**base.get("target", {}), **picked, **whole}}
    if value.get("yes"):
        return {**base, "confirmed": value["tasks"]}
    if base["op"] == "snooze":
        return {**base, "when": value.get("when"), "at": value.get("start")}
    if base["op"] == "update":
        return {**base, "changes": {**base.get("changes", {}), **value}}
    return {**base, **{name: value[name] for name in ANSWERED if name in value}}

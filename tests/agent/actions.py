"""Analyses as an analyser would store them, for tests of what is done with them."""

from datetime import datetime
from typing import Any


def analysis(*actions: dict[str, Any], chat: str = "") -> dict[str, Any]:
    return {"version": 1, "actions": list(actions), "chat": chat}


def create(title: str, start: datetime | None = None, **more: Any) -> dict[str, Any]:
    return {"op": "create", "title": title, "start": start.isoformat() if start else None, **more}


def complete(text: str) -> dict[str, Any]:
    return {"op": "complete", "target": {"text": text}}


def delete(text: str = "", **target: Any) -> dict[str, Any]:
    return {"op": "delete", "target": {"text": text, **target}}


def move(text: str, start: datetime) -> dict[str, Any]:
    return {"op": "update", "target": {"text": text}, "changes": {"start": start.isoformat()}}


def query(**more: Any) -> dict[str, Any]:
    return {"op": "query", "range": "", **more}


UNDO = {"op": "undo"}

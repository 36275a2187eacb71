"""`analysis_json`, version 1: what an analyser hands over, as stored on the batch before anything is executed."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from planner.actions import (
    Changes,
    Complete,
    Create,
    Delete,
    Part,
    Preferences,
    Query,
    Reopen,
    Set,
    Snooze,
    Target,
    Undo,
    Update,
)

__all__ = [
    "VERSION",
    "Action",
    "Analysis",
    "Changes",
    "Clarify",
    "Complete",
    "Create",
    "Delete",
    "Part",
    "Preferences",
    "Query",
    "Reopen",
    "Said",
    "Set",
    "Snooze",
    "Target",
    "Undo",
    "Update",
]

VERSION = 1


class Clarify(Part):
    """A question before the pending action. `missing`: target · when · remind · title · confirm."""

    op: Literal["clarify"] = "clarify"
    pending: dict[str, Any]
    missing: Literal["target", "when", "remind", "title", "confirm"]
    question: Annotated[str, Field(min_length=1, max_length=500)]
    options: list[str] = []


Action = Annotated[
    Create | Update | Complete | Reopen | Delete | Query | Snooze | Undo | Set | Clarify,
    Field(discriminator="op"),
]


class Analysis(Part):
    version: Literal[1] = 1
    actions: Annotated[list[Action], Field(max_length=30)] = []
    chat: Annotated[str, Field(max_length=1000)] = ""
    unread: list[str] = []  # clauses that may be orders and that nobody could read; the reply says so


class Said(Part):
    """One message of a batch as an analyser reads it. `sent_at` is when the follower sent it, aware."""

    text: str
    sent_at: datetime

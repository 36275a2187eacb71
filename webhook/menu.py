"""The account's menu: three buttons, each tapped for what it says."""

from typing import Any

TODAY, WEEK, HELP = "today", "week", "help"
BUTTONS = {TODAY: "今天", WEEK: "本周", HELP: "帮助"}
SAYS = {TODAY: "今天有什么安排", WEEK: "这周有什么安排"}  # as if the follower had written it


def body() -> dict[str, Any]:
    """As `menu/create` takes it."""
    return {"button": [{"type": "click", "name": name, "key": key} for key, name in BUTTONS.items()]}

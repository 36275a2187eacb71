"""What the tests of the model share: what it says, and one claim of a batch that hears it."""

from datetime import datetime, timedelta

from agent.worker import run_next
from planner.models import Task
from tests.builders import submitted
from webhook.models import Batch, OutboundMessage

KEY = "sk-canary-5f3a9c71e2"
UNSURE = "蓝色那摊子您看着归置归置"  # words that the rules are not certain of


def plan(*actions: dict, chat: str = "") -> dict:
    return {"actions": list(actions), "chat": chat}


def create(title: str, **more) -> dict:
    return {"op": "create", "title": title, **more}


def on(op: str, **target) -> dict:
    return {"op": op, "target": target}


def run(who, *words: str) -> Batch:
    """One claim of a new batch with these messages."""
    batch = submitted(who, *words)
    assert run_next()
    batch.refresh_from_db()
    return batch


def reply(batch: Batch) -> str:
    return "\n".join(OutboundMessage.objects.filter(batch=batch).order_by("id").values_list("text", flat=True))


def day_after_tomorrow(hour: int, who) -> datetime:
    local = datetime.now(who.zone).replace(hour=hour, minute=0, second=0, microsecond=0)
    return local + timedelta(days=2)


def titles() -> list[str]:
    return list(Task.objects.filter(status=Task.OPEN).order_by("id").values_list("title", flat=True))

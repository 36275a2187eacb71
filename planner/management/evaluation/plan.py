"""The plan of an example row, and what an action would do to it — by the product's own code, without a database."""

import copy
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from agent.analysis import Action, Clarify, Create, Target, Update
from planner import meant
from planner.models import Follower, Task
from planner.operations import moving
from planner.operations.words import Scope
from planner.reminding import leads_of, moments


class Plan:
    """`history` names the task that was spoken of last."""

    def __init__(self, row: Mapping[str, Any], sent: datetime, zone: ZoneInfo) -> None:
        self.zone, self.sent = zone, sent
        self.follower = Follower(timezone=zone.key)
        self.tasks = {told["id"]: self._task(told) for told in row.get("context", {}).get("tasks", [])}
        self.last = [told["did"].split()[-1] for told in row.get("history", [])]

    def _task(self, told: Mapping[str, Any]) -> Task:
        words = told.get("start") or told.get("due")
        start = datetime.fromisoformat(words).replace(tzinfo=self.zone) if words else None
        end = datetime.fromisoformat(told["end"]).replace(tzinfo=self.zone) if "end" in told else None
        if start and "rrule" in told:
            start = self._turn(told["rrule"], start)
        all_day = words is not None and "T" not in words
        rung = next((ring["at"] for ring in told.get("remind", []) if "at" in ring), None)
        if start is None and rung:
            start = datetime.fromisoformat(rung).replace(tzinfo=self.zone)
        return Task(title=told["title"], start=start, end=end, all_day=all_day, leads=[0])

    def _turn(self, rule: str, start: datetime) -> datetime:
        """A series stands in the plan with its next turn, today's included."""
        today = self.sent.replace(hour=0, minute=0, tzinfo=None)
        turn = rrulestr(rule, dtstart=start.replace(tzinfo=None)).after(today, inc=True)
        return turn.replace(tzinfo=self.zone) if turn else start

    def meant(self, target: Target) -> list[str]:
        if meant.points(target) and not target.every and self.last:
            return self.last[-1:]
        found = meant.choose(list(self.tasks.values()), target, self.zone)
        return [name for name, task in self.tasks.items() if task in found]

    def scope(self) -> Scope:
        return Scope(follower=self.follower, sent_at=self.sent, trace_id=uuid.UUID(int=0))


def asks(action: Action, plan: Plan) -> bool:
    """A question of its own, or about which of several tasks is meant."""
    if isinstance(action, Clarify):
        return True
    target = getattr(action, "target", None)
    return target is not None and not target.every and len(plan.meant(target)) > 1


def after(action: Action, plan: Plan) -> Task | None:
    """The one task that an update is about, as it would be after it."""
    found = plan.meant(action.target) if isinstance(action, Update) else []
    if len(found) != 1 or not isinstance(action, Update):
        return None
    task = copy.copy(plan.tasks[found[0]])  # each reading of a row is judged on the plan as it was
    values = moving.leads_changed(task, action, plan.scope()) | moving.moved(task, action, plan.scope())
    for name, value in values.items():
        setattr(task, name, value)
    return task


def moved(action: Action, plan: Plan) -> datetime | None:
    task = after(action, plan)
    return task.start if task else None


def rings(action: Action, plan: Plan) -> list[tuple[datetime, timedelta | None]]:
    """Each moment that would ring, with its lead before the task's own time where it is one."""
    if isinstance(action, Create):
        leads = [] if action.remind_at and not action.remind else leads_of(action.remind, plan.follower)
        task = Task(start=action.start, all_day=action.all_day, leads=leads)
        at = list(action.remind_at)
    else:
        changed_task = after(action, plan)
        if changed_task is None:
            return []
        task, at = changed_task, []
    own = [(moment, timedelta(minutes=lead)) for lead in task.leads for moment in _moments(task, lead, plan)]
    return [*own, *((moment, None) for moment in at)]


def _moments(task: Task, lead: int, plan: Plan) -> list[datetime]:
    return moments(task, task.start, plan.follower, leads=[lead]) if task.start else []

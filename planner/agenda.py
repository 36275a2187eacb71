"""Questions about a follower's plan: what is on, and which task is meant. Reads only; always within one follower."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet

from planner.actions import Query, Target
from planner.clock import AppNow
from planner.models import Follower, OperationResult, Reminder, Task

PAGE = 20
CANDIDATES = 500
POINTING = ("", "那个", "这个", "它", "刚才的", "刚才那个", "这件事", "那件事", "这条", "那条", "这项", "那项")
FILLERS = "的了吧呢啊把给去要 ，。！？、“”\"'"


@dataclass(frozen=True)
class Page:
    tasks: list[Task]
    total: int
    number: int

    @property
    def more(self) -> bool:
        return self.total > self.number * PAGE


def listing(follower: Follower, query: Query) -> Page:
    """One page of PAGE tasks, by time, those without one last; `total` says how many there are in all."""
    found = _queried(follower, query).order_by("start", "id")
    first = (query.page - 1) * PAGE
    tasks = list(found[first : first + PAGE])
    complete = query.page == 1 and len(tasks) < PAGE
    return Page(tasks, len(tasks) if complete else found.count(), query.page)


def _queried(follower: Follower, query: Query) -> QuerySet[Task]:
    status = Task.DONE if query.status == "done" else Task.OPEN
    found = Task.objects.filter(follower=follower, status=status)
    if query.status == "overdue":
        found = found.filter(start__lt=AppNow())
    if query.end is not None:
        found = found.filter(start__lt=query.end)
    if query.start is not None:
        found = found.filter(Q(end__gt=query.start) | Q(start__gte=query.start))
    return found.filter(title__icontains=query.text) if query.text else found


def match(follower: Follower, target: Target, *, status: str = Task.OPEN) -> list[Task]:
    """The tasks that the words may mean: one is certain, several are a question, none is said.

    Words, day and what was just listed or rung decide; an id never does, whoever names it.
    """
    if target.chosen is not None:
        return list(Task.objects.filter(follower=follower, status=status, pk=target.chosen))
    if target.position is not None:
        return _listed(follower, target.position, status)
    tasks = list(Task.objects.filter(follower=follower, status=status).order_by("-id")[:CANDIDATES])
    if target.start is not None:
        tasks = [task for task in tasks if _within(task, target.start, target.end)]
    if target.every:
        return tasks
    words = plain(target.text)
    if words in POINTING:
        return tasks if target.start is not None else _pointed_at(follower, tasks)
    return _best(words, tasks)


def _within(task: Task, start: datetime, end: datetime | None) -> bool:
    return task.start is not None and start <= task.start < (end or start + timedelta(minutes=1))


def _listed(follower: Follower, position: int, status: str) -> list[Task]:
    """「第二个」 of the last list that the follower was shown."""
    last = OperationResult.objects.filter(follower=follower, op="query").order_by("-id").first()
    shown: list[dict[str, Any]] = last.result.get("tasks", []) if last else []
    if not 1 <= position <= len(shown):
        return []
    return list(Task.objects.filter(follower=follower, status=status, pk=shown[position - 1]["id"]))


def _pointed_at(follower: Follower, tasks: Sequence[Task]) -> list[Task]:
    """「那个」: what rang last, if that was within two hours; else what was added last."""
    recent = Reminder.objects.filter(
        task__in=tasks, status=Reminder.SENT, due_at__gte=AppNow() - timedelta(hours=2)
    ).order_by("-due_at")
    rung = recent.values_list("task_id", flat=True).first()
    by_id = {task.pk: task for task in tasks}
    if rung in by_id:
        return [by_id[rung]]
    return list(tasks[:1])


def plain(text: str) -> str:
    """Words to compare: NFKC, lower case, without fillers and punctuation."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if char not in FILLERS)


def _best(words: str, tasks: Sequence[Task]) -> list[Task]:
    """Those of the best kind of fit: the same title, one inside the other, or most characters shared in order."""
    scored = [(task, fit(words, plain(task.title))) for task in tasks]
    best = max((score for _, score in scored), default=0.0)
    return [task for task, score in scored if score == best] if best > 0 else []


def fit(words: str, title: str) -> float:
    """3 the same · 2 the title holds the words · 1.5 the words hold the title · below 1 the share of common pairs."""
    if not words or not title:
        return 0.0
    if words == title:
        return 3.0
    if words in title:
        return 2.0
    if len(title) >= 2 and title in words:
        return 1.5
    pairs = _pairs(words)
    share = len(pairs & _pairs(title)) / len(pairs) if pairs else 0.0
    return share if share >= 0.5 else 0.0


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}

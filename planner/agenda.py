"""Questions about a follower's plan: what is on, and which task is meant. Reads only; always within one follower."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db.models import F, Q, QuerySet

from planner import meant, series
from planner.clock import AppNow, app_now
from planner.models import Follower, OperationResult, Reminder, Task
from planner.nearby import CANDIDATES, by_time

if TYPE_CHECKING:  # pydantic is not loaded by those who only ring
    from planner.actions import Query, Target

PAGE = 20
LATELY = timedelta(minutes=30)
RUNG = timedelta(hours=2)
OFTEN = 8
MANY = 6  # changes that are looked back at


@dataclass(frozen=True)
class Page:
    tasks: list[Task]
    total: int
    number: int

    @property
    def more(self) -> bool:
        return self.total > self.number * PAGE


@dataclass(frozen=True)
class Range:
    """What a list is of that no follower asked for: the fields of `actions.Query`."""

    start: datetime | None = None
    end: datetime | None = None
    text: str = ""
    status: str = "open"
    page: int = 1


def listing(follower: Follower, query: "Query | Range") -> Page:
    """One page of PAGE tasks, by time, those without one last; `total` says how many there are in all. Of what
    repeats each turn in the range is a line of its own."""
    found = _queried(follower, query).order_by(F("start").asc(nulls_last=True), "id")
    turns = [] if query.status == "done" else _turns(follower, query)
    first = (query.page - 1) * PAGE
    if turns:
        single = list(found[: first + PAGE])
        tasks = sorted([*single, *turns], key=by_time)[first : first + PAGE]
        total = len(turns) + (len(single) if len(single) < first + PAGE else found.count())
        return Page(tasks, total, query.page)
    tasks = list(found[first : first + PAGE])
    complete = query.page == 1 and len(tasks) < PAGE
    return Page(tasks, len(tasks) if complete else found.count(), query.page)


def undated(follower: Follower) -> int:
    return Task.objects.filter(follower=follower, status=Task.OPEN, start=None).count()


def _queried(follower: Follower, query: "Query | Range") -> QuerySet[Task]:
    """What was done in a time counts by when it was done."""
    status = Task.DONE if query.status == "done" else Task.OPEN
    found = Task.objects.filter(follower=follower, status=status)
    if query.status == "done":
        return _done_within(found, query)
    found = found.filter(rrule="")
    if query.status == "overdue":
        found = found.filter(start__lt=AppNow())
    if query.end is not None:
        found = found.filter(start__lt=query.end)
    if query.start is not None:
        found = found.filter(Q(end__gt=query.start) | Q(start__gte=query.start))
    return found.filter(_titled(query.text))


def _titled(text: str) -> Q:
    """«开会» also asks for what is called a «会»."""
    return Q(title__icontains=text) | Q(title__icontains=meant.core(text)) if text else Q()


def _done_within(found: QuerySet[Task], query: "Query | Range") -> QuerySet[Task]:
    if query.start is not None:
        found = found.filter(done_at__gte=query.start)
    if query.end is not None:
        found = found.filter(done_at__lt=query.end)
    return found.filter(_titled(query.text))


def _turns(follower: Follower, query: "Query | Range") -> list[Task]:
    rows = _series(follower, query.text)
    if not rows:
        return []
    now = app_now()
    if query.status == "overdue":
        begun = [(row, series.last_begun(row, follower.zone, now)) for row in rows]
        return [series.at(row, turn, follower.zone) for row, turn in begun if turn and _inside(turn, query)]
    if query.start is None or query.end is None:
        on = [(row, series.current(row, follower.zone, query.start or now)) for row in rows]
        return [row for row, turn in on if turn and _inside(turn, query)]
    return [turn for row in rows for turn in _within_range(row, follower, query.start, query.end)]


def _series(follower: Follower, text: str = "") -> list[Task]:
    rows = Task.objects.filter(follower=follower, status=Task.OPEN).exclude(rrule="").order_by("id")
    return list(rows.filter(_titled(text))[:CANDIDATES])


def _inside(turn: datetime, query: "Query | Range") -> bool:
    return (query.start is None or turn >= query.start) and (query.end is None or turn < query.end)


def _within_range(row: Task, follower: Follower, start: datetime, end: datetime) -> list[Task]:
    """Its turns; one that comes more often in the range than in a week of days stands there once, as its rule reads."""
    found = list(islice(series.between(row, follower.zone, start, end), OFTEN + 1))
    return [row] if len(found) > OFTEN else [series.at(row, turn, follower.zone) for turn in found]


def match(
    follower: Follower, target: "Target", *, status: str = Task.OPEN, begun_by: datetime | None = None
) -> list[Task]:
    """The tasks that the words may mean: one is certain, several are a question, none is said.

    Words, day and what was just listed, changed or rung decide; an id never does, whoever names it. `begun_by`: of
    several, one alone that has begun by then is meant — what is said to be done lies behind.
    """
    if target.chosen is not None:
        return _at_turn(Task.objects.filter(follower=follower, status=status, pk=target.chosen), follower, target.turn)
    if target.position is not None:
        return _listed(follower, target.position, status)
    tasks = list(Task.objects.filter(follower=follower, status=status).order_by("-id")[:CANDIDATES])
    if meant.points(target) and not target.every and not target.unnamed:
        return _pointed_at(follower, tasks)
    shown = [_on_day(task, follower, target.start, target.end) for task in tasks]
    found = meant.choose(shown, target, follower.zone)
    if target.series and len(found) > 1:
        found = [task for task in found if task.rrule] or found
    if begun_by is None or target.every or len(found) < 2:
        return found
    begun = [task for task in found if task.start is not None and task.start <= begun_by]
    return begun if len(begun) == 1 else found


def _on_day(task: Task, follower: Follower, start: datetime | None, end: datetime | None) -> Task:
    """Of a series its first turn in the time that was named, where it has one."""
    if not task.rrule or task.status != Task.OPEN or start is None:
        return task
    turn = next(series.between(task, follower.zone, start, end or start + timedelta(minutes=1)), None)
    return series.at(task, turn, follower.zone) if turn else task


def _at_turn(found: Iterable[Task], follower: Follower, turn: datetime | str | None) -> list[Task]:
    """At a turn that was shown before, if it is still open."""
    if turn is None:
        return list(found)
    at = (turn if isinstance(turn, datetime) else datetime.fromisoformat(turn)).astimezone(UTC)
    after = at + timedelta(microseconds=1)
    return [shown for task in found if (shown := _on_day(task, follower, at, after)).turn == at or not task.rrule]


def _listed(follower: Follower, position: int, status: str) -> list[Task]:
    """「第二个」, 「最后一个」 (-1) of the last list that the follower was shown."""
    last = OperationResult.objects.filter(follower=follower, op="query").order_by("-id").first()
    shown: list[dict[str, Any]] = last.result.get("tasks", []) if last else []
    if position == 0 or abs(position) > len(shown):
        return []
    told = shown[position - (position > 0)]
    return _at_turn(Task.objects.filter(follower=follower, status=status, pk=told["id"]), follower, told.get("turn"))


def _pointed_at(follower: Follower, tasks: Sequence[Task]) -> list[Task]:
    """「那个」: what was rung, listed alone or changed last. With nothing of it lately, all that are open."""
    if len(tasks) < 2 and not any(task.rrule for task in tasks):
        return list(tasks)
    changed, at = _touched(follower)
    rung = _rung(follower)
    by_id = {task.pk: task for task in tasks}
    if rung and rung.task_id in by_id and (at is None or (rung.rung_at and rung.rung_at > at)):
        return _at_turn([by_id[rung.task_id]], follower, _spoken_of(rung, follower)) or [by_id[rung.task_id]]
    return [task for task in tasks if task.pk in changed] or list(tasks)


def _rung(follower: Follower) -> Reminder | None:
    """What was handed over last, however late it came, and not answered since."""
    lately = Reminder.objects.filter(follower=follower, status=Reminder.SENT, rung_at__gte=AppNow() - RUNG)
    return lately.filter(reason="").select_related("task").order_by("-rung_at", "-due_at").first()


def _spoken_of(rung: Reminder, follower: Follower) -> datetime | None:
    """The turn that it was about: one that came late speaks for those that were missed, as of the last."""
    if rung.turn is None or rung.rung_at is None:
        return rung.turn
    return max(rung.turn, series.last_begun(rung.task, follower.zone, rung.rung_at) or rung.turn)


def _touched(follower: Follower) -> tuple[set[int], datetime | None]:
    """The tasks of the last batch that changed some, or that a list showed alone; and when."""
    lately = OperationResult.objects.filter(follower=follower, created_at__gte=AppNow() - LATELY).order_by("-id")[:12]
    found: set[int] = set()
    first: OperationResult | None = None
    for row in lately:
        ids = _tasks_of(row)
        if first is not None and (row.batch_id is None or row.batch_id != first.batch_id):
            break
        if ids and (row.op != "query" or len(ids) == 1):
            first = first or row
            found |= ids
    return found, first.created_at if first else None


@dataclass(frozen=True)
class Change:
    """`words` are those that the follower used for its time, `at` is when."""

    task: Task
    words: str
    at: datetime


def last_changed(follower: Follower) -> Change | None:
    """The one open task that the follower's last change was about; None where it was about several, or long ago."""
    lately = OperationResult.objects.filter(
        follower=follower,
        op__in=("create", "update"),
        status=OperationResult.SUCCEEDED,
        created_at__gte=AppNow() - LATELY,
    )
    rows = [(row, ids) for row in lately.order_by("-id")[:MANY] if (ids := _tasks_of(row))]
    last = [(row, ids) for row, ids in rows if row.batch_id == rows[0][0].batch_id]
    changed = {pk for _, ids in last for pk in ids}
    if len(changed) != 1:
        return None
    task = Task.objects.filter(follower=follower, status=Task.OPEN, pk__in=changed).first()
    if task is None:
        return None
    words = next((told for row, ids in rows if task.pk in ids and (told := _when_said(row))), "")
    return Change(task, words, last[-1][0].created_at)


def _when_said(row: OperationResult) -> str:
    params: dict[str, Any] = row.params
    return str((params.get("changes") or params).get("when") or "")


def _tasks_of(row: OperationResult) -> set[int]:
    result: dict[str, Any] = row.result
    told = [result["task"]] if "task" in result else result.get("tasks", [])
    return {int(task["id"]) for task in told if isinstance(task, dict)}

"""Which task an operation is about, and of a series whether one turn or the whole."""

from datetime import timedelta
from itertools import islice
from typing import Any

from planner import agenda, series, texts
from planner.actions import Delete, Target, Update
from planner.models import Task
from planner.operations.repeating import shown_at
from planner.operations.words import Refused, Scope, Unclear

OPTIONS = 9
_DAY = timedelta(days=1)


def one(
    scope: Scope, target: Target, *, status: str = Task.OPEN, among: list[Task] | None = None
) -> Task | Refused | Unclear:
    found = _matched(scope, target, status) if among is None else among
    if not found:
        name = target.text or target.when or ""
        said = texts.render("not_found", name=name, done=status == Task.DONE, position=target.position)
        return Refused(said, "no such task")
    if len(found) > 1:
        shown = sorted(found, key=lambda task: (task.start is None, task.start, task.pk))[:OPTIONS]
        return Unclear(
            "target", [_option(task, scope) for task in shown], {"tasks": _values(shown), "total": len(found)}
        )
    return found[0]


def several(scope: Scope, target: Target) -> list[Task] | Refused | Unclear:
    """All that fit where the target says so, else one."""
    found = agenda.match(scope.follower, target, begun_by=scope.sent_at)
    if target.every and found:
        return found
    only = one(scope, target, among=found)
    return [only] if isinstance(only, Task) else only


def deletable(scope: Scope, params: Delete) -> list[Task] | Refused | Unclear:
    target = params.target
    if not target.every:
        only = one(scope, target)
        if not isinstance(only, Task):
            return only
        if turns := _turns_within(only, target, scope):
            return turns
        only = _turn_or_whole(only, target, scope, "delete")
        return [only] if isinstance(only, Task) else only
    tasks = _matched(scope, target, Task.OPEN)
    if params.confirmed is not None:
        tasks = [task for task in tasks if task.pk in params.confirmed]
    if not tasks:
        return Refused(texts.render("nothing_to_delete"), "no task")
    if params.confirmed is None and len(tasks) > 1:
        return Unclear("confirm", [task.title for task in tasks], {"tasks": [task.pk for task in tasks]})
    return tasks


def _turns_within(found: Task, target: Target, scope: Scope) -> list[Task]:
    """«这周末不跑了»: both days' turns of what comes every day."""
    if found.row is None or target.series is not None or not (target.start and target.end):
        return []
    if target.end - target.start <= _DAY:
        return []
    zone = scope.follower.zone
    turns = series.between(found.row, zone, target.start, target.end)
    return [series.at(found.row, turn, zone) for turn in islice(turns, OPTIONS)]


def which_turns(found: Task, params: Update, scope: Scope) -> Task | Unclear:
    """The whole series for a name, a note, a lead or a rhythm; a turn that was named for its time. A new day is for
    the turn that is on; a new clock alone may be for either, and is asked about."""
    wanted, target = params.changes, params.target
    retimed = wanted.start is not None or wanted.shift_seconds is not None
    if not found.rrule:
        return found
    if wanted.rrule or (not retimed and target.series is not False):
        return _whole(found)
    if target.series is None and wanted.start is not None and not wanted.keep_day:
        return _turn(found, scope)
    return _turn_or_whole(found, target, scope, "update")


def _turn_or_whole(found: Task, target: Target, scope: Scope, verb: str) -> Task | Unclear:
    if not found.rrule:
        return found
    if target.series is True:
        return _whole(found)
    turn = _turn(found, scope)
    if target.series is False or found.turn is not None or turn.turn is None:
        return turn
    times = [texts.planned(turn, scope.follower.zone), texts.planned(found, scope.follower.zone)]
    options = [texts.render("only_this_turn", when=times[0]), texts.render("all_turns", when=times[1])]
    values: list[dict[str, Any]] = [
        {"chosen": found.pk, "series": False, "turn": turn.turn.isoformat()},
        {"chosen": found.pk, "series": True},
    ]
    return Unclear("target", options, {"tasks": values, "total": 2, "repeats": found.title, "verb": verb})


def _turn(found: Task, scope: Scope) -> Task:
    return shown_at(found, scope) or found


def _whole(found: Task) -> Task:
    return found.row or found


def _matched(scope: Scope, target: Target, status: str) -> list[Task]:
    return agenda.match(scope.follower, target, status=status)


def _values(shown: list[Task]) -> list[Any]:
    return [{"chosen": task.pk, "turn": task.turn.isoformat()} if task.turn is not None else task.pk for task in shown]


def _option(task: Task, scope: Scope) -> str:
    return " ".join(filter(None, (_time(task, scope), task.title)))


def _time(task: Task, scope: Scope) -> str:
    return texts.planned(task, scope.follower.zone)

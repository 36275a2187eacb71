"""Rules or model: who understands a batch, and who steps in when the model is down."""

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol

from agent import routing, rules
from agent.analysis import Analysis, Clarify, Query, Said
from agent.budget import USED_UP
from planner import agenda, texts
from planner.clock import AppNow
from planner.errors import Failure
from planner.models import OperationResult, Reminder, Task

if TYPE_CHECKING:
    from agent.run import Run

PAGING = ("下一页", "下页", "上一页", "上页", "前一页", "更多", "后面的", "翻页", "接着看", "继续", "还有吗")


class Analyser(Protocol):
    def analyse(self, run: "Run", said: Sequence[Said], asked: Set[str] | None) -> Analysis:
        """`asked`: the ops that the rules are certain of; None when they are not. Raises Failure."""


def understand(run: "Run", said: Sequence[Said]) -> tuple[dict[str, Any], str]:
    """The analysis to be stored, and who made it. With the model down the rules do what they are certain of."""
    by_rules = rules.analyse(
        said,
        zone=run.follower.zone,
        last_query=_last_query(run, said),
        just_rung=_just_rung(run, said),
        lately=_lately(run, said),
    )
    if run.model is None:
        return _stored(by_rules.analysis, run), "rules"
    try:
        return _stored(run.model.analyse(run, said, _asked(by_rules)), run), "model"
    except Failure as failure:
        if by_rules.certain and (by_rules.analysis.actions or by_rules.analysis.chat):
            return _stored(by_rules.analysis, run), "rules, model unavailable"
        if failure.code == USED_UP:
            return _stored(Analysis(chat=texts.render("budget")), run), "nobody, budget used up"
        raise


def _asked(by_rules: rules.Understood) -> Set[str] | None:
    """What the follower wants done, as far as that is certain."""
    if not by_rules.certain:
        return None
    actions = by_rules.analysis.actions
    return {str(action.pending.get("op")) if isinstance(action, Clarify) else action.op for action in actions}


def _stored(analysis: Analysis, run: "Run") -> dict[str, Any]:
    if not analysis.actions and not analysis.chat and not run.note and routing.closed_lately(run.follower.pk):
        run.note = texts.render("late_answer")
    values = analysis.model_dump(mode="json")
    for action in values["actions"]:
        _without_choices(action.get("pending") or action)
    return values


def _without_choices(action: dict[str, Any]) -> None:
    """Only a stored answer may choose a task or confirm a deletion; an analyser's word for it is dropped."""
    action.pop("confirmed", None)
    if isinstance(action.get("target"), dict):
        action["target"].pop("chosen", None)


def _just_rung(run: "Run", said: Sequence[Said]) -> str:
    """Its title. Looked up only for what could be an answer to a reminder: «10分钟后», «出门了»."""
    if len(said) != 1 or not rules.may_answer_a_ring(said[0], zone=run.follower.zone):
        return ""
    lately = AppNow() - agenda.RUNG
    sent = Reminder.objects.filter(task__follower=run.follower, status=Reminder.SENT, due_at__gte=lately)
    last = sent.filter(task__status=Task.OPEN).order_by("-rung_at", "-due_at").values_list("task__title", flat=True)
    return str(last.first() or "")


def _lately(run: "Run", said: Sequence[Said]) -> rules.Lately | None:
    """Looked up only for what could go on with it: «下午两点»."""
    if len(said) != 1 or not rules.may_go_on(said[0], zone=run.follower.zone):
        return None
    found = agenda.last_changed(run.follower)
    if found is None:
        return None
    task, zone = found.task, run.follower.zone
    start = task.start and task.start.astimezone(zone)
    return rules.Lately(
        title=task.title,
        start=start,
        all_day=task.all_day,
        rrule=task.rrule,
        repeat=task.repeat,
        notes=task.notes,
        leads=tuple(task.leads),
        said=found.words,
        said_at=found.at.astimezone(zone),
    )


def _last_query(run: "Run", said: Sequence[Said]) -> Query | None:
    if not any(word in message.text for message in said for word in PAGING):
        return None
    last = OperationResult.objects.filter(follower=run.follower, op="query").order_by("-id").first()
    return Query.model_validate(last.params) if last else None

"""An order that says more of the one before it: «体检改时间，改到周六», «会议改下午了，三点»."""

from agent.analysis import Action, Changes, Clarify, Complete, Delete, Target, Update
from agent.rules import changes
from agent.rules.clause import Clause
from planner.when import When, resolve


def joined(last: Action, action: Action) -> Action | None:
    """`last` with what `action` adds to it; None where that is an order of its own."""
    if isinstance(last, Delete) and isinstance(action, Delete | Complete):  # «票退了，周六不去了»
        alone = not action.target.text and not action.target.every and action.target.position is None
        return last if alone else None
    if not isinstance(action, Update) or action.target.model_copy(update={"series": None}) != Target():
        return None
    if isinstance(last, Complete) and action.changes == Changes(remind=[]):  # «电费交了，不用再提醒»
        return last
    if isinstance(last, Delete):
        return _instead(last, action)
    if isinstance(last, Clarify) and last.missing == "when" and last.pending["op"] == "update":
        last = Update.model_validate(last.pending)
    return _both(last, action.changes) if isinstance(last, Update) else None


def clocked(last: Action, part: Clause) -> Action | None:
    """The time that was still to come («和牙医重新约了，周一上午»); the clock of a day to which something was moved."""
    when = next(iter(part.moments), None)
    if when and isinstance(last, Clarify) and last.missing == "when" and last.pending["op"] == "update":
        told = Update.model_validate(last.pending)
        return _both(told, changes.moved_to(when, told.target, part.flat))
    if not isinstance(last, Update) or last.changes.start is None or last.changes.when is None:
        return None
    if when is None or not when.has_clock or when.has_day:
        return None
    both = resolve(last.changes.when + when.words, part.sent_at.astimezone(last.changes.start.tzinfo))
    if not isinstance(both, When) or not both.has_clock:
        return None
    return _both(last, changes.moved_to(both, last.target, part.flat))


def _instead(last: Delete, action: Update) -> Action | None:
    """«取消，改成后天», «瑜伽取消，改成游泳» delete nothing; after «课退了，以后不用提醒» nothing is left to ring."""
    if action.changes.start or action.changes.title:
        return Update(target=last.target, changes=action.changes)
    return last if action.changes.remind == [] else None


def _both(last: Update, more: Changes) -> Update:
    told = last.changes.model_dump(exclude_defaults=True) | more.model_dump(exclude_defaults=True)
    return Update(target=last.target, changes=Changes.model_validate(told))


def lead(clause: Clause) -> Update:
    """«提前一天», after «产检加个提醒»."""
    return Update(target=Target(), changes=Changes(remind=[told.words for told in clause.leads]))

"""An order that says more of the one before it: «体检改时间，改到周六», «会议改下午了，三点»."""

import re
from collections.abc import Sequence

from agent.analysis import Action, Changes, Clarify, Complete, Create, Delete, Target, Update
from agent.rules import changes, creates
from agent.rules.clause import Clause
from agent.rules.targets import named
from agent.rules.words import ON_TIME, POINTING
from planner.when import When, resolve

_ONLY_TARGET = re.compile(rf"^(?:把|关于)?(?P<target>.+?){POINTING}$|^(?:给|为)?(?P<target2>.+?)(?:再|要|得|也)*(?:加|设|添|设置)(?:上|一?个|一下)*(?:提醒|闹钟)$")


def only_named(part: Clause) -> Target | None:
    """«给妈妈打电话那条，…», «产检加个提醒，…»: which, for what comes next."""
    match = _ONLY_TARGET.match(part.flat)
    if not match or part.moments:
        return None
    start, end = match.span("target" if match["target"] else "target2")
    return named(part.cut(start, end)).target


def on_day(action: Action, header: Sequence[When]) -> Action:
    """«周六有雨，爬山改成逛博物馆»: that of Saturday."""
    day = header[0] if header else None
    if not isinstance(action, Update | Delete) or day is None or not day.all_day or not action.target.text or action.target.start:
        return action
    target = action.target.model_copy(update={"when": day.words, "start": day.start, "end": day.end})
    return action.model_copy(update={"target": target})


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
    if when and isinstance(last, Clarify) and last.missing == "when" and last.pending["op"] == "create" and not last.options:
        asked = Create.model_validate(last.pending)
        return asked.model_copy(update={**creates.timed(when), "remind": asked.remind or [ON_TIME]})
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

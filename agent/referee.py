"""The resolver's word over the model's: every time of an action is what planner.when makes of the follower's words."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from agent import shifts
from agent.analysis import (
    Action,
    Analysis,
    Changes,
    Clarify,
    Complete,
    Create,
    Delete,
    Query,
    Reopen,
    Said,
    Snooze,
    Target,
    Update,
)
from agent.output import pending
from agent.rules.changes import moved_to
from agent.rules.creates import timed
from agent.rules.targets import series_said
from agent.rulings import NOTHING, Ruling, Rulings, noted
from agent.spoken import literal
from planner.when import Refused, lead, leads
from planner.when.text import plain


class Referee:
    def __init__(self, said: Sequence[Said], zone: ZoneInfo) -> None:
        self.said, self.rulings = said, Rulings(said, zone)

    def judge(self, analysis: Analysis) -> Analysis:
        actions = [self._action(action) for action in analysis.actions]
        return Analysis(actions=actions, chat="" if actions else analysis.chat)

    def _action(self, action: Action) -> Action:
        match action:
            case Create():
                return self._create(action)
            case Update():
                return self._update(action)
            case Complete() | Reopen() | Delete():
                return action.model_copy(update={"target": self._target(action.target)})
            case Query():
                return self._query(action)
            case Snooze():
                return self._snooze(action)
            case Clarify():
                return self._clarify(action)
        return action

    def _create(self, action: Create) -> Action:
        ruled = self.rulings.of(action.when, action.start)
        if isinstance(ruled.when, Refused):
            return _asked(action, f"{ruled.when.reason}，改成什么时候？")
        if ruled.moment and _is_over(ruled):
            return _asked(action, f"“{ruled.moment.words}”已经过了，“{action.title}”改在什么时候？")
        times = _times(ruled) | self._length(action, ruled)
        if ruled.moment is None or ruled.moment.kind != "recurrence":
            times = self._repeated(action.repeat, times)
        reminders = self._reminders(action.remind)
        return Create(title=action.title, notes=action.notes, **{"when": ruled.words, **times, **reminders})

    def _length(self, action: Create, ruled: Ruling) -> dict[str, Any]:
        """«开两个小时»: an end that the resolver does not give counts if the follower has said how long."""
        start = ruled.moment.at if ruled.moment and ruled.moment.has_clock else None
        if start is None or not action.start or not action.end or (ruled.moment and ruled.moment.end):
            return {}
        seconds = (action.end - action.start).total_seconds()
        said = any(seconds in shifts.lengths(message.text) for message in self.said)
        return {"end": start + timedelta(seconds=seconds)} if said and seconds > 0 else {}

    def _repeated(self, words: str | None, times: dict[str, Any]) -> dict[str, Any]:
        ruled = self.rulings.of(words, None)
        if ruled.moment is None or ruled.moment.kind != "recurrence":
            return times
        return {**_times(ruled), **times, "repeat": ruled.words, "rrule": ruled.moment.rrule}

    def _update(self, action: Update) -> Action:
        wanted, target = action.changes, self._target(action.target)
        values: dict[str, Any] = wanted.model_dump(include={"title", "notes"}, exclude_unset=True)
        values |= self._new_reminders(wanted.remind)
        ruled = NOTHING
        if (seconds := shifts.shift(wanted.when, wanted.shift_seconds, self.said)) is not None:
            values["shift_seconds"] = seconds
        else:
            ruled = self.rulings.of(wanted.when, wanted.start)
            if isinstance(ruled.when, Refused):
                return _asked(action, f"{ruled.when.reason}，改成什么时候？")
            values |= _moved(ruled, target)
        changed = Update(target=target, changes=Changes.model_validate(values))
        if ruled.words and not values:
            return _asked(changed, "这个时间我没看懂，改到什么时候？")
        return changed

    def _target(self, target: Target) -> Target:
        ruled = self.rulings.of(target.when, target.start)
        when = ruled.moment if ruled.moment and ruled.moment.kind != "recurrence" else None
        times: dict[str, Any] = {"when": ruled.words, "start": when.start, "end": when.end} if when else {}
        if when and when.has_clock and not when.has_day:
            times["any_day"] = True
        times["series"] = self._series()
        return Target(text=target.text, position=target.position, every=target.every, **times)

    def _series(self) -> bool | None:
        """Never the model's word: what the follower said decides whether a whole series goes."""
        return next((told for message in self.said if (told := series_said(plain(message.text))) is not None), None)

    def _query(self, action: Query) -> Query:
        ruled = self.rulings.of(action.range, action.start)
        start, end = None, None
        if ruled.by_model:
            start, end = ruled.by_model, action.end if action.end and action.end > ruled.by_model else None
        elif ruled.moment:
            start = None if ruled.moment.kind == "deadline" else ruled.moment.start
            end = ruled.moment.end
        return action.model_copy(update={"range": ruled.words or "", "start": start, "end": end})

    def _snooze(self, action: Snooze) -> Action:
        ruled = self.rulings.of(action.when, action.at)
        return Snooze(target=self._target(action.target), when=ruled.words, at=ruled.at())

    def _clarify(self, action: Clarify) -> Action:
        """What the resolver can read need not be asked."""
        judged = self._action(pending(action, "pending"))
        if isinstance(judged, Clarify) or (action.missing == "when" and _has_time(judged)):
            return judged
        inner = judged.model_dump(mode="json", exclude_unset=True) | {"op": judged.op}
        if action.missing == "title":
            del inner["title"]
        return Clarify(pending=inner, missing=action.missing, question=action.question, options=action.options)

    def _new_reminders(self, words: Sequence[str] | None) -> dict[str, Any]:
        """An empty list is «不用提醒»; one of which nothing is left says nothing."""
        if not words:
            return {} if words is None else {"remind": []}
        kept = self._reminders(words)
        return {"remind": [], **kept} if kept else {}

    def _reminders(self, words: Sequence[str]) -> dict[str, Any]:
        """Leads stay words; moments become absolute. {} when none of them is the follower's."""
        kept, moments = [], []
        for told in words:
            before = lead(told)
            if before is not None:
                said = literal(told, self.said) or any(
                    before == found.before for message in self.said for found in leads(message.text)
                )
                kept += [told] if said else []
                continue
            ruled = self.rulings.of(told, None)
            if ruled.message and (at := ruled.at()) and at > ruled.message.sent_at:
                kept.append(told)
                moments.append(at)
        if len(kept) < len(words):
            noted("remind", "dropped")
        return ({"remind": kept} if kept else {}) | ({"remind_at": moments} if moments else {})


def _times(ruled: Ruling) -> dict[str, Any]:
    """What a time gives a task is the same whoever has understood it."""
    if ruled.moment:
        return timed(ruled.moment) | {"when": ruled.words}
    return {"start": ruled.by_model, "resolved_by": "model"} if ruled.by_model else {}


def _is_over(ruled: Ruling) -> bool:
    """A time of today that has passed; what repeats has a next turn."""
    when = ruled.moment
    if when is None or when.kind == "recurrence" or ruled.message is None:
        return False
    last = when.end or when.at
    return last is not None and last <= ruled.message.sent_at


def _moved(ruled: Ruling, target: Target) -> dict[str, Any]:
    if ruled.by_model:
        return {"when": ruled.words, "start": ruled.by_model, "resolved_by": "model"}
    if ruled.moment is None or ruled.message is None:
        return {}
    return moved_to(ruled.moment, target, plain(ruled.message.text)).model_dump(exclude_unset=True)


def _asked(action: Create | Update, question: str) -> Clarify:
    """A time that does not exist, is over, or that nobody can read is the follower's to correct."""
    return Clarify(pending=_timeless(action), missing="when", question=question)


def _timeless(action: Create | Update) -> dict[str, Any]:
    names = {"when", "start", "end", "all_day", "repeat"}
    return action.model_dump(mode="json", exclude_unset=True, exclude={*names, "changes"}) | {
        "op": action.op,
        **({"changes": action.changes.model_dump(mode="json", exclude_unset=True, exclude=names)}
           if isinstance(action, Update) else {}),
    }  # fmt: skip


def _has_time(action: Action) -> bool:
    if isinstance(action, Update):
        return action.changes.start is not None or action.changes.shift_seconds is not None
    return getattr(action, "start", None) is not None or getattr(action, "at", None) is not None

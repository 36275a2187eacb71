"""Reads a batch, message by message and clause by clause, into actions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from agent.analysis import Action, Analysis, Clarify, Create, Query, Said, Target, Update
from agent.rules import (
    afterthoughts,
    changes,
    clause,
    creates,
    deeds,
    endings,
    fitting,
    going_on,
    joining,
    notices,
    placing,
    queries,
    remarks,
    rings,
    settings,
    shapes,
    snoozes,
    talk,
    timers,
    titles,
    wholes,
)
from agent.rules.clause import Clause
from agent.rules.creates import Shared
from agent.rules.wording import talk as say
from agent.rules.words import TODO

MOST = 30


@dataclass(frozen=True)
class Understood:
    """`certain`: everything that was said is in the analysis; nothing was left over or guessed at."""

    analysis: Analysis
    certain: bool


def analyse(
    said: Sequence[Said],
    *,
    zone: ZoneInfo,
    last_query: Query | None = None,
    just_rung: str = "",
    lately: going_on.Lately | None = None,
) -> Understood:
    """What the messages of a batch ask for, in order; times as of when each was sent. Never raises for any text.

    `just_rung`: what the follower was reminded of a little while ago; `lately`: what he planned or changed then.
    """
    reader = _Reader(zone, last_query, just_rung, lately)
    for message in said:
        reader.read(message)
    return reader.understood()


class _Reader:
    """`mine` are the places of the tasks that this message plans; `shared` and `target` pass from clause to clause."""

    def __init__(
        self, zone: ZoneInfo, last_query: Query | None, just_rung: str, lately: going_on.Lately | None
    ) -> None:
        self.zone, self.last_query, self.just_rung, self.lately = zone, last_query, just_rung, lately
        self.actions: list[Action] = []
        self.chat = ""
        self.certain = True
        self.unread: list[str] = []
        self.shared = Shared()
        self.mine: list[int] = []
        self.target: Target | None = None
        self.told = self.rings = False
        self.before: Clause | None = None  # what was only said, just before

    def read(self, said: Said) -> None:
        known = len(self.actions)
        try:
            self._read(said)
        except OverflowError:  # beyond the last day of the calendar
            del self.actions[known:]
            self.certain = False
            self._say(say("refused", reason="时间太远了，日历上没有"))

    def _read(self, said: Said) -> None:
        self.shared, self.mine, self.target, self.before = Shared(), [], None, None
        self.told = self.rings = False
        whole = clause.message(said.text, said.sent_at, self.zone)
        if (answer := talk.wordless(said.text)) and said.text.strip():
            self._say(answer)
        if not whole.text or self._as_a_whole(whole):
            return
        parts = [part for part in clause.clauses(clause.corrected(whole)) if part.text]
        for place, part in enumerate(parts):
            self._clause(part, alone=len(parts) == 1, first=place == 0)
        self._left_over()

    def understood(self) -> Understood:
        actions = self.actions[:MOST]
        certain = self.certain and bool(actions or self.chat) and len(actions) == len(self.actions)
        unread = self.unread if actions else []
        return Understood(Analysis(actions=actions, chat="" if actions else self.chat, unread=unread), certain)

    def _as_a_whole(self, whole: Clause) -> bool:
        if not (self.lately and going_on.asks(whole)) and (answer := self._talk(whole)):
            self._say(answer)
        elif found := wholes.single(whole, self.last_query) or self._answers_the_ring(whole):
            self.actions.append(found)
        elif self.lately and (more := going_on.more(whole, self.lately)):
            self.actions.append(more)
        elif (made := wholes.literal(whole)) is not None or (made := notices.notice(whole)) is not None:
            self.actions += made
        elif wholes.not_for_us(whole.flat):
            self._say(say("only_text"))
        else:
            return False
        return True

    def _answers_the_ring(self, whole: Clause) -> Action | None:
        return (snoozes.rung(whole) or deeds.it(whole.flat, self.just_rung)) if self.just_rung else None

    def _talk(self, whole: Clause) -> str | None:
        flat = whole.flat
        said = talk.reply(flat) or talk.clock(flat, whole.sent_at, self.zone) or talk.calendar(whole, self.zone)
        return said or talk.how(flat) or timers.held(flat) or settings.quiet_once(whole) or settings.moved_away(flat, self.zone)

    def _say(self, chat: str) -> None:
        self.chat = self.chat or chat

    def _clause(self, part: Clause, *, alone: bool, first: bool) -> None:
        if shapes.filler(part.flat) or (not alone and not part.times and talk.reply(part.flat)):
            self.told = self.told or bool(re.search("记(?!错)", part.flat))
            self.rings = "提醒" in part.flat and self._afterthought(part)
        elif shapes.unchanged(part):
            self._say(say("fine"))
        elif not alone and first and shapes.list_heading(part.flat):
            self.told = True
        elif shapes.only_time(part) or (not alone and (shapes.heading(part) or shapes.weather(part))):
            self._time_alone(part, alone=alone)
        elif not self._afterthought(part) and not self._command(part) and not self._create(part):
            self._unclear(part)

    def _unclear(self, part: Clause) -> None:
        """Said to the follower where it could be an order; a remark is only a remark."""
        planned = self._planned()
        self.certain, self.before = False, part
        if planned and creates.is_detail(part):
            self.actions[planned[-1][0]] = creates.noted(planned[-1][1], part)
        elif remarks.remark(part.flat, part.rest.flat) or remarks.story(part):
            self._say(talk.chatter(part.flat) or say("mood"))
        elif answer := talk.chatter(part.flat):
            self._say(answer)
        elif part.times or part.leads or TODO.match(titles.polite(part.flat)):
            self.unread.append(part.text)

    def _time_alone(self, part: Clause, *, alone: bool) -> None:
        """A time by itself completes what came before, heads what follows, or asks («这周»)."""
        planned = self._planned()
        last = [(place, task) for place, task in planned if "都" in part.flat or task.title == planned[-1][1].title]
        if planned and self.rings and part.moments:  # «…，帮我设个提醒，八点十分吧»
            self.actions[planned[-1][0]] = afterthoughts.reminded(planned[-1][1], part)
        elif timed := [(place, done) for place, task in last if (done := fitting.timed(task, part))]:
            for place, done in timed:
                self.actions[place] = done
        elif not planned and self.before and creates.is_detail(self.before) and (made := creates.topic(self.before, part)):
            self.unread = [text for text in self.unread if text != self.before.text]
            self._add([made], part)
        elif self.actions and (both := joining.clocked(self.actions[-1], part)):
            self.actions[-1] = both
        elif alone and part.refused:
            self._say(say("refused", reason=part.refused.reason))
        elif alone and part.moments and part.moments[0].kind in ("day", "span") and not part.moments[0].has_clock:
            first = part.moments[0]
            self.actions.append(Query(range=first.words, start=first.start, end=first.end))
        else:
            self.shared = replace(self.shared, header=tuple(part.moments))

    def _planned(self) -> list[tuple[int, Create]]:
        """The tasks of this message, with their places."""
        return [(place, told) for place in self.mine if isinstance(told := self.actions[place], Create)]

    def _afterthought(self, part: Clause) -> bool:
        planned = self._planned()
        if duty := next(filter(None, (rings.before_it(task, part) for _, task in planned)), None):
            self._add([duty], part)
            return True
        if planned and (more := next(filter(None, (read(planned[-1][1], part) for read in _MORE)), None)):
            self.actions[planned[-1][0]] = more
            return True
        if not planned or not afterthoughts.is_reminder(part):
            return False
        every = bool(afterthoughts.BOTH.search(part.flat)) and len(part.leads) < 2
        for place, task in planned if every else planned[-1:]:
            self.actions[place] = afterthoughts.reminded(task, part)
        return True

    def _command(self, part: Clause) -> bool:
        """A change, a question or a setting; never in what the follower wants to be reminded of."""
        if shapes.reminder_first(part):
            return self._took(settings.setting(part) or (None if self.mine else snoozes.snooze(part)))
        return any(self._took(read(part)) for read in _COMMANDS) or self._named_target(part)

    def _took(self, found: Action | Sequence[Action] | None) -> bool:
        if found is None:
            return False
        actions = list(found) if isinstance(found, Sequence) else [found]
        for action in (joining.on_day(each, self.shared.header) for each in actions):
            if not self._answers_last(action):
                self.actions.append(self._with_target(action))
        return bool(actions)

    def _answers_last(self, action: Action) -> bool:
        both = joining.joined(self.actions[-1], action) if self.actions else None
        if both:
            self.actions[-1] = both
        return both is not None

    def _with_target(self, action: Action) -> Action:
        """«给妈妈打电话那条，提前15分钟»: the clause before says which."""
        if self.target and isinstance(action, Update) and action.target == Target():
            return action.model_copy(update={"target": self.target})
        return action

    def _named_target(self, part: Clause) -> bool:
        if self.target and part.leads and not part.moments:
            return self._took(joining.lead(part))
        found = joining.only_named(part)
        self.target = found or self.target
        return found is not None

    def _create(self, part: Clause) -> bool:
        done = True
        for piece in clause.segments(part):
            if piece.text != part.text and self._afterthought(piece):
                continue
            made = creates.create(piece, self.shared, told=self.told)
            said = piece.text != part.text and remarks.remark(piece.flat, piece.rest.flat)
            done = done and (made is not None or said)
            self._add([creates.about(each, self.before) for each in made or []], piece)
        return done

    def _add(self, made: Sequence[Create | Clarify], part: Clause) -> None:
        if planned := self._planned():
            made = [fitting.beside(planned[-1][1], each) for each in made]
        self.mine += range(len(self.actions), len(self.actions) + len(made))
        self.actions += made
        headed = [when for when in self.shared.header if made]
        days = (when for when in (*headed, *part.moments) if when.has_day and shapes.one_day(when))
        day = next((when for when in days if shapes.ahead(when, part)), self.shared.day)
        turns = next((when for when in part.moments if when.rrule), self.shared.turns)
        self.shared = Shared(header=() if made else self.shared.header, day=day, turns=turns, beside=bool(self.mine))

    def _left_over(self) -> None:
        """A time that nothing followed: what is to be done then?"""
        if self.shared.header and self.mine:
            self.certain = False
            self.unread += [when.words for when in self.shared.header]
        elif self.shared.header and not self.actions:
            self.actions.append(creates.unnamed(self.shared.header[0]))


_MORE: tuple[Callable[[Create, Clause], Create | None], ...] = (
    afterthoughts.note,
    afterthoughts.named,
    fitting.again,
    fitting.goes_on,
    afterthoughts.by_its_day,
    fitting.excepted,
    fitting.narrowed,
    fitting.wanted_then,
    fitting.lasts,
    fitting.ends,
    fitting.by_which,
)
Command = Callable[[Clause], "Action | Sequence[Action] | None"]
_COMMANDS: tuple[Command, ...] = (
    lambda part: endings.undo(part.flat),
    settings.setting,
    snoozes.snooze,
    timers.timer,
    queries.query,
    placing.put,
    placing.elsewhere,
    changes.update,
    placing.until,
    deeds.reopen,
    endings.delete,
    deeds.complete,
)

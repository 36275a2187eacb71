"""Reads a batch, message by message and clause by clause, into actions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from agent.analysis import Action, Analysis, Clarify, Create, Query, Said, Target, Update
from agent.rules import afterthoughts, changes, clause, creates, endings, queries, settings, talk, titles, wholes
from agent.rules.clause import Clause
from agent.rules.creates import Shared
from agent.rules.targets import named
from agent.rules.words import POINTING, REMIND, THINGS
from planner.when import When

MOST = 30

_FILLER = re.compile(
    r"(?:嗯|哦|噢|好|好的|对|对了|那个|就是|请|麻烦了?|mark一下|谢谢|多谢|拜托了?|辛苦了|你好|您好"
    r"|帮我(?:记一?[下上]?|安排一?下?)|记一?下|别忘了|记得|提醒我?(?:一下)?|就这些|没了|以上|就这样|啊|吧|呢|[\s?.~])*"
)
_ONLY_TARGET = re.compile(rf"^(?:把|关于)?(?P<target>.+?){POINTING}$")
_HEADING = re.compile(rf"(?:我|的|要|需要|得|有|做|如下|(?:{THINGS}))*")
_AROUND_TIME = re.compile(r"[\s,:的吧就是在开始起为止?]*")


@dataclass(frozen=True)
class Understood:
    """`certain`: everything that was said is in the analysis; nothing was left over or guessed at."""

    analysis: Analysis
    certain: bool


def analyse(said: Sequence[Said], *, zone: ZoneInfo, last_query: Query | None = None) -> Understood:
    """What the messages of a batch ask for, in order; times as of when each was sent. Never raises for any text."""
    reader = _Reader(zone, last_query)
    for message in said:
        reader.read(message)
    return reader.understood()


class _Reader:
    """`mine` are the places of the tasks that this message plans; `shared` and `target` pass from clause to clause."""

    def __init__(self, zone: ZoneInfo, last_query: Query | None) -> None:
        self.zone, self.last_query = zone, last_query
        self.actions: list[Action] = []
        self.chat = ""
        self.certain = True
        self.shared = Shared()
        self.mine: list[int] = []
        self.target: Target | None = None
        self.told = False

    def read(self, said: Said) -> None:
        self.shared, self.mine, self.target, self.told = Shared(), [], None, False
        whole = clause.message(said.text, said.sent_at, self.zone)
        if not whole.text or self._as_a_whole(whole):
            return
        parts = [part for part in clause.clauses(whole) if part.text]
        for part in parts:
            self._clause(part, alone=len(parts) == 1)
        self._left_over()

    def understood(self) -> Understood:
        actions = self.actions[:MOST]
        certain = self.certain and bool(actions or self.chat) and len(actions) == len(self.actions)
        return Understood(Analysis(actions=actions, chat="" if actions else self.chat), certain)

    def _as_a_whole(self, whole: Clause) -> bool:
        if answer := talk.reply(whole.flat) or talk.clock(whole.flat, whole.sent_at.astimezone(self.zone)):
            self._say(answer)
        elif found := _single(whole, self.last_query):
            self.actions.append(found)
        elif (made := wholes.literal(whole)) is not None:
            self.actions += made
        elif wholes.not_for_us(whole.flat):
            self._say(talk.ONLY_TEXT)
        elif "除了" in whole.flat:
            self.certain = False
        else:
            return False
        return True

    def _say(self, chat: str) -> None:
        self.chat = self.chat or chat

    def _clause(self, part: Clause, *, alone: bool) -> None:
        if _FILLER.fullmatch(part.flat) or (not alone and talk.reply(part.flat)):
            self.told = self.told or "记" in part.flat
        elif _only_time(part) or (not alone and _heading(part)):
            self._time_alone(part, alone=alone)
        elif not self._afterthought(part) and not self._command(part) and not self._create(part):
            self.certain = False

    def _time_alone(self, part: Clause, *, alone: bool) -> None:
        """A time by itself completes what came before, heads what follows, or asks («这周»)."""
        last = self._planned()[-1:]
        if last and (done := afterthoughts.timed(last[0][1], part)):
            self.actions[last[0][0]] = done
        elif alone and part.refused:
            self._say(f"{part.refused.reason}，换个时间再说一次？")
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
        if planned and afterthoughts.is_note(part):
            place, task = planned[-1]
            self.actions[place] = afterthoughts.noted(task, part)
            return True
        if not planned or not afterthoughts.is_reminder(part):
            return False
        every = bool(afterthoughts.BOTH.search(part.flat)) and len(part.leads) < 2
        for place, task in planned if every else planned[-1:]:
            self.actions[place] = afterthoughts.reminded(task, part)
        return True

    def _command(self, part: Clause) -> bool:
        """A change, a question or a setting; never in what the follower wants to be reminded of."""
        if _reminder_first(part):
            return self._took(settings.setting(part) or (None if self.mine else changes.snooze(part)))
        return any(self._took(read(part)) for read in _COMMANDS) or self._named_target(part)

    def _took(self, found: Action | Sequence[Action] | None) -> bool:
        if found is None:
            return False
        actions = list(found) if isinstance(found, Sequence) else [found]
        self.actions += [self._with_target(action) for action in actions]
        return bool(actions)

    def _with_target(self, action: Action) -> Action:
        """«给妈妈打电话那条，提前15分钟»: the clause before says which."""
        if self.target and isinstance(action, Update) and action.target == Target():
            return action.model_copy(update={"target": self.target})
        return action

    def _named_target(self, part: Clause) -> bool:
        match = _ONLY_TARGET.match(part.flat)
        if not match or part.moments:
            return False
        self.target = named(part.cut(match.start("target"), match.end("target"))).target
        return True

    def _create(self, part: Clause) -> bool:
        done = True
        for piece in clause.segments(part):
            made = creates.create(piece, self.shared, told=self.told)
            done = done and made is not None
            self._add(made or [], piece)
        return done

    def _add(self, made: Sequence[Create | Clarify], part: Clause) -> None:
        self.mine += range(len(self.actions), len(self.actions) + len(made))
        self.actions += made
        headed = [when for when in self.shared.header if made]
        day = next((when for when in (*headed, *part.moments) if when.has_day and _one_day(when)), self.shared.day)
        self.shared = Shared(header=() if made else self.shared.header, day=day)

    def _left_over(self) -> None:
        """A time that nothing followed: what is to be done then?"""
        if not self.shared.header or self.actions:
            return
        when = self.shared.header[0]
        pending = Create.model_construct(op="create", title="", **creates.timed(when)).model_dump(mode="json")
        self.actions.append(Clarify(pending=pending, missing="title", question=f"{when.words}要做什么？"))


Command = Callable[[Clause], "Action | Sequence[Action] | None"]
_COMMANDS: tuple[Command, ...] = (
    settings.setting,
    changes.snooze,
    queries.query,
    changes.update,
    endings.reopen,
    endings.delete,
    endings.complete,
)


def _single(whole: Clause, last_query: Query | None) -> Action | None:
    zone = settings.setting(whole) if "时区" in whole.flat else None
    return zone or endings.undo(whole.flat) or queries.paging(whole.flat, last_query) or wholes.correction(whole)


def _only_time(part: Clause) -> bool:
    words = afterthoughts.FROM.sub("", afterthoughts.UNTIL.sub("", part.rest.flat.strip()))
    bare = bool(part.times) and part.length is None and not part.leads
    return bare and _AROUND_TIME.fullmatch(words) is not None


def _heading(part: Clause) -> bool:
    """«明天要做的事：…», «今日待办：…»."""
    return bool(part.times) and _HEADING.fullmatch(part.rest.flat.strip(" ,:")) is not None


def _one_day(when: When) -> bool:
    return when.kind in ("day", "instant", "deadline") or bool(when.point) or (when.kind == "span" and when.has_clock)


def _reminder_first(part: Clause) -> bool:
    """«提醒我取消订阅», «明天记得删掉旧文件»: a to-do, whatever it is about."""
    words = part.rest.flat.strip()
    asked = re.match(rf"{REMIND}(?:一下)?我(?!有|还有)", titles.polite(words))
    return bool(asked or re.match("(?:请|帮我)*(?:记得|别忘)", words))

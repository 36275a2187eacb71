"""Reads a batch, message by message and clause by clause, into actions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from agent.analysis import Action, Analysis, Changes, Clarify, Create, Query, Said, Target, Update
from agent.rules import (
    afterthoughts,
    changes,
    clause,
    creates,
    deeds,
    endings,
    ends,
    notices,
    queries,
    settings,
    talk,
    timers,
    titles,
    wholes,
)
from agent.rules.clause import Clause
from agent.rules.creates import Shared
from agent.rules.targets import named
from agent.rules.wording import ask
from agent.rules.wording import talk as say
from agent.rules.words import ADMITTED, POINTING, REMIND, THINGS, TODO
from planner.when import When

MOST = 30
_SHORT = 20

_FILLER = re.compile(
    r"(?:@\S{1,12}|小?助手|小秘书|嗯|哦|噢|好|好的|对|对了|那个|就是|请|麻烦了?|mark一下|谢谢|多谢|拜托了?|辛苦了|你好|您好|hi|hello|在吗|那|然后呢"
    r"|帮我(?:记(?:一?[下上]|着)?|安排一?下?)|(?:帮我)?(?:记|加|安排|设|定)[两三四五几二]?(?:个|件|条|项)(?:事情?|任务|待办|提醒|日程|安排|闹钟)?|记一?下|别忘了|记得|提醒我?(?:一下)?|就这些|没了|以上|就这样|千万别忘了?|谢谢啦|啊|吧|呢|[\s?.~])*"
    rf"|{ADMITTED}(?:了|啊|哈)?",
    re.IGNORECASE,
)
_ONLY_TARGET = re.compile(rf"^(?:把|关于)?(?P<target>.+?){POINTING}$")
_HEADING = re.compile(rf"(?:我|的|要|需要|得|有|还|(?:做|办)的?|(?:买|去)的|如下|一共|[0-9一二两三四五六七八九十几]+[件个项条]|(?:{THINGS})|清单|列表|计划)*")
_LIST_HEADING = re.compile(rf"(?:我的?|要[做办买]的?|需要|(?:{THINGS})|清单|列表|如下|todo|to-?do list|[0-9一二两三四五六七八九十几]+[件个项条])+", re.IGNORECASE)
_AROUND_TIME = re.compile(r"(?:[\s,:的吧就是在开始起为止?嗯啊]|那就?|定在?|约在?)*")
_WEATHER = re.compile(r"(?:好像|可能|预报|会|要|有|说|据说)*(?:下[雨雪]|降温|刮风|台风|大[雨风雪]|暴雨|高温|变天)(?:了|呢|哦)?")


@dataclass(frozen=True)
class Understood:
    """`certain`: everything that was said is in the analysis; nothing was left over or guessed at."""

    analysis: Analysis
    certain: bool


def analyse(
    said: Sequence[Said], *, zone: ZoneInfo, last_query: Query | None = None, just_rung: bool = False
) -> Understood:
    """What the messages of a batch ask for, in order; times as of when each was sent. Never raises for any text.

    `just_rung`: the follower was reminded of something a little while ago.
    """
    reader = _Reader(zone, last_query, just_rung)
    for message in said:
        reader.read(message)
    return reader.understood()


def may_snooze(said: Said, *, zone: ZoneInfo) -> bool:
    """Whether it says a little while and nothing else, which after a reminder puts it off."""
    return len(said.text) <= _SHORT and changes.rung(clause.message(said.text, said.sent_at, zone)) is not None


class _Reader:
    """`mine` are the places of the tasks that this message plans; `shared` and `target` pass from clause to clause."""

    def __init__(self, zone: ZoneInfo, last_query: Query | None, just_rung: bool) -> None:
        self.zone, self.last_query, self.just_rung = zone, last_query, just_rung
        self.actions: list[Action] = []
        self.chat = ""
        self.certain = True
        self.unread: list[str] = []
        self.shared = Shared()
        self.mine: list[int] = []
        self.target: Target | None = None
        self.told = False

    def read(self, said: Said) -> None:
        self.shared, self.mine, self.target, self.told = Shared(), [], None, False
        whole = clause.message(said.text, said.sent_at, self.zone)
        if (answer := talk.wordless(said.text)) and said.text.strip():
            self._say(answer)
        if not whole.text or self._as_a_whole(whole):
            return
        parts = [part for part in clause.clauses(ends.ended(clause.corrected(whole))) if part.text]
        for place, part in enumerate(parts):
            self._clause(part, alone=len(parts) == 1, first=place == 0)
        self._left_over()

    def understood(self) -> Understood:
        actions = self.actions[:MOST]
        certain = self.certain and bool(actions or self.chat) and len(actions) == len(self.actions)
        unread = self.unread if actions else []
        return Understood(Analysis(actions=actions, chat="" if actions else self.chat, unread=unread), certain)

    def _as_a_whole(self, whole: Clause) -> bool:
        if answer := self._talk(whole):
            self._say(answer)
        elif found := _single(whole, self.last_query) or (self.just_rung and changes.rung(whole)):
            self.actions.append(found)
        elif (made := wholes.literal(whole)) is not None or (made := notices.notice(whole)) is not None:
            self.actions += made
        elif wholes.not_for_us(whole.flat):
            self._say(say("only_text"))
        else:
            return False
        return True

    def _talk(self, whole: Clause) -> str | None:
        flat = whole.flat
        said = talk.reply(flat) or talk.clock(flat, whole.sent_at, self.zone) or talk.calendar(whole, self.zone)
        return said or talk.how(flat) or timers.held(flat) or settings.moved_away(flat, self.zone)

    def _say(self, chat: str) -> None:
        self.chat = self.chat or chat

    def _clause(self, part: Clause, *, alone: bool, first: bool) -> None:
        if _FILLER.fullmatch(part.flat) or (not alone and talk.reply(part.flat)):
            self.told = self.told or "记" in part.flat
        elif not alone and first and _LIST_HEADING.fullmatch(part.flat.strip(" :")):
            self.told = True
        elif _only_time(part) or (not alone and (_heading(part) or _weather(part))):
            self._time_alone(part, alone=alone)
        elif not self._afterthought(part) and not self._command(part) and not self._create(part):
            self._unclear(part)

    def _unclear(self, part: Clause) -> None:
        """Said to the follower where it could be an order; a remark is only a remark."""
        self.certain = False
        if answer := talk.chatter(part.flat):
            self._say(answer)
        elif part.times or part.leads or TODO.match(titles.polite(part.flat)):
            self.unread.append(part.text)

    def _time_alone(self, part: Clause, *, alone: bool) -> None:
        """A time by itself completes what came before, heads what follows, or asks («这周»)."""
        last = self._planned()[-1:]
        if last and (done := afterthoughts.timed(last[0][1], part)):
            self.actions[last[0][0]] = done
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
        if planned and afterthoughts.is_note(part):
            place, task = planned[-1]
            self.actions[place] = afterthoughts.noted(task, part)
            return True
        if planned and afterthoughts.names_it(planned[-1][1], part):
            place, task = planned[-1]
            self.actions[place] = task.model_copy(update={"title": titles.title(part)})
            return True
        if planned and (longer := afterthoughts.goes_on(planned[-1][1], part)):
            self.actions[planned[-1][0]] = longer
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
        for action in actions:
            if not self._answers_last(action):
                self.actions.append(self._with_target(action))
        return bool(actions)

    def _answers_last(self, action: Action) -> bool:
        """«体检改时间，改到周六», «健身改到八点，地点改成二楼»: more of the change before."""
        last = self.actions[-1] if self.actions else None
        if not isinstance(action, Update) or action.target != Target():
            return False
        if isinstance(last, Clarify) and last.missing == "when" and last.pending["op"] == "update":
            last = Update.model_validate(last.pending)
        if not isinstance(last, Update):
            return False
        both = last.changes.model_dump(exclude_defaults=True) | action.changes.model_dump(exclude_defaults=True)
        self.actions[-1] = Update(target=last.target, changes=Changes.model_validate(both))
        return True

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
        self.actions.append(Clarify(pending=pending, missing="title", question=ask("title", when=when.words)))


Command = Callable[[Clause], "Action | Sequence[Action] | None"]
_COMMANDS: tuple[Command, ...] = (
    lambda part: endings.undo(part.flat),
    settings.setting,
    changes.snooze,
    timers.timer,
    queries.query,
    changes.update,
    deeds.reopen,
    endings.delete,
    deeds.complete,
)


def _single(whole: Clause, last_query: Query | None) -> Action | None:
    zone = settings.setting(whole) if "时区" in whole.flat or settings.is_quiet(whole) else None
    paging = queries.paging(whole.flat, last_query)
    return zone or endings.undo(whole.flat) or paging or wholes.correction(whole) or wholes.all_but(whole)


def _only_time(part: Clause) -> bool:
    words = afterthoughts.FROM.sub("", afterthoughts.UNTIL.sub("", part.rest.flat.strip()))
    bare = bool(part.times) and part.length is None and not part.leads
    return bare and _AROUND_TIME.fullmatch(words) is not None


def _heading(part: Clause) -> bool:
    """«明天要做的事：…», «今日待办：…»."""
    return bool(part.times) and _HEADING.fullmatch(part.rest.flat.strip(" ,:")) is not None


def _weather(part: Clause) -> bool:
    """«明天要下雨，记得带伞»: the day of what follows."""
    return bool(part.moments) and _WEATHER.fullmatch(part.rest.flat.strip(" ,")) is not None


def _one_day(when: When) -> bool:
    return when.kind in ("day", "instant", "deadline") or bool(when.point) or (when.kind == "span" and when.has_clock)


def _reminder_first(part: Clause) -> bool:
    """«提醒我取消订阅», «明天记得删掉旧文件»: a to-do, whatever it is about."""
    words = part.rest.flat.strip()
    asked = re.match(rf"{REMIND}(?:一下)?我(?!有|还有)", titles.polite(words))
    return bool(asked or re.match("(?:请|帮我)*(?:记得|别忘)", words))

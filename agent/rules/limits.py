"""How long a thing goes on, said behind it: «三点开会到五点», «每天吃药到年底», «每天跑步，坚持一个月», «共十次»."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from agent.rules.clause import Clause
from agent.rules.words import VERB
from planner.when import Found, When
from planner.when.text import number

_UP_TO = re.compile(r"[,\s]*(?:(?:大概|差不多|估计|预计|一直|直|持续|坚持|都)*(?:到|至)|截止到?|截至)\s*$")
_OVER = re.compile(r"\s*(?:为止|结束|就?停|止|截止|前)?[\s。!吧啊哦]*$")
_TIMES = re.compile(r"[,\s]*(?:一?共|总共|重复|连续|连着|循环|上|做|去)*(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,3})[次回节堂](?:课|就行|为止|结束)?[\s。!吧]*$")
_GOING_ON = re.compile(r"(?:(?:连续|连着|坚持|持续|为期|先|就这?|只|维持|一?共计?|总共)(?:吃|喝|做|练|跑|打|学|上)?|吃|喝|做|练|跑|打|学)(?:够|满)?\s*$")


@dataclass(frozen=True)
class Limit:
    """The clock at which each turn ends, or what a rule gets: its last day or the number of its turns."""

    clock: time | None = None
    rule: str = ""

    def of(self, when: When) -> When:
        if self.rule and when.rrule and "UNTIL" not in when.rrule:
            return replace(when, rrule=f"{when.rrule};{self.rule}")
        return _ending(when, self.clock) if self.clock else when


NONE = Limit()


def last_day(when: When) -> str:
    """«到月底», «到下周»: with the whole of the day that ends it."""
    last = when.end - timedelta(hours=12) if when.end and when.all_day else when.start
    return f"UNTIL={last:%Y%m%d}T235959" if last else ""


def limited(clause: Clause) -> tuple[Clause, Limit]:
    """The clause without what says where it ends, and that."""
    whens = [told.when for told in clause.times if isinstance(told.when, When)]
    repeats = any(when.kind == "recurrence" for when in whens)
    if repeats and (match := _TIMES.search(clause.flat)):
        return clause.cut(0, match.start()), Limit(rule=f"COUNT={number(match['count'])}")
    first = next((when.start for when in whens if when.rrule), None)
    if first and (found := _length(clause, first)):
        return found
    return _up_to(clause, repeats=repeats)


def _length(clause: Clause, first: datetime) -> tuple[Clause, Limit] | None:
    """«坚持一个月» from the first turn on."""
    for told in clause.times:
        going_on = _GOING_ON.search(clause.flat[: told.start])
        if isinstance(told.when, When) and told.when.kind == "duration" and going_on and told.when.seconds:
            last = first + timedelta(seconds=told.when.seconds) - timedelta(days=1)
            start = going_on.start() if going_on.end() - going_on.start() > 1 else told.start
            return clause.without(start, told.end), Limit(rule=f"UNTIL={last:%Y%m%d}T235959")
    return None


def by_itself(clause: Clause, first: datetime) -> str:
    """A clause of its own, behind a task that repeats: «坚持一个月», «一共十次»."""
    if match := _TIMES.fullmatch(clause.flat):
        return f"COUNT={number(match['count'])}"
    found = _length(clause, first)
    return found[1].rule if found and not found[0].flat.strip(" 吧。!的就只") else ""


def alone(clause: Clause) -> bool:
    """Whether it could be such a clause, whatever it is behind."""
    return bool(by_itself(clause, clause.sent_at))


def _up_to(clause: Clause, *, repeats: bool) -> tuple[Clause, Limit]:
    points = [told for told in clause.times if isinstance(told.when, When) and told.when.kind != "duration"]
    last = points[-1] if len(points) > 1 else None
    before = _UP_TO.search(clause.flat[: last.start]) if last and _OVER.match(clause.flat, last.end) else None
    clocked = any(isinstance(told.when, When) and told.when.has_clock for told in points[:-1])
    limit = _limit(last, repeats=repeats) if last and before else NONE
    if limit.clock and not clocked:  # «周五加班到九点» has no beginning: it stays in the words
        return replace(clause, times=tuple(told for told in clause.times if told is not last)), NONE
    if before is None or limit == NONE:
        return clause, NONE
    return clause.cut(0, _once(clause.flat, before.start())), limit


def _once(flat: str, end: int) -> int:
    """Where «吃药吃» ends without the verb that is said again."""
    return end - 1 if flat[end - 1 : end] and flat[end - 1] in flat[: end - 1] and re.match(VERB, flat[end - 1]) else end


def _limit(last: Found, *, repeats: bool) -> Limit:
    when = last.when
    if not isinstance(when, When) or when.start is None or when.kind == "recurrence":
        return NONE
    if when.has_clock and not when.has_day:
        return Limit(clock=when.start.time())
    return Limit(rule=last_day(when)) if repeats and when.has_day and not when.has_clock else NONE


def _ending(when: When, until: time) -> When:
    start = when.at
    if start is None or not when.has_clock or when.end:
        return when
    end = datetime.combine(start.date(), until, start.tzinfo)
    if end <= start:
        end += timedelta(hours=12) if start < end + timedelta(hours=12) else timedelta(days=1)
    return replace(when, kind="span", end=end)

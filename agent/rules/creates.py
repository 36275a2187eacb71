"""New tasks: when, what, and how long before to ring."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from agent.analysis import Clarify, Create
from agent.rules import limits, nights, planned, remarks, titles
from agent.rules.clause import Clause
from agent.rules.wording import ask
from agent.rules.words import CHATTY, ON_TIME, QUESTION, REMIND, SAY_SO, TODO, VERB
from planner.when import When, holidays
from planner.when.text import plain

Made = Create | Clarify

UNNAMED = "提醒"
_ASKED = re.compile(rf"{REMIND}(?:一下|一声)?我|{SAY_SO}|把我(?:给)?[叫喊]|提醒|闹钟|倒计时|计时器")
_EARLY = re.compile("起床|起来|起身|闹钟|早起|晨跑|早饭|早餐|叫醒")
_BEDTIME = re.compile("睡觉|上床|熄灯|早点睡")
_EVENING = 8
_RIGHT_NOW = ("现在", "此刻", "现在的")
HALF_SAID = re.compile(r"[早上下中晚午凌夜]|1[2-9][:点]|2\d[:点]|十[二三四五六七八九]点|二十|后|pm|PM|过")
NOON = 12
_LONGEST_BARE = 30
_BARE_VERB = re.compile(rf"(?:{VERB}|看看|打卡|查询)(?:一下)?")
_DETAIL = 10
_NO_DETAIL = re.compile("[了吗吧呢?]$|提醒|取消|删|改|算了|谢|好的|收到|你")
_LOOKED_AT = re.compile("(?:再|去|要|得)*(?:看看|看一?下|问问|问一?下|查查|查一?下|确认一?下|打听)")  # «两天后看看快递到了没»
_ANSWERED = re.compile("(?:怎么|如何|为什么|为啥|是不是|要不要|好不好|对不对|你觉得|你说).*[?]?$")
_BEFORE_IT = re.compile("(?:[之以]?[前后]|时候?)[,]?(?:要|得|先)*把.+")  # «放假前把卫生搞好»
_FEAST = re.compile(f"(?:{holidays.PATTERN})$")
_TOLD = re.compile("[了过]|的(?:会|课|事)")  # a story, no notice
_TOO_OFTEN = re.compile(r"FREQ=SECONDLY|FREQ=MINUTELY(?:;INTERVAL=[1-9])?(?:;(?!INTERVAL)|$)")
_UNNEEDED = re.compile("^不.*了$|不用[了管]+$")  # «明天不用提醒我了»
_NEGATED = re.compile("不.*了")  # «今晚不吃饭了减肥»
_DUE = re.compile("^[我又,\\s]*(?:要(?!是|不)|该|得|就要|快要).{2,}了[,\\s]*$")  # «下周一要交房租了»
_FIXED = re.compile("(?<=..)(?<!预)约好?了$")  # «理发约了周日上午»
_ARRANGED = re.compile("(?:请假|休假|放假|到期|约好?|出差|值班|加班|开学|考试|结婚|搬家)了$")  # «周四请假了»
_REMEMBER = re.compile("(?:千万|一定|到时候?|要)*(?:记得|别忘|不要忘)")


@dataclass(frozen=True)
class Shared:
    """What earlier clauses of the message leave: times said by themselves, the day or the turns of what came before, and
    whether anything of it was planned."""

    header: tuple[When, ...] = ()
    day: When | None = None
    turns: When | None = None
    beside: bool = False


def create(clause: Clause, shared: Shared, *, told: bool = False) -> list[Made] | None:
    """`told`: the message said that this is a task, whatever its words are. None where nothing is to be planned."""
    asked = bool(_ASKED.search(clause.flat))
    if _ANSWERED.search(clause.flat):
        return None
    if clause.refused:
        return _refused(clause, titles.title(clause) or (UNNAMED if asked else ""))
    if doubt := _either(clause):
        return doubt
    clause, limit = limits.limited(clause)
    clause, whens, ring_at = planned.main_times(clause)
    name = titles.title(clause if whens or asked else replace(clause, times=()))
    if _DUE.search(clause.rest.flat) or (_ARRANGED.search(name) and whens and not _is_past(whens[0], clause.sent_at)):
        name = _FIXED.sub("", name).removesuffix("了")
    name = name or feast(whens)
    whens = whens or list(shared.header) or _delay(clause, asked=asked)
    if not whens:
        return _timeless(clause, name, shared, asked=asked, told=told)
    if not name and not asked and titles.only_ordered(clause.rest.flat):
        return [unnamed(whens[0])]
    if _UNNEEDED.search(name):
        return None
    if not (told or asked) and (not name or _NEGATED.match(name) or _is_chat(clause) or _only_about(clause, whens[0], name)):
        return None
    if not asked and whens[0].words in _RIGHT_NOW:
        return None
    whens = _same_clock([_early(when, clause) for when in whens])
    if any(_is_past(when, clause.sent_at) for when in whens):
        return _past(name, whens[0], clause.sent_at, asked=asked or told)
    return _doubts(clause, whens[0], name, asked=asked) or [
        _made(title, limit.of(when), clause, ring_at, asked=asked)
        for title in names(name) or [UNNAMED]
        for when in whens
    ]


def _doubts(clause: Clause, when: When, name: str, *, asked: bool) -> list[Made]:
    """Which day, after midnight; of what, for «明天提醒我»."""
    if options := nights.either_day(when, clause.sent_at):
        return [ask_when(name or UNNAMED, clause, ask("late_night", name=name or UNNAMED), options=options)]
    return [unnamed(when)] if asked and not name and when.all_day and not when.rrule else []


def names(title: str) -> list[str]:
    """«买菜、取快递» are two; «买牛奶、面包» is one."""
    pieces = [piece for piece in re.split(r"[、\s]+", title) if piece]
    if len(pieces) > 1 and all(TODO.match(plain(piece)) for piece in pieces):
        return pieces
    return [title] if title else []


def _either(clause: Clause) -> list[Made]:
    """«周三或周四开会»."""
    for first, second in zip(clause.times, clause.times[1:], strict=False):
        if re.fullmatch(r"\s*(?:或者?|还是|or)\s*", clause.flat[first.end : second.start]):
            name = titles.title(clause.without(first.end, second.start)) or UNNAMED
            words = [clause.text[told.start : told.end] for told in (first, second)]
            return [ask_when(name, clause, ask("either", name=name), options=words)]
    return []


def _delay(clause: Clause, *, asked: bool) -> list[When]:
    """«半小时提醒我吃药» is in half an hour."""
    length = clause.length
    if not asked or length is None or length.seconds is None:
        return []
    start = clause.sent_at + timedelta(seconds=length.seconds)
    return [When(length.words, "instant", start, has_clock=True, has_day=True)]


def _only_about(clause: Clause, when: When, name: str) -> bool:
    """«这个月的账单» names a thing, and plans nothing."""
    if _is_year(when) and not TODO.match(plain(name)):
        return True
    long = when.all_day and when.kind == "span"
    return long and clause.flat[clause.spans[0][1] :].startswith("的") and not TODO.match(plain(name)) if clause.spans else False


def noted(task: Create, part: Clause) -> Create:
    return task.model_copy(update={"notes": "；".join(filter(None, [task.notes, titles.trimmed(part.text)]))})


def is_detail(part: Clause) -> bool:
    """«…，望京», «…，地方再定»: a few words behind a task that ask nothing and order nothing."""
    flat = part.flat.strip(" 。!")
    return not part.times and not part.leads and 1 < len(flat) <= _DETAIL and not _is_chat(part) and not _NO_DETAIL.search(flat)


def topic(before: Clause, part: Clause) -> Create | None:
    """«爷爷八十大寿，腊月二十»: the thing, then its time."""
    name = titles.title(before)
    return Create(title=name, **timed(part.moments[0])) if name and part.moments else None


def about(made: Made, before: Clause | None) -> Made:
    """«妈妈的药快吃完了，周末去买»: what is to be bought was said before."""
    bare = isinstance(made, Create) and not made.notes and _BARE_VERB.fullmatch(plain(made.title).removeprefix("去"))
    return noted(made, before) if isinstance(made, Create) and bare and before else made


def feast(whens: Sequence[When]) -> str:
    """«每年9月10号教师节» is called by its day."""
    match = _FEAST.search(plain(whens[0].words)) if whens and whens[0].rrule else None
    return match[0] if match else ""


def _same_clock(whens: list[When]) -> list[When]:
    """«周二周四下午四点»: both at four."""
    last = whens[-1].at
    days = [when for when in whens[:-1] if when.kind == "day" and when.start]
    if not days or last is None or len(days) != len(whens) - 1 or not (whens[-1].has_clock or whens[-1].point):
        return whens
    clock = last.timetz()
    starts = [datetime.combine(when.start.date(), clock) for when in days if when.start]
    length = whens[-1].end - last if whens[-1].end and whens[-1].has_clock else None
    return [replace(whens[-1], start=start, end=start + length if length else None) for start in starts] + whens[-1:]


def _early(when: When, clause: Clause) -> When:
    """«六点叫我起床» is in the morning, «十一点叫我睡觉» in the evening."""
    start, words = when.start, plain(when.words)
    if start and when.has_clock and _BEDTIME.search(clause.flat) and _EVENING <= start.hour < NOON and not HALF_SAID.search(words):
        return replace(when, start=start + timedelta(hours=NOON), end=None)
    if not (start and when.has_clock and _EARLY.search(clause.flat)) or start.hour < NOON or HALF_SAID.search(words):
        return when
    start -= timedelta(hours=NOON)
    if start <= clause.sent_at and not when.has_day:
        start += timedelta(days=1)
    rrule = re.sub(r"BYHOUR=\d+", f"BYHOUR={start.hour}", when.rrule) if when.rrule else None
    return replace(when, start=start, end=None, rrule=rrule)


def _refused(clause: Clause, name: str) -> list[Made] | None:
    told = clause.refused
    if told is None or not name:
        return None
    return [ask_when(name, clause, ask("refused", reason=told.reason, name=name))]


def _timeless(clause: Clause, name: str, shared: Shared, *, asked: bool, told: bool) -> list[Made] | None:
    ordered = told or titles.ordered(clause.flat)
    if asked and name and not ordered and shared.beside and shared.day and not told:  # «后天是妈妈生日，提醒我打电话»
        return [Create(title=title, **_all_day(shared.day)) for title in names(name)]
    if asked and name and not ordered:
        return [ask_when(name, clause, ask("remind", name=name))]
    if not name or not (ordered or _is_todo(clause, name)):
        return None
    fields = {} if told else _as_before(clause, shared)
    return [Create(title=title, **fields) for title in names(name)]


def _as_before(clause: Clause, shared: Shared) -> dict[str, Any]:
    """«每月五号发工资，记得转账给妈妈»: as often; else on the same day."""
    if shared.turns and _REMEMBER.match(clause.flat):
        return timed(shared.turns)
    return _all_day(shared.day) if shared.day else {}


def _is_todo(clause: Clause, name: str) -> bool:
    if name.endswith(("了", "啦")) or len(name) > _LONGEST_BARE or _is_chat(clause) or _BARE_VERB.fullmatch(plain(name)):
        return False
    return bool(TODO.match(titles.polite(clause.flat)) or _BEFORE_IT.search(clause.flat))


def _is_chat(clause: Clause) -> bool:
    said = remarks.remark(clause.flat, clause.rest.flat)
    asked = QUESTION.search(clause.flat.rstrip(" 。!")) and not _LOOKED_AT.match(clause.rest.flat.strip(" ,"))
    return bool(said or CHATTY.search(clause.flat) or asked)


def ask_when(name: str, clause: Clause, question: str, *, options: Sequence[str] = ()) -> Clarify:
    pending = Create(title=name, remind=[told.words for told in clause.leads]).model_dump(mode="json")
    return Clarify(pending=pending, missing="when", question=question, options=list(options))


def unnamed(when: When) -> Clarify:
    """«明天提醒我»: of what?"""
    pending = Create.model_construct(op="create", title="", **timed(when)).model_dump(mode="json")
    return Clarify(pending=pending, missing="title", question=ask("title", when=when.words))


def _is_year(when: When) -> bool:
    """«我儿子今年中考» plans nothing."""
    return bool(when.all_day and when.start and when.end and when.end - when.start > timedelta(days=300))


def _is_past(when: When, sent_at: datetime) -> bool:
    if when.kind == "recurrence" or when.start is None:
        return False
    return (when.end or when.start) <= sent_at if not when.point else (when.end or when.point) <= sent_at


def _past(name: str, when: When, sent_at: datetime, *, asked: bool) -> list[Made] | None:
    """A story about yesterday is no plan; a time of today that is over is asked about."""
    today = when.start is not None and when.start.date() == sent_at.astimezone(when.start.tzinfo).date()
    announced = (when.has_clock or when.point) and when.words[:1] in "这本" and not _TOLD.search(name)
    if not name or not (today or asked or announced):
        return None
    pending = Create(title=name).model_dump(mode="json")
    return [Clarify(pending=pending, missing="when", question=ask("past", when=when.words, name=name))]


def _made(name: str, when: When, clause: Clause, ring_at: list[datetime], *, asked: bool) -> Made:
    if when.rrule and _TOO_OFTEN.search(when.rrule):
        return ask_when(name, clause, ask("too_often", when=when.words, name=name))
    remind = [told.words for told in clause.leads]
    if asked and not remind and not ring_at and (when.has_clock or when.kind == "instant"):
        remind = [ON_TIME]
    return Create(title=name, remind=remind, remind_at=ring_at, **timed(when, clause.length if clause.moments else None))


def timed(when: When, length: When | None = None) -> dict[str, Any]:
    """The fields that a time gives a task. A part of the day is planned at its point."""
    start, end = when.at, when.end if when.kind in ("span", "recurrence") and not when.point else None
    if when.kind == "day" or (when.kind == "deadline" and when.all_day):
        end = None
    if end is None and length and length.seconds and start and when.has_clock:
        end = start + timedelta(seconds=length.seconds)
    repeats = {"repeat": when.words, "rrule": when.rrule} if when.rrule else {}
    if when.rrule == "FREQ=YEARLY" and not when.certain:
        repeats = {"notes": f"{when.words}（每年日期不同，这里先记下最近的一次）"}
    return {"when": when.words, "start": start, "end": end, "all_day": when.all_day, **repeats}


def _all_day(when: When) -> dict[str, Any]:
    """The day of another thing, without its clock."""
    if when.start is None:
        return {}
    start = when.start.replace(hour=0, minute=0, second=0, microsecond=0)
    return {"when": when.words, "start": start, "all_day": True}

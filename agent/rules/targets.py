"""Which task is meant, in the follower's words."""

import re
from dataclasses import dataclass

from agent.analysis import Target
from agent.rules.clause import Clause
from agent.rules.words import ALL, COUNTER, NUMERAL, POINTING, POSITION, THINGS, VERB
from planner.when import When
from planner.when.text import number, plain

_HEAD = re.compile(rf"^(?:[\s,:的]|那个|这个|把|将|我的?|请|帮我|关于|给我|还有|另外|再|也|(?:所有|全部)的?|{ALL}的?(?={THINGS}))+")
_TAIL = re.compile(rf"(?:[\s,:的]|{POINTING}|{THINGS}|{ALL}|都|给我|了|吧|啊|呢|也|时间|已经)+$")
_EVERY = re.compile(rf"{ALL}|都$")
_GENERIC = re.compile(rf"(?:{ALL}|我|的|{THINGS}|都|还|未完成|没完成)*")
_POSITIONS = re.compile(rf"第{NUMERAL}{COUNTER}?(?:[、,和跟与及](?:第)?{NUMERAL}{COUNTER}?)*")


@dataclass(frozen=True)
class Named:
    """A target, and whether only a generic word («任务») named it."""

    target: Target
    generic: bool = False


def named(clause: Clause) -> Named:
    """«周五的聚餐», «第二个», «明天的安排全»."""
    position = POSITION.fullmatch(_core(clause.flat))
    if position:
        return Named(Target(position=number(position["nth"] or position["bare"])))
    whens = [told for told in clause.times if isinstance(told.when, When) and told.when.kind != "recurrence"]
    words = clause.rest
    text, generic = _words(words), bool(_GENERIC.fullmatch(words.flat.strip()))
    every = generic and bool(words.flat.strip()) and (bool(_EVERY.search(words.flat.strip())) or bool(whens))
    return Named(_target(text, whens[0].when if whens else None, every=every), generic and bool(words.flat.strip()))


def _target(text: str, when: object, *, every: bool) -> Target:
    if not isinstance(when, When) or when.start is None:
        return Target(text=text, every=every)
    return Target(text=text, when=when.words, start=when.start, end=when.end, every=every)


def _core(flat: str) -> str:
    head = _HEAD.match(flat)
    flat = flat[head.end() :] if head else flat
    return flat.strip().removesuffix("的").removesuffix("任务").removesuffix("也").strip()


def _words(clause: Clause) -> str:
    """The bare name. One that consists of generic words alone names nothing."""
    head = _HEAD.match(clause.flat)
    clause = clause.cut(head.end(), len(clause.text)) if head else clause
    tail = _TAIL.search(clause.flat)
    text = clause.text[: tail.start()] if tail else clause.text
    return text.strip(" ,，、“”\"的")


def all_named(clause: Clause) -> list[Named]:
    """Several positions («第一个和第三个») or names set off by «、»."""
    if _POSITIONS.fullmatch(clause.flat):
        numbers = re.findall(NUMERAL, clause.flat)
        return [Named(Target(position=number(words))) for words in numbers]
    parts, place = [], 0
    for match in re.finditer("、", clause.flat):
        parts.append(clause.cut(place, match.start()))
        place = match.end()
    return [named(part) for part in [*parts, clause.cut(place, len(clause.text))] if part.text]


def with_verb(text: str, verb: str | None) -> str:
    """«周报写» as a task would be called: «写周报»; verbs that say nothing are left out."""
    if not verb or verb in ("弄", "搞", "完成", "做", "办", "提", "取消") or plain(text).startswith(verb):
        return text
    return verb + text if re.fullmatch(VERB, verb) else text

"""Which task is meant, in the follower's words."""

import re
from dataclasses import dataclass

from agent.analysis import Target
from agent.rules.clause import Clause
from agent.rules.words import ALL, COUNTER, JUST, LAST, NUMERAL, POINTING, POSITION, THINGS, VERB
from planner.when import When
from planner.when.text import number, plain

_REST = "剩下|剩余|余下|其他|其它|其余"
_HEAD = re.compile(
    rf"^(?:[\s,:的]|[一待等]会儿?|刚(?:才|刚)?(?:约|定|说|加|记)好?(?:了)?的|{POINTING}|{JUST}|把|将|我的?|请|麻烦|帮我|以后|关于|给我|还有|另外|再|也|一下|(?:所有|全部)的?|{ALL}的?(?={THINGS}))+"
)
_TAIL = re.compile(
    rf"(?:[\s,:的]|{POINTING}|{THINGS}|{ALL}|都|给我|了|吧|啊|呢|也|的时候|时候|时间|已经|其实|现在|黄|泡汤|告吹|作废|从|由|被|让人|我们?|(?:老师|领导|老板|对方|客户|群里|班主任|教练|医生|[他她]们?|人家|公司|学校)(?:又|刚才?)?(?:说|讲|通知)|好像|刚才|刚刚|[那这][场次顿边趟回堂节件]事?|的?事儿?|你|(?<![需只主重])要|(?<![心值觉获难懒记舍])得|先|以后都?|今后|能不能|可不可以|能否|暂时|干脆|还是|估计|可能|恐怕|因为.{1,10})+$"
)
_EVERY = re.compile(rf"{ALL}|都$|{_REST}")
_GENERIC = re.compile(rf"(?:{ALL}|{_REST}|我|的|{THINGS}|都|还|有|未完成|没完成|没做完)*")
_THING = re.compile(THINGS)
_POSITIONS = re.compile(rf"第?{NUMERAL}{COUNTER}?(?:[、,和跟与及\s]+(?:第)?{NUMERAL}{COUNTER}?)+|第{NUMERAL}{COUNTER}?")
_ANOTHER = re.compile("(?:还有|另外?|剩下的?|剩的)(?:那)?一?[个条件项]")
_SERIES = re.compile("(?:整个|全部|这个|所有)?系列的?|每一?次都?的?|以后(?:每次|所有|全部|都)的?|以后$")
_ONE_TURN = re.compile("(?:就|只|仅)?(?:取消|改|删)?(?:这|本)一?次的?(?!要)")
_POINTED = re.compile(r"(?<=..)的?[那这](?:个|场|次|顿|条|件|堂|节|趟)(?=.)")
_AS_TOLD = re.compile("(?:把|将)?(?:昨天|前天|昨晚|上次|上回|之前|那天)(?:说|约|定|提|加|记)(?:好|到)?了?的")  # «昨天说的那个面试»
_FIRST_ONES = re.compile(rf"前(?P<count>{NUMERAL}){COUNTER}")


@dataclass(frozen=True)
class Named:
    """A target, and whether only a generic word («任务») named it."""

    target: Target
    generic: bool = False


def named(clause: Clause) -> Named:
    """«周五的聚餐», «第二个», «明天的安排全»."""
    if told := _AS_TOLD.match(clause.flat):
        clause = clause.cut(told.end(), len(clause.text))
    series, clause = _of_series(clause)
    core = _core(clause.flat)
    if _ANOTHER.fullmatch(clause.flat.strip().removesuffix("也")):
        return Named(Target(unnamed=True))
    if LAST.fullmatch(core):
        return Named(Target(position=-1))
    if position := POSITION.fullmatch(core):
        return Named(Target(position=number(position["nth"] or position["bare"])))
    when = next((when for when in _times(clause) if when.kind != "recurrence"), None)
    words = clause.rest
    text, generic = _words(words), bool(_GENERIC.fullmatch(words.flat.strip()))
    bare = words.flat.strip()
    days = when is not None and not when.has_clock and bool(_THING.search(bare))
    every = generic and bool(bare) and (bool(_EVERY.search(bare)) or days)
    target = _target(text, when, every=every).model_copy(update={"series": series})
    return Named(target, generic and bool(_THING.search(bare)))


def series_said(flat: str) -> bool | None:
    """Whether the whole of a series is meant, or one turn; None where the words do not say."""
    if _SERIES.search(flat):
        return True
    return False if _ONE_TURN.search(flat) else None


def _of_series(clause: Clause) -> tuple[bool | None, Clause]:
    """And the clause without the words that say so; «每天的吃药» names the series as well."""
    said = series_said(clause.flat)
    match = {True: _SERIES, False: _ONE_TURN}[said].search(clause.flat) if said is not None else None
    if said is None and any(when.kind == "recurrence" for when in _times(clause)):
        said = True
    return said, clause.without(match.start(), match.end()) if match else clause


def _times(clause: Clause) -> list[When]:
    return [told.when for told in clause.times if isinstance(told.when, When)]


def _target(text: str, when: When | None, *, every: bool) -> Target:
    if when is None or when.start is None:
        return Target(text=text, every=every)
    any_day = (when.has_clock or when.point is not None) and not when.has_day
    return Target(text=text, when=when.words, start=when.start, end=when.end, every=every, any_day=any_day)


def _core(flat: str) -> str:
    head = _HEAD.match(flat)
    flat = flat[head.end() :] if head else flat
    return flat.strip().removesuffix("的").removesuffix("任务").removesuffix("也").strip()


def _words(clause: Clause) -> str:
    """The bare name. One that consists of generic words alone names nothing."""
    head = _HEAD.match(clause.flat)
    clause = clause.cut(head.end(), len(clause.text)) if head else clause
    tail = _TAIL.search(clause.flat)
    text = _unpointed(clause.text[: tail.start()] if tail else clause.text)
    text = text.strip(" ,，、“”\"的")
    return "" if _GENERIC.fullmatch(plain(text)) else text


def _unpointed(text: str) -> str:
    """«设计部那个会» is «设计部会»."""
    match = _POINTED.search(plain(text))
    return text[: match.start()] + text[match.end() :] if match else text


def all_named(clause: Clause, *, both: bool = False) -> list[Named]:
    """Several positions («第一个和第三个», «前两个») or names set off by «、», by «和» where «都» follows."""
    if first := _FIRST_ONES.fullmatch(_core(clause.flat).removesuffix("都")):
        return [Named(Target(position=place)) for place in range(1, min(number(first["count"]), 20) + 1)]
    if _POSITIONS.fullmatch(clause.flat):
        numbers = re.findall(NUMERAL, clause.flat)
        return [Named(Target(position=number(words))) for words in numbers]
    parts, place = [], 0
    both = both or _two_deeds(clause.flat)
    for match in re.finditer("、|(?<=..)(?:和|跟|还有|以及)(?=..)" if both else "、", clause.flat):
        parts.append(clause.cut(place, match.start()))
        place = match.end()
    return [named(part) for part in [*parts, clause.cut(place, len(clause.text))] if part.text]


def _two_deeds(flat: str) -> bool:
    """«退押金和联系搬家公司»: each begins with what is to be done."""
    parts = re.split("和|跟|还有|以及", flat)
    return len(parts) > 1 and all(re.match(f"(?:{VERB}).", part) for part in parts)


def with_verb(text: str, verb: str | None) -> str:
    """«周报写» as a task would be called: «写周报»; verbs that say nothing are left out."""
    if not verb or verb in ("弄", "搞", "完成", "做", "办", "提", "取消", "去", "搞定", "解决", "处理", "拿", "收拾好") or plain(text).startswith(verb):
        return text
    if re.fullmatch("[给跟和与陪替向].{1,3}", plain(text)):  # «给妈打了»
        return text + verb
    return verb + text if re.fullmatch(VERB, verb) else text

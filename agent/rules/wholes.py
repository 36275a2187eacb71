"""What only a whole message can be: a literal task, a correction, or an order that is not for us."""

import re
from collections.abc import Sequence

from agent.analysis import Action, Clarify, Complete, Create, Delete, Query, Target, Update
from agent.rules import changes, clause, creates, deeds, endings, joining, openings, queries, settings, titles
from agent.rules.clause import Clause
from agent.rules.creates import Shared
from agent.rules.targets import named
from agent.rules.words import ADMITTED, EVERYONE, OVERRIDE, POINTING, THINGS

_LITERAL = re.compile(
    rf"^(?:请|帮我|麻烦)*(?:(?:新建|添加|创建|新增|记录?|加|建)(?:一?[个条项])?(?:新的?)?(?:{THINGS})?|任务|待办(?:事项)?|todo|备忘录?|笔记|memo|note)\s*:"
    r"\s*(?P<rest>.+)$",
    re.DOTALL,
)
_LISTED = re.compile(
    r"(?:请|帮我|麻烦)*(?:(?:加|添加|add)\s*|(?:把|将))(?P<thing>[^,]{1,20}?)\s*(?:也|都|给我)*(?:加|添加|放|写|记)?(?:到|进|入|去|to)\s*(?:我的?|my|the)?[^,]{0,12}(?:清单|列表|购物单|list)(?:里|中|上|去)?",
    re.IGNORECASE,
)
_MEANT = rf"(?:{ADMITTED}[,\s!。]*)*(?:我(?:是|的意思是|想|要)?说的?(?:是)?[,\s]*|{POINTING}(?=不是|是))?"
_CORRECTION = re.compile(
    rf"^{_MEANT}(?:不是(?P<old>[^,]+?)[,\s]*(?:而|应该)?是(?P<new>[^,]+)"
    r"|(?:应该)?是?(?P<new2>[^,]+?)[,\s]*(?:而)?不是(?P<old2>[^,]+))$"
)
_SHOULD_BE = re.compile(rf"^(?P<second>(?:算了|要不然?|不如|要么|我(?:是|的意思是)说的?(?:是)?|对[,\s]*就)[,\s]*)?(?:唉|哎|嗯|啊|哦)?[,\s]*(?P<admitted>(?:(?:{ADMITTED}|不是(?=[,\s]))[,\s!。]*)+)?(?P<should>(?:应该|应当|该|得|还是)(?:是|在|为|改到)?|是|改成|改为|改到)?(?P<new>[^,]+?)(?:才对|才是|吧)?$")
_ABOUT = re.compile(f"^(?:哎呀?|唉|哦)?[,\\s]*(?P<of>(?!{ADMITTED})[^,。]{{1,10}}?)(?:我|时间|日期)?(?:记|搞|弄|写|说|定)错了[,\\s]*(?=不是|应该|是)")
_ADMITTED = re.compile(f"^{ADMITTED}")
_EXCUSE = re.compile("[我你他她]|因为|没|想|真的|吧|吗")
_ALL_BUT = re.compile(
    r"^除了?(?P<but>[^,]+?)(?:以外|之外|外|没[做完办弄]+|不[删动])?(?:[,\s]+|(?=都|全|今天|今日|明天|昨天|这周|本周|其他|其它|其余|剩下))(?:其他|其它|其余|剩下|别)?的?.*(?:都|全).*$"
    r"|^(?:.*)(?:都|全).*[,\s]+除了?(?P<but2>[^,]+?)(?:以外|之外|外)?$"
)
_POINTS = re.compile(f"^(?:{POINTING}|(?:另|别|其他)(?:外|的)?(?:那)?一?[个条件]?)$")
_CANNOT = re.compile(r"(?:我|他|她|那边)*(?:不行|没空|没时间|来不及|去不了|不合适|不方便|有事|不可以)了?[,\s]*(?:要不|那就?|还是|改|换|改到|换到|挪到)*")
_INSTEAD = re.compile("(?:的?同一?时间|同样的?时间|时间不变|可以|行|吧|再|好了|[了。!])*")
_ANOTHER = re.compile(r"(?:再|多|帮我|给我|另外)*(?:加|设|添)(?:上|一?个|一下)*(?:提醒|闹钟)[,\s:吧]*")
_LONGEST_FIX = 10
_LONGER = 2


def literal(whole: Clause) -> Sequence[Create | Clarify] | None:
    """«新建任务：…»: whatever follows is a title, an order least of all."""
    match = _LITERAL.match(whole.flat)
    if not match:
        return None
    rest = whole.cut(match.start("rest"), match.end("rest"))
    if OVERRIDE.search(rest.flat):
        return [Create(title=rest.text[: titles.LONGEST])]
    parts = list(clause.clauses(rest))
    if EVERYONE.search(rest.flat) or any(endings.delete(part) for part in [rest, *parts]):
        parts = [rest]
    shared, made = Shared(), list[Create | Clarify]()
    for part in parts:
        made += creates.create(part, shared, told=True) or []
    return made or [Create(title=rest.text[: titles.LONGEST])]


def listed(whole: Clause) -> Create | None:
    """«加苹果到购物清单», «把牛奶放进清单里»."""
    match = _LISTED.fullmatch(whole.flat.strip(" 。!"))
    return Create(title=whole.text[match.start("thing") : match.end("thing")].strip()) if match and not whole.times else None


def correction(whole: Clause) -> Update | None:
    """«不是周三，是周四»; «说错了，是给李姐打电话不是给李杰»."""
    if place := openings.behind(whole.flat):
        whole = whole.cut(place, len(whole.text))
    if about := _ABOUT.match(whole.flat):
        return _corrected_of(whole, about)
    match = _CORRECTION.match(whole.flat.strip(" 。!"))
    if "是不是" in whole.flat or whole.flat.endswith(("吗", "?")):
        return None
    if not match:
        return _should_be(whole)
    new, old = ("new", "old") if match["new"] else ("new2", "old2")
    right = whole.cut(match.start(new), match.end(new))
    wrong = whole.cut(match.start(old), match.end(old))
    if right.moments and wrong.moments and not right.rest.flat.strip(" 的在是"):
        return _fixed(right)
    if right.flat.startswith("了") or not right.flat or right.flat in ("我", "你") or wrong.flat in ("我", "你"):
        return None
    if _POINTS.search(right.flat) or _POINTS.search(wrong.flat):
        return None
    if right.times or wrong.times or not _is_name_fix(whole.flat, right.flat, wrong.flat):
        return None
    inside = wrong.text if len(right.text) <= len(wrong.text) + _LONGER else None
    return Update(target=Target(text=wrong.text), changes=changes.changes(title=right.text, instead_of=inside))


def _corrected_of(whole: Clause, about: re.Match[str]) -> Update | None:
    """«那个会记错了，不是明天是后天»: of the task that stands in front."""
    told = correction(whole.cut(about.end(), len(whole.text)))
    if told is None or told.target.model_copy(update={"series": None}) != Target():
        return told
    return told.model_copy(update={"target": named(whole.cut(about.start("of"), about.end("of"))).target})


def _is_name_fix(flat: str, right: str, wrong: str) -> bool:
    if _ADMITTED.match(flat):
        return True
    return flat.startswith(("是", "不是")) and len(right + wrong) <= 2 * _LONGEST_FIX and not _EXCUSE.search(right + wrong)


def _should_be(whole: Clause) -> Update | None:
    """«不对，是下午四点», «应该是周五»."""
    match = _SHOULD_BE.match(whole.flat.strip(" 。!"))
    if not match or not (match["second"] or match["admitted"] or (match["should"] or "").startswith(("应", "该", "还"))):
        return None
    right = whole.cut(match.start("new"), match.end("new"))
    return _fixed(right) if right.moments and not right.rest.flat.strip(" 的在是吧了") else None


def _fixed(right: Clause) -> Update:
    return Update(target=Target(), changes=changes.moved_to(right.moments[0], Target(), fix=True))


def impossible(whole: Clause) -> Update | None:
    """«周四不行，周五同一时间»: the other time instead."""
    whens = whole.moments
    if len(whens) != len(whole.times) or len(whens) != 2:
        return None
    old, new = whole.times
    if not _CANNOT.fullmatch(whole.flat[old.end : new.start]) or not _INSTEAD.fullmatch(whole.flat[new.end :]):
        return None
    if not re.fullmatch("(?:又|他|她|对方|那边|客户)*说?", whole.flat[: old.start].strip(" ,")):
        return None
    return Update(target=Target(), changes=changes.moved_to(whens[1], Target(), whole.flat))


def all_but(whole: Clause) -> Complete | Delete | None:
    """«除了洗车，今天的都做完了»."""
    match = _ALL_BUT.match(whole.flat.strip(" 。!"))
    if not match:
        return None
    group = "but" if match["but"] else "but2"
    but = named(whole.cut(match.start(group), match.end(group))).target.text
    rest = whole.cut(match.end("but"), len(whole.text)) if match["but"] else whole.cut(0, match.start("but2") - 2)
    found = deeds.complete(rest) or endings.delete(rest) or []
    told = found[0] if len(found) == 1 else None
    if not but or not isinstance(told, Complete | Delete) or not (told.target.every or not told.target.text):
        return None
    target = told.target.model_copy(update={"every": True, "but": but})
    return told.model_copy(update={"target": target})


def rather(whole: Clause) -> Update | None:
    """«不用每天，工作日就行»."""
    whens = whole.moments
    if len(whens) != len(whole.times) or len(whens) != 2 or not whens[1].rrule:
        return None
    (old, new), flat = whole.times, whole.flat
    if not re.fullmatch("(?:不用|不要|不必|别|不是)", flat[: old.start]) or flat[old.end : new.start].strip(" ,的了就是"):
        return None
    if not re.fullmatch("(?:就|都|也|可以|行|好|够)*[了吧。!]*", flat[new.end :]):
        return None
    return Update(target=Target(), changes=changes.moved_to(whens[1], Target(), flat))


def another_ring(whole: Clause) -> Update | None:
    """«再加一个提醒，提前一天», of what was planned last."""
    said = _ANOTHER.match(whole.flat)
    if not said or not whole.leads or whole.moments or whole.cut(said.end(), len(whole.text)).rest.flat.strip(" ,、和。!吧"):
        return None
    return joining.lead(whole)


def not_for_us(flat: str) -> bool:
    """Orders to the system, and what belongs to other people: only text here."""
    return bool(OVERRIDE.search(flat) or EVERYONE.search(flat))


def single(whole: Clause, last_query: Query | None) -> Action | None:
    zone = settings.setting(whole) if settings.is_zone(whole) or settings.is_quiet(whole) else None
    paging = queries.paging(whole.flat, last_query)
    told = zone or endings.undo(whole.flat) or paging or listed(whole)
    return told or correction(whole) or impossible(whole) or rather(whole) or another_ring(whole) or all_but(whole)

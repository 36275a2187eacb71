"""Whether a message answers the question that is open, by rules alone."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from agent import choices, rules
from agent.analysis import Said
from planner.when import Found, Lead, When, find, leads
from planner.when.text import number, plain

_ENDS = " \t\n,.。!！?？~～、;；:：“”\"'"
_CANCEL = re.compile(
    r"(?:那|还是)?(?:算了|不用了?|不要了|取消吧?|取消了|不必了?|不需要了?|没事了?|放弃|别管了?|先不"
    r"|都?不是这?[个些]?|都不(?:要|是|对|删|改)?|(?:先|都|那就|还是)?(?:不|别)(?:删|改|取消|动|弄|加|记|设|提醒|完成)了?|一个都(?:不|别).{0,2}"
    r"|以后再说|再说|下次吧?|当我没说|cancel|never ?mind)(?:吧|啦|了|先这样|谢谢|哈|,)*",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:是的?|好的?|确认|确定|对的?|嗯+|行|可以|没错|删吧?|删掉|删了|要的?|同意|继续|yes|y|ok|okay|1|就这样|执行|没问题"
    r"|当然|必须的?|全删了?|都删了?|全部删除?|都不要了|全不要了|嗯|sure)(?:[呀啊吧哦呢了的,\s]|删除?|确认|确定|是的?|删掉?|好的?|可以|就这样|没错)*",
    re.IGNORECASE,
)
_NO = re.compile(
    "(?:不|不是|别|不行|不要|不可以|不对|否|先别|先不|no|n|2|不删|别删|不确定|等等|等一下|错了)"
    "(?:[呀啊吧哦呢了的]|删除?|动)*",
    re.IGNORECASE,
)
_POSITION = re.compile(
    r"(?:我?选|就|是|要|删|改|取消|完成|那|应该|把)*第?(?P<number>\d{1,2}|[一二两三四五六七八九十]{1,3})"
    r"(?:[个条项件号]|号?吧|那[个条项件]|[.、])*(?:任务)?(?:吧|的|啊|呀|谢谢|删掉?|取消|了|[,\s])*"
)
_LAST = re.compile("(?:我?选|就|是|要|那)*(?:最后|最下面|末尾)(?:的?那?一?[个条项件])?(?:吧|的)?")
_OTHER = re.compile("(?:我?选|就|是|要|那)*(?:(?P<former>前面|前一|上面)|(?P<latter>后面|后一|下面|另))(?:的?那?一?[个条项件]|的)(?:吧|的)?")
_AROUND = re.compile(
    r"(?:[\s,.。!~:;]|就|那就?|在|定|改|放|换|挪|推|到|成|为|是|吧|好了?|的|提醒|我|左右|可以|行|嗯|哦|啊|呢|开始|叫|安排)*"
)
_BREATH = re.compile(r"[,，。\s吧嗯哦啊呢]+")
_INSTRUCTION = re.compile("^(?:请|帮我|把|给我|取消|删|新建|添加|提醒我|撤销|列出|查|今天有|明天有)|完了|有什么|[?？吗]$")
_FILLERS = re.compile(r"[\s的了吧呢啊把给去要,.。!那这个是就选条项]")
_LONGEST_TITLE = 60
_POLITE = 6


@dataclass(frozen=True)
class Fit:
    """`value`: {position} from 1, with {series} where the whole of it was said · {positions}, several of them · {when, start, end, all_day} · {remind} · {yes} · {title}."""

    kind: Literal["answer", "cancel"]
    value: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Heard:
    text: str
    flat: str
    options: Sequence[str]
    sent_at: datetime
    zone: ZoneInfo

    def times(self) -> list[Found]:
        return find(self.text, self.sent_at, self.zone)


def fit(*, missing: str, options: Sequence[str], text: str, sent_at: datetime, zone: ZoneInfo) -> Fit | None:
    """None where it is no answer, which makes it a new instruction."""
    words = text.strip().strip(_ENDS)
    heard = _Heard(words, plain(words).strip(_ENDS), options, sent_at, zone)
    if not heard.flat:
        return None
    if _CANCEL.fullmatch(heard.flat):
        return Fit("cancel")
    reader = _READERS.get(missing)
    return reader(heard) if reader else None


def _target(heard: _Heard) -> Fit | None:
    if positions := choices.several(heard.flat, heard.options):
        return Fit("answer", {"positions": positions})
    if turn := choices.turn(heard.flat, heard.options):
        whole = {"series": True} if choices.repeats(heard.options[turn - 1]) else {}  # nobody is asked once more
        return Fit("answer", {"position": turn, **whole})
    position = _position(heard.flat, len(heard.options))
    if position is None:
        position = _named(heard)
    return Fit("answer", {"position": position}) if position else None


def _position(flat: str, count: int) -> int | None:
    if _LAST.fullmatch(flat):
        return count or None
    if (other := _OTHER.fullmatch(flat)) and count == 2:
        return 1 if other["former"] else 2
    match = _POSITION.fullmatch(flat)
    place = number(match["number"]) if match else 0
    return place if 1 <= place <= max(count, 1) else None


def _named(heard: _Heard) -> int | None:
    """The one option that the words fit; an option said in full wins over one that only holds the words."""
    words = _bare(heard.text)
    if not words or _INSTRUCTION.search(heard.flat):
        return None
    shown = [_bare(option) for option in heard.options]
    for fits in _FITS:
        found = [place for place, option in enumerate(shown, 1) if fits(option, words)]
        if found:
            return found[0] if len(found) == 1 else None
    return _by_time(heard)


def _bare(text: str) -> str:
    return _FILLERS.sub("", plain(text).lower())


def _title_in(option: str, words: str) -> bool:
    return len(option) >= 2 and option in words and len(words) <= len(option) + 3


# The same words, some of its words, its title among a few others.
_FITS: tuple[Callable[[str, str], bool], ...] = (
    lambda option, words: option == words,
    lambda option, words: words in option,
    _title_in,
)


def _by_time(heard: _Heard) -> int | None:
    """«周五那个» of options that name their days."""
    meant = _only_time(heard)
    if meant is None or meant.start is None:
        return None
    found = [place for place, option in enumerate(heard.options, 1) if _on_day(option, meant, heard)]
    return found[0] if len(found) == 1 else None


def _on_day(option: str, meant: When, heard: _Heard) -> bool:
    whens = [told.when for told in find(option, heard.sent_at, heard.zone) if isinstance(told.when, When)]
    return any(when.start and meant.start and when.start.date() == meant.start.date() for when in whens)


def _only_time(heard: _Heard) -> When | None:
    """The one time that the message consists of, give or take «就…吧»."""
    for text in (heard.text, _BREATH.sub("", heard.text)):  # «明天吧，三点» is one time
        times, flat = find(text, heard.sent_at, heard.zone), plain(text)
        if times and len({(told.start, told.end) for told in times}) == 1:
            told = times[0]
            before, after = flat[: told.start], re.sub("那[个条天]", "", flat[told.end :])
            if _AROUND.fullmatch(before) and _AROUND.fullmatch(after):
                return told.when if isinstance(told.when, When) else None
    return None


def _when(heard: _Heard) -> Fit | None:
    """A time, or the number of one that was offered; an option's own text is a time."""
    place = _position(heard.flat, len(heard.options)) or _by_time(heard) if heard.options else None
    offered = _only_time(replace(heard, text=heard.options[place - 1])) if place else None
    told = offered or _only_time(heard)
    if told is None or told.at is None:
        return None
    end = told.end if told.kind == "span" and not told.point else None
    value: dict[str, Any] = {
        "when": told.words,
        "start": told.at.isoformat(),
        "end": end.isoformat() if end else None,
        "all_day": told.all_day,
    }
    repeat = {"repeat": told.words, "rrule": told.rrule} if told.rrule else {}
    return Fit("answer", value | repeat)


def _remind(heard: _Heard) -> Fit | None:
    """A lead («提前10分钟», «10分钟») or a moment."""
    said = leads(heard.text) or leads(f"{heard.text}提醒") or _bare_lead(heard.text)
    if said and len(heard.flat) <= len(said[0].words) + _POLITE:
        return Fit("answer", {"remind": [lead.words for lead in said]})
    return _when(heard)


def _bare_lead(text: str) -> list[Lead]:
    """«10分钟» alone."""
    said = leads(f"提前{text}")
    return said if said and said[-1].words == f"提前{text}" else []


def _confirm(heard: _Heard) -> Fit | None:
    if _NO.fullmatch(heard.flat):
        return Fit("cancel")
    return Fit("answer", {"yes": True}) if _YES.fullmatch(heard.flat) else None


def _title(heard: _Heard) -> Fit | None:
    if len(heard.text) > _LONGEST_TITLE or heard.times() or _INSTRUCTION.search(heard.flat) or _says_else(heard):
        return None
    return Fit("answer", {"title": heard.text})


def _says_else(heard: _Heard) -> bool:
    """«提前一小时叫我», «好的谢谢»: no name of a thing to do."""
    said = rules.analyse([Said(text=heard.text, sent_at=heard.sent_at)], zone=heard.zone)
    return said.certain and not any(action.op in ("create", "clarify") for action in said.analysis.actions)


_READERS: dict[str, Callable[[_Heard], Fit | None]] = {
    "target": _target,
    "when": _when,
    "remind": _remind,
    "confirm": _confirm,
    "title": _title,
}

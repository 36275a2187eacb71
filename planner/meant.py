"""Which of some tasks a follower's words mean: by name, by day, by clock. Pure; looks at `title` and `start` alone."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, TypeVar
from zoneinfo import ZoneInfo

if TYPE_CHECKING:  # pydantic is not loaded by those who only ring
    from planner.actions import Target

POINTING = (
    "", "那个", "这个", "它", "刚才的", "刚才那个", "刚刚的", "刚刚那个", "刚才", "刚刚", "上一个", "上一条",
    "这件事", "那件事", "这件", "那件", "这条", "那条", "这项", "那项", "这事", "那事",
)  # fmt: skip
FILLERS = "的了吧呢啊把给去要 ，。！？、“”\"'"
HALF_DAY = timedelta(hours=12)

# «会议» and «开会» are a «会»; what is done to a thing is no part of its name.
_SAME = [(re.compile("会议|开会|例会|开个会|meeting", re.IGNORECASE), "会"), (re.compile("電話|电话会"), "电话"),
         (re.compile("饭局|吃个?饭|聚餐|约饭"), "饭")]
_VERB = re.compile(
    "^(?:参加|去看|看|去|写|交|提交|开|买|做|办理?|取|拿|打|跟|和|与|给|收拾|整理|打扫|清理|洗|修|还|寄|发|背|练|付|缴|续|订|预订|约|预约|换|准备|处理|完成)+(?=..)"
)
_TAIL = re.compile("(?<=..)(?:任务|提醒|安排|日程|计划|约会|预约|事情)$")
_CERTAIN = 2.0


class Planned(Protocol):
    """A task, as far as words can mean it."""

    @property
    def title(self) -> str: ...
    @property
    def start(self) -> datetime | None: ...


Some = TypeVar("Some", bound=Planned)


def points(target: "Target") -> bool:
    """«那个»: no name and no time."""
    return plain(target.text) in POINTING and target.start is None


def choose(tasks: Sequence[Some], target: "Target", zone: ZoneInfo) -> list[Some]:
    """One is certain, several are a question, none is said. Only the best kind of fit counts."""
    if target.when and target.text and (whole := _titled(tasks, plain(target.when + target.text))):
        return whole
    around = within(tasks, target, zone)
    if target.every:
        excepted = named(plain(target.but), around) if target.but else []
        return [task for task in around if task not in excepted]
    words = plain(target.text)
    return around if target.unnamed or words in POINTING else named(words, around)


def _titled(tasks: Sequence[Some], words: str) -> list[Some]:
    """«双十一抢购» is a name, whenever it is."""
    return [task for task in tasks if words in plain(task.title)]


def within(tasks: Sequence[Some], target: "Target", zone: ZoneInfo) -> list[Some]:
    """Those of the day or the instant that was named; without a day, those of any day at that clock."""
    start = target.start
    if start is None:
        return list(tasks)
    end = target.end or start + timedelta(minutes=1)
    found = [task for task in tasks if task.start is not None and start <= task.start < end]
    if found or not target.any_day:
        return found
    if target.end is not None:  # «晚上那个»
        return [task for task in tasks if task.start is not None and _in_part(task.start, start, end, zone)]
    return _at(tasks, start, zone) or _at(tasks, start - HALF_DAY, zone)


def _in_part(moment: datetime, start: datetime, end: datetime, zone: ZoneInfo) -> bool:
    """Of whatever day."""
    first, last, told = (each.astimezone(zone).time() for each in (start, end, moment))
    return first <= told < last if first <= last else told >= first or told < last


def _at(tasks: Sequence[Some], clock: datetime, zone: ZoneInfo) -> list[Some]:
    wanted = clock.astimezone(zone).time()
    return [task for task in tasks if task.start is not None and task.start.astimezone(zone).time() == wanted]


def plain(text: str) -> str:
    """Words to compare: NFKC, lower case, without fillers and punctuation."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if char not in FILLERS)


def named(words: str, tasks: Sequence[Some]) -> list[Some]:
    scored = [(task, fit(words, plain(task.title))) for task in tasks]
    best = max((score for _, score in scored), default=0.0)
    return [task for task, score in scored if score == best] if best > 0 else []


def fit(words: str, title: str) -> float:
    """3 the same · 2 the title holds the words · 1.5 the words hold the title · 1.2 so by their core · below 1 the
    share of common pairs."""
    if not words or not title:
        return 0.0
    if words == title:
        return 3.0
    if words in title:
        return _CERTAIN
    if len(title) >= 2 and title in words:
        return 1.5
    heart, other = core(words), core(title)
    if heart and (heart in other or (len(other) >= 2 and other in heart)):
        return 1.2
    if _abridged(words, title):
        return 0.9
    pairs = _pairs(words)
    share = len(pairs & _pairs(title)) / len(pairs) if pairs else 0.0
    return share if share >= 0.5 else 0.0


def _abridged(words: str, title: str) -> bool:
    """«还书» of «还图书馆的书»: beginning and end, and all between in order."""
    if len(words) < 2 or words[0] != title[0] or words[-1] != title[-1]:
        return False
    rest = iter(title)
    return all(char in rest for char in words)


def core(text: str) -> str:
    """The thing itself: «和客户开会» is a «客户会»."""
    for pattern, same in _SAME:
        text = pattern.sub(same, text)
    return _TAIL.sub("", _VERB.sub("", text))


def _pairs(text: str) -> set[str]:
    return {text[i : i + 2] for i in range(len(text) - 1)}

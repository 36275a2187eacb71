"""Questions about the plan."""

import re
from datetime import datetime
from typing import Literal

from agent.analysis import Query
from agent.rules.clause import Clause
from agent.rules.words import REMIND, THINGS
from planner.when import When

_PLANS = "事|安排|任务|待办|会|要做|要办|没做|没完成|活动|计划|行程|日程"
_ASKING = (
    rf"有(?:什么|啥|哪些|哪几|几[个件项]|多少|没有(?:什么)?)(?:.{{0,4}}?(?:{_PLANS}).{{0,4}})?"
    r"|(?:什么|啥|哪些|哪几个|多少个?|几[个件])(?:安排|事|任务|待办|会|日程|计划|活动|要做的?|没?(?:做完|完成)的?)"
    r"|几点|什么时候|啥时候|哪天|几号|有空|空不空|忙不忙|忙吗|安排了(?:什么|啥)|排了什么|满不满"
    r"|(?:要|该|得)?(?:做|干)(?:什么|啥|嘛)|干嘛|完成了(?:什么|哪些|多少|几)|都?有(?:什么|啥|哪些)$|来着$"
)
_ORDER = (
    r"(?:列出|列一下|列|看看|看一下|看下|查看|查一下|查下|查查|查询|显示|展示|发一下|告诉我|给我看看?|说说|报一下|汇总一下)(?:一?下)?"
    r"(?:我|的|所有|全部|一共|还|没|完成|做完|逾期|过期|未|已|剩下|现在|目前|\s)*"
    rf"(?:{THINGS}|清单|列表|日历|行程|没做完的|逾期的|有什么.*|有哪些.*)"
)
_ASK = re.compile(_ASKING)
_SHOW = re.compile(_ORDER)
_LIST_ONLY = re.compile(
    r"(?:我|的|所有|全部|全部的|现在|目前|剩下|还|没|未|完成|做完|逾期|过期|已|已经|过|了|\s)*"
    rf"(?:{THINGS}|(?:任务|待办|日程)?(?:清单|列表)|没做完的|没完成的|未完成的?|逾期的?|过期的?|过了期的|已完成的?|完成的|做完的|行程)"
    r"(?:呢|吧|有吗|吗)?"
)
_AND = re.compile(
    r"(?:那|还有)?(?:呢|怎么样|如何|的呢|还有吗|有事吗|有安排吗|有会吗|有什么|的安排|安排|忙吗|有空吗|的|\?|\s)*"
)
_NEXT = re.compile(r"(?:下一?页|下页|更多|后面的|还有吗|继续|接着看|翻页|看更多)[的呢吧]*")
_BACK = re.compile(r"(?:上一页|上页|前一页)[的呢吧]*")
_DONE = re.compile("完成了|做完了|已完成|已经完成|完成的|做完的|完成过")
_NOT_DONE = re.compile("没|未|还")
_OVERDUE = re.compile("逾期|过期|过了期|拖延|超时")
_NOT_HERE = re.compile(r"还?有(?:几天|多久|多少天)|天气|气温|温度|雨|歌|播放|开播|怎么|为什么|是不是|在哪|多少钱|^你|好还是")
_NO_WORDS = re.compile(
    rf"{_ASKING}|{_ORDER}|{THINGS}|清单|列表|我们?|请|帮|一下|那么?|的|了|都|还|要|有|吗|呢|啊|是|在|没|未|做完|完成"
    r"|所有|全部|逾期|过期|[?,。!\s]"
)


def paging(flat: str, last: Query | None) -> Query | None:
    """«下一页» of what was last asked."""
    words = flat.strip(" ,.。!?~")
    step = 1 if _NEXT.fullmatch(words) else -1 if _BACK.fullmatch(words) else 0
    if not step or last is None:
        return None
    return last.model_copy(update={"page": max(1, last.page + step)})


def query(clause: Clause) -> Query | None:
    flat = clause.flat.strip(" .。!")
    if clause.leads or _NOT_HERE.search(flat) or re.search(rf"{REMIND}我(?!有|还有|今天|明天|都有)", flat):
        return None
    when = next((when for when in clause.moments if when.kind != "recurrence"), None)
    if not _asked(clause, flat, when):
        return None
    start, end = _range(when)
    return Query(range=when.words if when else "", start=start, end=end, text=_keyword(clause), status=_status(flat))


def _asked(clause: Clause, flat: str, when: When | None) -> bool:
    words = clause.rest.flat.strip(" ,.。!?")
    if _ASK.search(flat) or _SHOW.search(words):
        return True
    if _LIST_ONLY.fullmatch(words) and words and not clause.length and not (when and when.has_clock):
        return True
    return bool(when and not when.has_clock and when.kind in ("day", "span") and _AND.fullmatch(words))


def _range(when: When | None) -> tuple[datetime | None, datetime | None]:
    """A deadline («周五前») asks from now on; an instant has no end."""
    if when is None:
        return None, None
    if when.kind == "deadline":
        return None, when.end
    return when.start, when.end


def _status(flat: str) -> Literal["open", "done", "overdue"]:
    if _OVERDUE.search(flat):
        return "overdue"
    return "done" if _DONE.search(flat) and not _NOT_DONE.search(flat) else "open"


def _keyword(clause: Clause) -> str:
    """What is asked about: «下周三几点开会» is about 开会."""
    clause = clause.rest
    pieces, place = [], 0
    for match in _NO_WORDS.finditer(clause.flat):
        pieces.append(clause.text[place : match.start()])
        place = match.end()
    words = max([*pieces, clause.text[place:]], key=len).strip()
    return words if len(words) > 1 else ""

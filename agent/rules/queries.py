"""Questions about the plan."""

import re
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal

from agent.analysis import Query
from agent.rules.clause import Clause
from agent.rules.words import REMIND, THINGS
from planner.when import When

_PLANS = "事|安排|任务|待办|会|要做|要办|没做|没完成|活动|计划|行程|日程|约|局|应酬|课|闹钟|提醒"
_ASKING = (
    rf"哪天.{{0,6}}没事|几天没(?:排|安排)|有(?:什么|啥|哪些|哪几|几[个件项次节堂场回]|多少|没有(?:什么)?)(?:.{{0,4}}?(?:{_PLANS}).{{0,4}})?"
    r"|(?:什么|啥|哪些|哪几个|多少个?|几[个件])(?:安排|事|任务|待办|会|日程|计划|活动|要做的?|没?(?:做完|完成)的?)"
    r"|几点|什么时候|啥时候|什么时间|最闲|哪[一]?天|几号|星期几|周几|有空|有时间吗|有没有空|能不能(?:约|安排|排)(?!.*(?:[和跟]))|空不空|空吗|忙不忙|忙吗|忙么|(?:安排|排)了(?:些|点)?(?:什么|啥|哪些)|满不满|满了?吗|记了(?:些|多少|几|什么|啥|哪些)|(?:还)?剩下?了?(?:什么|啥|哪些|多少|几)|排满了?[吗没]|约满了?[吗没]|有(?:没有)?(?:别的|其他|其它|要紧的?)(?:什么)?(?:事|安排|任务|会|约|活动)|方便吗"
    r"|(?:要|该|得)?(?:做|干)(?:点|些)?(?:什么|啥|嘛)|(?:做|干|办|完成)完?了?(?:些)?(?:什么|啥|哪些|多少|几)|干嘛|都?有(?:什么|啥|哪些)$|来着$|有事[吗么不没]|有(?:安排|事儿?|任务|会|课|约|活动)没有?$|忙(?:些|点)?(?:什么|啥)|有约[吗么]?|能约吗|(?:约|见)了?谁|[和跟]谁(?:约|吃|见|开)|第一[个件项](?:事情?|安排|会)?(?:是什么|是啥|[做干]什么|干嘛)|有(?:课|局|会|安排|事|约)[吗么]"
    r"|(?:哪些|什么|啥|几个|几件).{0,3}(?:逾期|过期|没做|没完成|完成)|(?:逾期|过期)了?(?:哪些|什么|多少|几)"
    r"|what'?s (?:on|up|next|my)|what do i have|am i free|when is|do i have"
)
_ORDER = (
    r"(?:列出|列一下|列|看看|看一下|看下|看|查看|查一下|查下|查查|查询|查|显示|展示|发一下|发我|告诉我|给我看看?|说说|说一下|报一下|汇总一下|打开|瞧瞧|瞅瞅|瞄一眼)(?:一?下)?"
    r"(?:我|的|所有|全部|一共|还|没|完成|做完|逾期|过期|未|已|剩下|现在|目前|一下|重复|\s)*"
    rf"(?:{THINGS}|清单|列表|日历|行程|会议?|没做完的|逾期的|有什么.*|有哪些.*|有没有.*)"
    r"|(?:show|list|view|check)(?: me)?(?: my| all| the| today'?s| tomorrow'?s)*\s*(?:tasks?|todos?|to-?dos?|schedule|plans?|agenda|calendar|reminders?)"
)
_ASK = re.compile(rf"{_ASKING}|(?:没|未)(?:做完|完成|办)?的都?(?:列|发|报|说|给我看)|下一?[个件项次场].{{0,6}}(?:是什么|是啥)", re.IGNORECASE)
_WHOSE = rf"(?:列|看|查|打开)(?:一?下|看|查)?[^,的明今后昨周下我]{{1,4}}的(?:{THINGS})"
_SHOW = re.compile(f"{_ORDER}|{_WHOSE}", re.IGNORECASE)
_LISTED = re.compile(rf"(?:把|将)[^,]{{0,8}}(?:{THINGS}|行程|事情?)都?(?:给我)?(?:列|发|报|说|念|讲|过)(?:一下|一遍|出来|给我|个单子)*(?:吧|呗)?$")
_JOINED = ("和", "跟", "、", "与", "还有", ",", "")
_WAS = re.compile("^(?P<what>[^,]{1,8}?)不是[^,]{1,8}吗")
_BARE_SHOW = re.compile(r"(?:帮我|给我|请|我想|我要)*(?:查询|查看|查一?下|看看|看一?下|查查|列出|列一下)(?:一下)?(?:呗|吧|啊)?")
_FREE = re.compile("[腾抽]得?出|哪天.{0,6}没事|几天没(?:排|安排)|能不能(?:约|安排|排)|最闲|最空|不忙|清闲|[满](?:了)?[吗没]|有空|空不空|空吗|空闲|空档|空余|有时间吗|有没有空|有没有时间|忙不忙|忙吗|忙么|满不满|满吗|方便吗|能约吗|约得上|闲[吗着不]|am i free|free time")
_NEXT_UP = re.compile("接下来|最近|[这近][几两]天|近期|这阵子|下一[个件项]|下[个件](?!星期|礼拜|月|周)|待会儿?|等会儿?|马上|之后|后面")
_LIST_ONLY = re.compile(
    r"(?:我|的|所有|全部|全部的|现在|目前|剩下|还|没|未|完成|做完|逾期|过期|已|已经|过|了|\s)*"
    rf"(?:{THINGS}|(?:任务|待办|日程|提醒|闹钟|事项)?(?:清单|列表|一览|汇总)|完成情况|(?:完成)?进度|没做完的|没完成的|未完成的?|逾期的?|过期的?|过了期的|已完成的?|完成的|做完的|行程|日历|to-?do(?: list)?|my (?:tasks|schedule|plan|agenda)|agenda|schedule)"
    r"(?:的?(?:完成情况|进度|情况))?(?:呢|吧|有吗|吗|一下)?",
    re.IGNORECASE,
)
_AND = re.compile(
    r"(?:那|还有)?(?:呢|怎么样|如何|的呢|还有吗|有事吗|有安排吗|有会吗|有什么|的安排|安排|的行程|行程|忙吗|有空吗|的|\?|\s)*"
)
_WHERE = re.compile("^(?P<what>[^你我他她它,]{2,12}?)(?:是|开|办)?在(?:哪里?|哪儿|什么地方|几楼)(?:开|办|集合|见面?|吃)?(?:来着|啊|呀|呢)*$")
_MORE_OF = re.compile("^(?P<what>[^你我,]{2,8}?)(?:的安排|还有[吗么没]|还[有剩]几[次回]|(?:完成|做完|弄完|办完|办好|搞定)了?(?:吗|没有?))$")
_REMINDED_WHEN = re.compile(f"^(?:你)?(?:会)?(?:几点|什么时候|啥时候|哪天|多会儿)(?:会|要|来)?{REMIND}我(?:的|啊|呀|呢)?$")
_ANY = re.compile("有(?:没有)?[^,有]{1,6}(?:吗|么|没有?)$")
_NEXT = re.compile(r"(?:下一?页|下页|更多|后面的|还有吗|继续|接着看|翻页|看更多)[的呢吧]*")
_BACK = re.compile(r"(?:上一页|上页|前一页)[的呢吧]*")
_DONE = re.compile("完成情况|[做干办]了些|[做办干]完了?(?:什么|啥|哪些|多少|几)|完成了|做完了|已完成|已经完成|完成的|做完的|完成过|[做干办]了(?:什么|啥|哪些|多少|几)|完成(?:多少|几|哪些)")
_WHICH_DAY = re.compile("哪[一]?天")  # «我哪天下午没事»
_NOT_DONE = re.compile("没|未|还")
_OVERDUE = re.compile("逾期|过期|过了期|拖延|超时")
_NOT_HERE = re.compile(r"(?:要是|如果|等).{0,4}有(?:空|时间)|有(?:空|时间)(?:的话|了?就|的?时候|再)|(?<!会)还?有(?:几天|多久|多少天)(?!.{0,3}(?:没|有空|空))|天气|气温|温度|雨|歌|播放|开播|怎么(?!安排)|为什么|是不是|多少钱|^你(?!帮|给|说|看|查|觉得我|都?记了)|好还是|吃什么|穿什么|买什么|送什么|喝什么|看什么")
_A_WHILE = timedelta(hours=1)
_NO_WORDS = re.compile(
    rf"(?:列|发|报|说)(?:给我|一下|出来)|剩下?的?|那几天|{_ASKING}|{_ORDER}|上[次回]那?个?的?|[那这]个|是什么(?!时)|是啥(?!时)|最闲|最空|清闲|{THINGS}|清单|列表|我们?|请|帮|一下|那么?|一共|总共|的|了|都|还|要|有|吗|呢|啊|是|在|没|未|[做干弄忙办]完|完成"
    r"|所有|全部|逾期|过期|[约定排]在|[约定](?=的|了|$)|接下来|最近几天|最近|[这近][几两]天|近期|这阵子|别的|其他|其它|假期|过年|[年节]前|[年节]后|那几天|那天|期间|快要?到期?|到期|完成情况|进度|情况|下一[个件项次场]?|下[个件次场]|待会儿?|等会儿?|现在|目前|重复|周期|查一?下|看一?下|看看|你|我?想知道|想问|请问|你?觉得|(?:刚才|刚刚)?你?记[的了]|告诉|第一[个件项]|头一[个件]|最后一[个件]|[?,。!\s]",
    re.IGNORECASE,
)


def paging(flat: str, last: Query | None) -> Query | None:
    """«下一页» of what was last asked."""
    words = flat.strip(" ,.。!?~")
    step = 1 if _NEXT.fullmatch(words) else -1 if _BACK.fullmatch(words) else 0
    if not step or last is None:
        return None
    return last.model_copy(update={"page": max(1, last.page + step)})


def query(clause: Clause) -> Query | None:
    flat = clause.flat.strip(" .。!?")
    if not clause.spans and (named := _WHERE.match(flat) or _MORE_OF.match(flat)):
        return Query(text=clause.text[named.start("what") : named.end("what")])
    if _REMINDED_WHEN.match(flat):
        return Query()
    if clause.moments and (was := _WAS.match(clause.flat)):  # «那个会不是周三吗»
        return Query(text=re.sub("^那个|^这个|的时间$", "", clause.text[was.start("what") : was.end("what")]))
    if clause.leads or _NOT_HERE.search(flat) or re.search(rf"{REMIND}我(?!有|还有|今天|明天|都有)", flat):
        return None
    when = next((when for when in clause.moments if when.kind != "recurrence"), None)
    if when and not when.has_day and _WHICH_DAY.search(flat):
        when = None
    if not _asked(clause, flat, when):
        return None
    start, end = _range(when)
    if last := _last_of(clause, when):
        end = last.end
    if start and not end and _FREE.search(flat) and when and when.has_clock:
        end = start + _A_WHILE
    if when is None and _NEXT_UP.search(flat):
        start = clause.sent_at
    free, status = bool(_FREE.search(flat)), _status(flat)
    words = "" if free else _keyword(clause)
    return Query(range=when.words if when else "", start=start, end=end, text=words, status=status, free=free)


def _asked(clause: Clause, flat: str, when: When | None) -> bool:
    words = clause.rest.flat.strip(" ,.。!?")
    if _BARE_SHOW.fullmatch(flat) or (when and _BARE_SHOW.fullmatch(words)) or (_LISTED.search(words) and not any(each.rrule for each in clause.moments)):
        return True
    if _ASK.search(flat) or _SHOW.search(words):
        return True
    if _LIST_ONLY.fullmatch(words) and words and not clause.length and not (when and when.has_clock):
        return True
    named = _ANY.search(words) or _AND.fullmatch(words)
    return bool(when and not when.has_clock and when.kind in ("day", "span") and named)


def _range(when: When | None) -> tuple[datetime | None, datetime | None]:
    """A deadline («周五前») asks from now on; an instant has no end; a loose word («月底») asks for all that it may mean."""
    if when is None:
        return None, None
    if when.loose:
        return when.loose
    if when.kind == "deadline":
        return None, when.end
    return when.start, when.end


def _last_of(clause: Clause, first: When | None) -> When | None:
    """«明天和后天的安排»: up to the last of the days."""
    if first is None or first.start is None or not all(when.all_day and when.end for when in clause.moments):
        return None
    joined = all(clause.flat[one.end : two.start].strip() in _JOINED for one, two in pairwise(clause.times))
    last = clause.moments[-1]
    return last if joined and last.start and last.start > first.start else None


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
    words = re.sub("^[他她它](?=..)", "", words)
    return words if len(words) > 1 else ""

"""Where a task is, and changes without a verb of change: «换到三楼», «最后一个明天做», «培训到六点»."""

import re

from agent.analysis import Changes, Target, Update
from agent.rules import changes
from agent.rules.clause import Clause
from agent.rules.targets import named

_DONE_THEN = re.compile("(?:再|就|去|来)*(?:做|弄|办|说|搞|处理|完成)?(?:吧|啊|了)*")
_TO_CLOCK = re.compile("^(?P<target>[^,到至去]{2,8}?)(?:要|会|得|开|上|一直)*(?:到|至)(?=[^哪])")

_PLACE = re.compile(
    r"^(?:把|将)?(?P<target>.*?)的?(?P<what>地点|地址|位置|会议室)(?:改|换|变|定)(?:到|成|为|在)(?P<new>.+)$"
)
_ELSEWHERE = re.compile(r"^(?:把|将)?(?P<target>[^,]{2,12}?)(?:改|换|挪|移)(?:到|在)(?!以后|之后|改天|下次|别|其他|哪|什么|[早晚])(?P<new>[^,]{2,20}?)(?:举行|召开|进行|开)?$")
_TO_PLACE = re.compile(
    r"^(?:地点)?(?:换|改|挪|移)(?:到|在|成|为)(?P<new>[^,]{1,12}(?:[室厅楼店馆路号层院]|线上|线下|广场|门口|公司|[我你他她]?家))(?:吧|了)?$"
)
_PLACED = re.compile(r"^(?P<what>地点|地址|位置|会议室|会议号)(?:就|定)?(?:在|是|为|:|\s)?(?![改换变定不呢在是哪])(?P<new>.+)$")


def put(clause: Clause) -> Update | None:
    """«最后一个明天做», «第二个放到周五再弄», of what was listed."""
    if len(clause.spans) != 1 or not clause.moments:
        return None
    start, end = clause.spans[0]
    if not _DONE_THEN.fullmatch(clause.flat, end):
        return None
    target = named(clause.cut(0, start)).target
    if target.position is None:
        return None
    return Update(target=target, changes=changes.moved_to(clause.moments[0], target))


def elsewhere(clause: Clause) -> Update | None:
    """«开会的地点改成三楼», «换到五号会议室»."""
    if (moved := _TO_PLACE.match(clause.flat)) and not clause.times:
        return Update(target=Target(), changes=Changes(notes=f"地点：{changes.new_words(clause, moved)}"))
    if (match := _PLACED.match(clause.flat)) and not clause.times:
        return Update(target=Target(), changes=Changes(notes=f"{match['what']}：{changes.new_words(clause, match)}"))
    match = _PLACE.match(clause.flat) or _ELSEWHERE.match(clause.flat)
    if not match or clause.cut(match.start("new"), match.end("new")).times:
        return None
    return Update(target=changes.target_of(clause, match), changes=Changes(notes=f"{match.groupdict().get('what', '地点')}：{changes.new_words(clause, match)}"))


def until(clause: Clause) -> Update | None:
    """«培训到六点», of a task that is there: when it ends."""
    match = _TO_CLOCK.match(clause.flat)
    when = clause.moments[0] if match and len(clause.times) == 1 and clause.moments else None
    if not match or not when or clause.times[0].start != match.end() or clause.flat[clause.times[0].end :].strip(" 吧。!结束"):
        return None
    if not when.has_clock or when.has_day or when.start is None:
        return None
    return Update(target=named(clause.cut(0, match.end("target"))).target, changes=changes.changes(when=when.words, end=when.start))

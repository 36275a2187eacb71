"""Changes to a task that is there, without a verb of change: «最后一个明天做», «培训到六点»."""

import re

from agent.analysis import Update
from agent.rules import changes
from agent.rules.clause import Clause
from agent.rules.targets import named

_DONE_THEN = re.compile("(?:再|就|去|来)*(?:做|弄|办|说|搞|处理|完成)?(?:吧|啊|了)*")
_TO_CLOCK = re.compile("^(?P<target>[^,到至去]{2,8}?)(?:要|会|得|开|上|一直)*(?:到|至)(?=[^哪])")


def put(clause: Clause) -> Update | None:
    """«最后一个明天做», «第二个放到周五再弄», of what was listed."""
    if len(clause.spans) != 1 or not clause.moments:
        return None
    start, end = clause.spans[0]
    target = named(clause.cut(0, start)).target
    if target.position is None or not _DONE_THEN.fullmatch(clause.flat[end:]):
        return None
    return Update(target=target, changes=changes.moved_to(clause.moments[0], target))


def until(clause: Clause) -> Update | None:
    """«培训到六点», of a task that is there: when it ends."""
    match = _TO_CLOCK.match(clause.flat)
    when = clause.moments[0] if match and len(clause.times) == 1 and clause.moments else None
    if not match or not when or clause.times[0].start != match.end() or clause.flat[clause.times[0].end :].strip(" 吧。!结束"):
        return None
    if not when.has_clock or when.has_day or when.start is None:
        return None
    return Update(target=named(clause.cut(0, match.end("target"))).target, changes=changes.changes(when=when.words, end=when.start))

"""«十分钟倒计时», «厨房计时器加五分钟», «计时器还剩多久»: a timer is a task that is due at its end."""

import re
from datetime import timedelta

from agent.analysis import Changes, Create, Delete, Query, Target, Update
from agent.rules.clause import Clause
from agent.rules.titles import trimmed
from agent.rules.wording import talk
from agent.rules.words import ON_TIME
from planner.when import When

TITLE = "计时"

_TIMER = "(?:计时器|計時器|倒计时|倒數器|倒数器|定时器|秒表|计时|番茄[钟鐘]|timers?)"
_IS_TIMER = re.compile(_TIMER, re.IGNORECASE)
_STOP = re.compile("停止|取消|关掉|关闭|删|不用|结束|停|stop|cancel", re.IGNORECASE)
_HOLD = re.compile("暂停|暫停|恢复|恢復|继续|繼續|pause|resume", re.IGNORECASE)
_ASK = re.compile("(?:还|重)?[剩有](?:下)?(?:多久|多少|幾多|几多)?|状态|狀況|状况|進度|进度|多少时间|幾多|几多|到了吗|status|left", re.IGNORECASE)
_MORE = re.compile("增加|加|延长|多|add", re.IGNORECASE)
_LESS = re.compile("减少|減少|减|缩短|少|reduce", re.IGNORECASE)
_NOISE = re.compile(
    rf"{_TIMER}|嗰個|嗰个|那个|这个|个|個|一个|我的?|请|帮我|把|给|将|为|撥|拨|设置?|设定|定|开始|開始|启动|新建|加|来|的|到|成|叫做?|名为|时间|時間|start|set|all|the|一下|所有|全部|吧|\s",
    re.IGNORECASE,
)
_EVERY = re.compile(r"所有|全部|\ball\b", re.IGNORECASE)


def timer(clause: Clause) -> Create | Delete | Query | Update | None:
    flat = clause.flat
    if not _IS_TIMER.search(flat) or clause.moments:
        return None
    if _HOLD.search(flat):
        return None
    if _ASK.search(flat):
        return Query(text=_name(clause) or TITLE)
    if _STOP.search(flat):
        return Delete(target=_target(clause, _STOP))
    sign = 1 if _MORE.search(flat) else -1 if _LESS.search(flat) else 0
    lengths = [told.when for told in clause.times if isinstance(told.when, When) and told.when.seconds]
    if sign and lengths and not flat.startswith(("加一个", "加个")):
        by = _by(clause, lengths)
        return Update(target=_target(clause, _MORE if sign > 0 else _LESS), changes=Changes(shift_seconds=sign * by))
    return _set(clause, lengths) if lengths else None


def held(flat: str) -> str | None:
    """A timer cannot wait: said, not pretended."""
    return talk("no_pause") if _IS_TIMER.search(flat) and _HOLD.search(flat) else None


def _by(clause: Clause, lengths: list[When]) -> int:
    """Of «1小时计时器加5分钟» the length that is not the timer's own name."""
    own = [told.when for told in clause.times if _IS_TIMER.match(clause.flat[told.end :].lstrip(" 的"))]
    others = [when for when in lengths if when not in own] or lengths
    return others[-1].seconds or 0


def _set(clause: Clause, lengths: list[When]) -> Create:
    seconds = sum(when.seconds or 0 for when in lengths)
    name = _name(clause)
    title = f"{name}{TITLE}" if name else TITLE
    return Create(title=title, when=lengths[0].words, start=clause.sent_at + timedelta(seconds=seconds), remind=[ON_TIME])


def _name(clause: Clause, verb: re.Pattern[str] | None = None) -> str:
    """«厨房» of «厨房计时器»."""
    words = _HOLD.sub("", _ASK.sub("", clause.rest.text))
    return trimmed(_NOISE.sub("", verb.sub("", words) if verb else words))


def _target(clause: Clause, verb: re.Pattern[str]) -> Target:
    if _EVERY.search(clause.flat):
        return Target(text=TITLE, every=False)
    return Target(text=_name(clause, verb) or TITLE)

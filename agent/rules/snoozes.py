"""Putting off what has just rung: «10分钟后再提醒», «稍后提醒», «明天再说吧»."""

import re
from datetime import timedelta

from agent.analysis import Snooze
from agent.rules.clause import Clause
from agent.rules.words import POINTING, REMIND
from planner.when import When

_AGAIN = re.compile(rf"^[,\s]*(?:以?后|之后)?[,\s]*再(?:{REMIND}|说|弄|来|做|去|看)(?:我)?(?:一[次下遍])?(?:吧|啊|哦|好了)?$")
_RINGS_AGAIN = re.compile(REMIND)
_SOMETIME = re.compile(
    r"^(?:晚一?点|晚些|待会儿?|等会儿?|等一会儿?|等一下|过会儿?|过一会儿?|一会儿?|稍后|回头|等下|迟点)(?:再)?"
    rf"(?:{REMIND}我?|说|弄|做)(?:一[次下遍])?(?:吧|啊|哦)?$|^(?:稍后提醒|贪睡|snooze|remind me later)$",
    re.IGNORECASE,
)
_PUT_OFF = re.compile(rf"^(?:把)?(?:{POINTING})?(?:提醒)?(?:推迟|延后|推后|延迟|稍等|贪睡|晚|等|再等|再过|过)[,\s]*(?:个)?(?:提醒)?$")
_OF_IT = re.compile(rf"(?:{POINTING})?(?:的?提醒|闹钟)?(?:再|就|改成)*(?:过|等)?")  # «刚才那个提醒再过十分钟叫我»
_RING = re.compile(r"再?(?:提醒|叫|喊|说)(?:我)?(?:一[次下])?(?:吧|啊)?")
_BARE_DELAY = re.compile(r"(?:再|过|等|稍等|推迟|延后)*[,\s]*$")
_MORNING = timedelta(hours=9)
_SOON = timedelta(minutes=10)


def snooze(clause: Clause) -> Snooze | None:
    """«10分钟后再提醒», «稍后提醒», «推迟10分钟提醒»."""
    flat = clause.flat.strip(" 。!")
    if _SOMETIME.match(flat):
        return Snooze(when=clause.text, at=clause.sent_at + _SOON)
    if len(clause.times) != 1 or not isinstance(when := clause.times[0].when, When):
        return None
    before, after = flat[: clause.times[0].start].strip(), flat[clause.times[0].end :].strip()
    if not before and when.at and _AGAIN.match(after) and (not when.all_day or _RINGS_AGAIN.search(after)):
        return Snooze(when=when.words, at=when.at + _MORNING if when.all_day else when.at)
    delayed = bool(before and _PUT_OFF.match(before)) or (not before and after.startswith("再"))
    pointed = before.startswith(("刚才", "刚刚", "那个", "这个")) and bool(_OF_IT.fullmatch(before))
    if pointed and when.at and when.has_clock and _RING.fullmatch(after):
        return Snooze(when=when.words, at=when.at)
    if when.seconds and delayed and _RING.fullmatch(after):
        return Snooze(when=when.words, at=clause.sent_at + timedelta(seconds=when.seconds))
    return None


def rung(clause: Clause) -> Snooze | None:
    """«10分钟后», «再过半小时», «明天再说吧» and nothing else, just after a reminder."""
    if len(clause.times) != 1 or not isinstance(when := clause.times[0].when, When):
        return None
    if when.all_day and when.at and not clause.times[0].start and _AGAIN.match(clause.flat[clause.times[0].end :].strip(" 。!")):
        return Snooze(when=when.words, at=when.at + _MORNING)
    if when.has_day and not when.has_clock:
        return None
    words = clause.rest.flat.strip(" 。!吧啊,")
    at = clause.sent_at + timedelta(seconds=when.seconds) if when.seconds else when.at
    if at is None or not _BARE_DELAY.fullmatch(words) or when.kind not in ("duration", "instant"):
        return None
    return Snooze(when=when.words, at=at)

"""Changes to a task that is there: moved, shifted, renamed, its reminder, its notes."""

import re
from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any

from agent.analysis import Changes, Clarify, Target, Update
from agent.rules import titles
from agent.rules.clause import Clause
from agent.rules.targets import all_named, named
from agent.rules.wording import ask
from agent.rules.words import CALLS, OVER, POINTING, REMIND
from planner.when import When, find
from planner.when.repeats import CODES
from planner.when.text import number, plain

Action = Update | Clarify
Reader = Callable[[Clause], Action | list[Action] | None]

_AT_START = r"(?:[\s,:到至为成在]|吧)*"
_MOVE = re.compile(
    r"^(?:把|将)?(?P<target>.*?)(?P<series>以后都?|每次都?)?(?:的?(?:时间|日期|截止时间|ddl))?(?:都|给我|帮我|统一|先)*"
    r"(?:(?:重新|另|再)?(?:改期?|改约|改签|约|挪动?|移动?|调整?|换|推迟?|推后|延期?|延后|延迟|延长|拖|宽限|提前|顺延|变更?|修改|放|往后[推延挪放]|往前[提挪移])(?:到|至|成|为|在|去)"
    r"|(?P<bare>改约|改签|改期?|挪|调|换|延期?))(?P<new>.+)$",
    re.IGNORECASE,
)
_EN_MOVE = re.compile(
    r"^(?:please |pls |can you )?(?:move|change|reschedule|shift|postpone|push)\s+(?:(?:it|that|this)\b|(?:the |my )?(?P<target>.+?))\s*(?:back )?(?:to|until|till)\s*$",
    re.IGNORECASE,
)
_LATER = "往后推迟?|往后延|往后挪|往后拖|往后放|向后推|向后延|推迟|推后|延后|延迟|延期|后延|后推|顺延|延|晚|推|缓|宽限"
_EARLIER = "往前提|往前挪|往前赶|往前推|往前移|向前移|提前|提早|前移|早"
_SHIFT = re.compile(
    r"^(?:把|将)?(?P<target>.*?)(?:时间)?(?:再|都|给我|帮我|能不能|可不可以|可以|能|想|要|得)*"
    rf"(?:(?P<later>{_LATER})|(?P<earlier>{_EARLIER}))(?:了|个)?$"
)
_RENAME = re.compile(
    r"^(?:把|将)?(?P<target>.*?)(?:的?(?:名字|名称|标题))?"
    r"(?:改名(?:为|叫|成)?|重命名(?:为|成)?|改叫(?:做)?|更名为|改成|改为|换成)(?P<new>.+)$"
)
_MODE = re.compile("(?:线上|线下|视频|电话|语音|远程|面对面)(?:会议?|开会?|进行|面试|沟通)?|(?:腾讯|飞书|钉钉|zoom)(?:会议)?", re.IGNORECASE)
_NOTE = re.compile(
    rf"^(?:给|在|把)?(?P<target>.+?)(?:{POINTING})?(?:里|上)?(?:再|帮我)?(?:(?:加|添加?|写)(?:上|一?个|一下|条)*)?备注(?!(?:一?下|上)$)(?:一?下|上)?[:,\s是为]*(?P<new>.+)$"
)
_STOP = re.compile(
    rf"^(?:把|将)?(?P<target>.*?)(?:不用|不要|别|不必|不需要|停止|取消|关掉|关闭|停掉|关了?|停了?|删掉?)(?:再)?(?:{REMIND}我?|的?提醒)(?:我)?了?$"
    rf"|^(?:你|请|帮我|麻烦)*(?:以后|今后)?(?:都|就|也|再也)*(?:不用|不要|别|不必|不需要|停止|取消|关掉|关闭)(?:再)?(?:{REMIND}我|提醒)(?P<target2>.*?)了?$"
    r"|^(?:把|将)?(?P<target3>.+?)(?:的?提醒|的闹钟)(?:功能)?(?:以后|都|就|也)*(?:(?:别|不要|不用)(?:再)?(?:发|响|来|提)?|关掉|关闭|关了?|取消掉?|停掉|停了?|去掉|删掉?)了?$"
)
_ASK_NEW = re.compile(
    r"^(?:帮我|请)?(?:改|调整?|换|修改)(?:一?下|个)?(?P<target>.+?)的?(?:时间|日期)$"
    r"|^(?:我?[和跟与])?(?P<target2>.+?)(?:要|得|想|需要|又|已经)*(?:重新约(?:了?时间)?|改约|重约|另约|改期|改(?:一下|个)?时间|改天|换个?时间|调个?时间)(?:吧|了)?$"
    r"|^(?:把|将)?(?P<target3>.+?)(?:时间)?(?:得|要|想)?(?:往后|往前|向后|推迟|推后|延后|延期|延迟|提前|改|挪)(?:挪挪?|推推?|延|移移?|提|挪一挪|推一推|放一?放|拖一?拖|缓一?缓|一点|一些|一下|几天|点儿?|个时间)+(?:吧|了)?$"
    r"|^(?P<target5>.+?)的?(?:时间|日期|安排)(?:有变[化动]?|变[了动]+|有调整|调整了|改了)$"
    r"|^(?:把|将)?(?P<target4>.+?)(?:推迟|延期|延后|改期|改一下|改改|调整一下|改个时间)(?:吧|了)?$"
)
_LEAD_WORDS = re.compile(
    r"(?:的?提醒时间|的?提醒)?(?:改成|改为|改到|设为|设成)?(?:请|再|都|各|和|跟|也)*"
    rf"(?:{REMIND}(?:一[次下])?(?:我|一[次下])*)?$|(?:要|得|需要|记得|请|给我|帮我|设个?|加个?|再)+$"
)
_DUTY = re.compile(rf"(?:就|开始)*{REMIND}我(?!一[次下])(?P<duty>[^,。一再吧啊]{{2,}})$")
_ASK_GROUPS = ("target", "target2", "target3", "target4", "target5")
_ENDS = re.compile(f"(?:就|才)?(?:{OVER})")
_BARE_WEEKDAY = re.compile("(?:周|星期|礼拜)[一二三四五六日天]")
_BY_DAY = re.compile(
    r"^(?:把|给)?(?P<target>[^,]{2,12}?)(?:那次|那个|的)?(?:(?:(?<!提)前|头)(?P<count>[一两二三四五六七\d]?)(?:天|(?P<eve>晚上?))|(?P<same>当[天日]|那天))的?"
)
_WHILE = re.compile("(?<=..)(?:的时候|时)(?:的|要|用|得)?(?!间).*$")  # «开会时的材料»: of the meeting
_RUNG = re.compile(rf"{REMIND}我?|提醒")
_MODE_SAID = re.compile(rf"(?:线上|线下|视频|电话会|{CALLS})[^,。]{{0,4}}(?:会议|会议号|号|链接)")
_MORE = re.compile(f"{REMIND}我|提醒")
_LONGEST_NAME = 12
_ANEW = ("改约", "改期", "改签")
_SAID_HALF = re.compile("[早上下晚中凌午夜傍:]|十[三四五六七八九]点|二十|1[3-9][点时]|2[0-4][点时]|[ap]m", re.IGNORECASE)
_BARE_RULE = re.compile(r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)(?:;INTERVAL=\d+)?")
_SAME_TIME = re.compile("同一?个?时间|同样的?时间|原来的?时间|时间不变")
_LATE_READING = 9 * 3600


def update(clause: Clause) -> Action | list[Action] | None:
    readers: tuple[Reader, ...] = (_stopped, _rung_by_day, _moved, _shifted, _reminded, _renamed, _noted, _without_time)
    return next((action for read in readers if (action := read(clause))), None)


def changes(**values: Any) -> Changes:
    """By name, so that a reader that knows more of them («keep_day») gets them."""
    return Changes.model_validate({name: value for name, value in values.items() if value is not None})


def target_of(clause: Clause, match: re.Match[str], group: str = "target") -> Target:
    return named(clause.cut(match.start(group), match.end(group))).target


def new_words(clause: Clause, match: re.Match[str]) -> str:
    return clause.text[match.start("new") : match.end("new")].strip(" ,，。吧了!！\"“”：:")


def _moved(clause: Clause) -> Action | list[Action] | None:
    match = _MOVE.match(clause.flat)
    if not match:
        return _moved_in_english(clause)
    new = clause.cut(match.start("new"), match.end("new"))
    head = re.match(_AT_START, new.flat)
    if not new.moments or not head or new.times[0].start > head.end() or _MORE.search(new.rest.flat):
        return None
    named_well = bool(match["target"]) or match["bare"] in _ANEW
    if match["bare"] and not (named_well and len(match["target"]) <= _LONGEST_NAME):
        return None
    both = "都" in clause.flat[match.end("target") : match.start("new")]
    several = all_named(clause.cut(match.start("target"), match.end("target")), both=both)
    if len(several) > 1:
        moved = new.moments[0]
        return [Update(target=each.target, changes=moved_to(moved, each.target, new.flat)) for each in several]
    target = target_of(clause, match)
    if _ENDS.fullmatch(new.rest.flat.strip(" 吧了。!")) and new.moments[0].has_clock:  # «改成九点结束»
        return Update(target=target, changes=changes(when=new.moments[0].words, end=new.moments[0].start))
    if target.series and not new.moments[0].rrule and (told := _turns_moved(clause, match, target)):
        return told
    if match["series"]:
        return _series_moved(target.model_copy(update={"series": True}), new)
    return Update(target=target, changes=moved_to(new.moments[0], target, new.flat))


def _moved_in_english(clause: Clause) -> Action | None:
    if len(clause.moments) != 1 or clause.flat[clause.spans[-1][1] :].strip(" .!"):
        return None
    match = _EN_MOVE.match(clause.flat[: clause.spans[0][0]])
    if not match:
        return None
    target = target_of(clause, match) if match["target"] else Target()
    return Update(target=target, changes=moved_to(clause.moments[0], target))


def _turns_moved(clause: Clause, match: re.Match[str], target: Target) -> Update | None:
    """«把每天吃药改成早上八点和晚上八点»: as often as it was said to be, at other times."""
    named_turns = next((when for when in clause.cut(match.start("target"), match.end("target")).moments if when.rrule), None)
    new = clause.cut(match.start("new"), match.end("new"))
    if named_turns is None or named_turns.start is None or new.moments[0].kind == "deadline":
        return None
    if new.moments[0].has_day:
        return _series_moved(target, new)
    at = clause.sent_at.astimezone(named_turns.start.tzinfo)
    found = find(named_turns.words + new.text[new.times[0].start :], at)
    turns = next((told.when for told in found if isinstance(told.when, When) and told.when.rrule), None)
    return Update(target=target, changes=moved_to(turns, target)) if turns else None


def _series_moved(target: Target, new: Clause) -> Update:
    """«以后改到周三周五晚上七点»: each of the days, at the clock of the last."""
    days, last = new.moments, new.moments[-1]
    told = moved_to(last, target, new.flat, series=True)
    if len(days) > 1 and told.rrule and all(when.start for when in days):
        codes = dict.fromkeys(CODES[when.start.weekday()] for when in days if when.start)
        told = told.model_copy(update={"rrule": re.sub("BYDAY=[A-Z]+", f"BYDAY={','.join(codes)}", told.rrule)})
    return Update(target=target, changes=told)


def moved_to(when: When, target: Target, flat: str = "", *, series: bool = False, fix: bool = False) -> Changes:
    """A day alone keeps the clock, a clock alone keeps the day. `fix`: it was meant so from the beginning."""
    start = when.at
    if when.kind == "recurrence" and not when.has_clock and _BARE_RULE.fullmatch(when.rrule or ""):
        return changes(rrule=when.rrule, repeat=when.words)  # «改成每周»: its own day and clock
    if when.kind == "recurrence":
        return changes(when=when.words, start=start, rrule=when.rrule, repeat=when.words, all_day=when.all_day)
    if start and _SAME_TIME.search(flat):
        start, when_keeps = datetime.combine(start.date(), time(), start.tzinfo), True
    else:
        when_keeps = when.kind in ("day", "deadline") and when.all_day
    end = when.end if when.kind == "span" and when.has_clock else None
    start, end = _nearer(start, end, when, target)
    rule = _weekly(when) if series and when.has_day and start else None
    clocked = (when.has_clock or when.point is not None) and not when.has_day
    keep_day = True if clocked and (target.start is None or target.any_day) else None
    half = True if keep_day and start and not _SAID_HALF.search(plain(when.words)) and start.hour % 12 else None
    before = bool(start and target.start and start < target.start)  # «下周的改到周日»: the Sunday of that week
    week = True if (fix or before) and _BARE_WEEKDAY.fullmatch(plain(when.words)) else None
    keeps = {"keep_clock": when_keeps or None, "keep_day": keep_day, "keep_week": week, "either_half": half}
    return changes(when=when.words, start=start, end=end, rrule=rule, **keeps)


def _nearer(
    start: datetime | None, end: datetime | None, when: When, target: Target
) -> tuple[datetime | None, datetime | None]:
    """«把明早九点的会改到八点»: of two readings the one nearer to what it was."""
    if not start or not target.start or target.end or when.has_day or _SAID_HALF.search(plain(when.words)):
        return start, end
    if (start - target.start).total_seconds() <= _LATE_READING:
        return start, end
    half = timedelta(hours=12)
    return start - half, end - half if end else None


def _weekly(when: When) -> str | None:
    start = when.at
    if start is None:
        return None
    clock = f";BYHOUR={start.hour};BYMINUTE={start.minute}" if when.has_clock else ""
    return f"FREQ=WEEKLY;BYDAY={CODES[start.weekday()]}{clock}"


def _shifted(clause: Clause) -> Action | None:
    """«牙医推后一小时»; «提前一小时提醒» is no shift."""
    spans = [(told.start, told.end, told.when) for told in clause.times]
    length = next((when for _, _, when in spans if isinstance(when, When) and when.kind == "duration"), None)
    seconds, start, end = 0, 0, 0
    if clause.leads and not re.search(REMIND, clause.flat):
        lead = clause.leads[0]
        seconds, start, end = int(lead.before.total_seconds()), lead.start + 2, lead.end
    elif length and length.seconds:
        seconds = length.seconds
        start, end = next((first, last) for first, last, when in spans if when is length)
    match = _SHIFT.match(clause.flat[:start]) if seconds else None
    if not match or clause.flat[end:].strip(" 吧了。!吗不么") or (match["earlier"] == "早" and not match["target"]):
        return None
    target = named(clause.cut(match.start("target"), match.end("target"))).target
    if not match["target"] and clause.leads:
        return None
    return Update(target=target, changes=Changes(shift_seconds=seconds if match["later"] else -seconds))


def _reminded(clause: Clause) -> Action | None:
    """«开会提前15分钟提醒», of a task that is there: a lead and no time."""
    if not clause.leads or clause.moments:
        return None
    if re.search("提醒|叫我|喊我|通知我", clause.flat) is None:
        return None
    rest = clause.rest
    duty = _DUTY.search(rest.flat)
    name = _WHILE.sub("", _LEAD_WORDS.sub("", rest.flat[: duty.start() if duty else None].rstrip(" 吧。!")))
    notes = rest.text[duty.start("duty") :].strip(" 吧。!") if duty else None
    target = named(rest.cut(0, len(name))).target
    return Update(target=target, changes=changes(remind=[told.words for told in clause.leads], notes=notes))


def _rung_by_day(clause: Clause) -> Action | None:
    """«产检当天早上七点提醒我», «面试前一晚提醒我», of a task that is there."""
    match = _BY_DAY.match(clause.flat)
    if not match or clause.cut(0, match.end("target")).times or not _RUNG.search(clause.flat[match.end() :]):
        return None
    back = 0 if match["same"] else number(match["count"] or "一")
    evening = "晚上" if match["eve"] else ""
    midnight = clause.sent_at.replace(hour=0, minute=0, second=0, microsecond=0)
    told = find(evening + clause.text[match.end() :], midnight)
    clock = next((each.when.at for each in told if isinstance(each.when, When) and each.when.at), None)
    target = named(clause.cut(0, match.end("target"))).target
    duty = titles.title(clause.cut(match.end(), len(clause.text))) or None
    if clock is None:
        return Update(target=target, changes=changes(remind=[f"提前{back}天"], notes=duty)) if back else None
    return Update(target=target, changes=changes(remind_days=[(back, clock.time())], notes=duty))


def _stopped(clause: Clause) -> Action | None:
    match = _STOP.match(clause.flat.rstrip(" 。!吧啦咯"))
    if not match or (clause.moments and not match["target3"] and not _only_when(clause, match)):
        return None
    group = next((name for name in ("target2", "target3") if match[name] is not None), "target")
    return Update(target=target_of(clause, match, group), changes=Changes(remind=[]))


def _only_when(clause: Clause, match: re.Match[str]) -> bool:
    """«明天早上别叫我了»: what is planned then."""
    told = clause.cut(match.start("target"), match.end("target"))
    return bool(told.moments) and not told.rest.flat.strip(" 的就")


def _renamed(clause: Clause) -> Action | None:
    match = _RENAME.match(clause.flat)
    new = new_words(clause, match) if match else ""
    if not match or not new:
        return None
    if _MODE.fullmatch(new) or _MODE_SAID.match(new):
        return Update(target=target_of(clause, match), changes=Changes(notes=new))
    return Update(target=target_of(clause, match), changes=Changes(title=new))


def _noted(clause: Clause) -> Action | None:
    match = _NOTE.match(clause.flat)
    return Update(target=target_of(clause, match), changes=Changes(notes=new_words(clause, match))) if match else None


def _without_time(clause: Clause) -> Action | None:
    match = _ASK_NEW.match(clause.flat.rstrip(" 吧。!"))
    group = next((name for name in _ASK_GROUPS if match and match[name]), "")
    if not match or clause.cut(match.end(group), len(clause.text)).moments:
        return None
    target = target_of(clause, match, group)
    pending = Update(target=target, changes=Changes()).model_dump(mode="json")
    return Clarify(pending=pending, missing="when", question=ask("move", name=target.text))

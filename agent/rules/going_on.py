"""A lone message that goes on with what was planned or changed a moment ago: «下午两点», «在海底捞», «每年都提醒»."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.analysis import Changes, Create, Query, Target, Update
from agent.rules import changes, fitting, limits, rings, shapes, titles
from agent.rules.clause import Clause
from agent.rules.words import ACTIVITY, CALLS, CODES, REMIND, TODO, VERB
from planner import texts
from planner.when import When, resolve
from planner.when.text import plain

LONGEST = 20

_NAMED_NOTE = re.compile(
    r"^备注(?:一?下|是|为|[:,\s])*(?P<note>.+)$|^(?P<note2>[^,。]{2,}?)[,\s]*(?:备注|记)(?:一?下|上|着)(?:吧|哈)?$"
)
_DETAIL = re.compile(
    "^(?:联系)?(?:电话|手机|号码|微信|地址|联系人|链接|网址|费用)(?:号码?)?(?:是|为|:)[^,。?]{2,}$|^(?:[^,。?]{1,4}说)?(?:要|得|需要)?提前[^,。?]{2,6}(?:到场?|入场|签到|集合)$"
    f"|^(?:航班号?|会议号|会议密码|密码|{CODES}|{CALLS})[^,。?]{{2,}}$"
    "|^(?:参会|参加|同行|与会|一起去?)的?(?:人员?)?(?:有|是|还有)[^?]{2,}$|^(?:会议?|面试|课)?改(?:成|为|到)?(?:线上|线下|视频|电话)(?:了|吧|的)*$"
)
_TO_MODE = re.compile("^(?:会议?|面试|课)?改(?:成|为|到)?(?=线上|线下|视频|电话)|(?<=线上|线下|视频|电话)[了的]+$")
_PLACE = re.compile(r"^(?:就|是|约)?在(?P<place>[^,。?]{2,12}?)(?:吧|啊|哦|呢|见面?|集合|碰头)*$")
_WHOM = re.compile(r"^(?:和|跟|与|同)(?P<whom>[^,。?]{1,12}?)(?:一起|一块儿?)?(?:去|吃|见)?(?:的|吧|啊)?$")
_SPOT = re.compile(r"^.*在.*(?:[楼室厅店馆路号院校园站场堂处厂街村镇城家]|门口|广场|公司|酒店|\d)$")
_BRING = re.compile(
    f"^(?:记得|别忘了?|要|得|到时候?|{REMIND}我)*(?:带(?:上|着|好|齐|够)[^,。?]{1,12}|带(?:身份证|护照|证件|户口本|医保卡|病历|社保卡|银行卡|工牌|雨?伞|水杯?|钥匙|材料|资料|合同|文件|电脑|充电器|钱包?|口罩|照片|U盘|票|礼物|名片|作业|课本|书)+)$"
)
_DEED = re.compile(rf"(?:{ACTIVITY})|(?:{VERB})[^\s吧的啊]")  # «和客户开会» is a thing of its own
_SAME_WAY = re.compile(rf"(?:以后|都|也|要|得|就|只|仅|在|帮我|请|{REMIND}我?(?:一[次下])?|这样|一样|的|吧|重复|循环|[\s,。!])*")
_CLOCKS = re.compile(";BY(?:HOUR|MINUTE)=[0-9,]+")
_LEAD_ALONE = re.compile(rf"(?:以后|再|也|还|都|要|各|帮我|请|加(?:一?个)?|{REMIND}我?(?:一[次下])?|提醒|吧|就行|[\s,。!])*")
_ABOUT = re.compile(r"(?:大概|大约|差不多|左右|一[节堂次场]课?|每[节堂次场]课?|时长|要|需要|得|开|就|会|预计|估计|吧|的样子|[\s,。!])*")
_ALSO = re.compile("(?:也|同样)(?:是|要|去|有|得|约)?(?:一样|这样|照旧|这个时间)?[的吧了]*")
_WHEN_IS_IT = re.compile("^(?:那个?)?(?:是|在|定在|约在)?(?:几点钟?|什么时候|啥时候|哪天|周几|星期几|几号)(?:来着|的来着)[?。]*$")
_SHORTEST = 30 * 60
_ONE_MORE = re.compile("再|也|还|加")


@dataclass(frozen=True)
class Lately:
    """The one task of the last change, in the follower's zone. `said` are the words for its time, written at `said_at`."""

    title: str
    start: datetime | None
    all_day: bool
    rrule: str
    repeat: str
    notes: str
    leads: tuple[int, ...]
    said: str
    said_at: datetime

    @property
    def clocked(self) -> bool:
        told = resolve(self.said, self.said_at) if self.said else None
        return isinstance(told, When) and told.has_clock


Reader = Callable[[Clause, Lately], Changes | None]


def fits(part: Clause) -> bool:
    """Whether its shape is that of such a message; what was planned before decides."""
    return len(part.text) <= LONGEST and (asks(part) or _is_also(part) or _reader(part) is not None)


def more(part: Clause, lately: Lately) -> Update | Create | Query | None:
    """None where it is no more of that task."""
    if asks(part):  # «几点来着»
        return Query(text=lately.title)
    if _is_also(part):
        return _also(part.moments[0], lately)
    read = _reader(part)
    found = read(part, lately) if read else None
    return Update(target=Target(series=True if lately.rrule else None), changes=found) if found else None


def _reader(part: Clause) -> Reader | None:
    return next((read for shape, read in _SHAPES if shape(part)), None)


def asks(part: Clause) -> bool:
    return _WHEN_IS_IT.match(part.flat) is not None


def _is_also(part: Clause) -> bool:
    """«周五也是»: the same on another day."""
    whens = part.moments
    return len(whens) == len(part.times) == 1 and whens[0].kind == "day" and _ALSO.fullmatch(part.rest.flat.strip(" ,。!")) is not None


def _also(when: When, lately: Lately) -> Create | None:
    if lately.start is None or lately.rrule or when.start is None:
        return None
    start = datetime.combine(when.start.date(), lately.start.timetz())
    leads = [texts.lead(minutes) for minutes in lately.leads]
    return Create(title=lately.title, start=start, when=when.words, all_day=lately.all_day, remind=leads, notes=lately.notes)


def _repeats(part: Clause) -> bool:
    rules = [when for when in part.moments if when.rrule]
    return len(rules) == len(part.moments) == 1 and _SAME_WAY.fullmatch(part.rest.flat) is not None


def _is_lead(part: Clause) -> bool:
    return bool(part.leads) and not part.times and _LEAD_ALONE.fullmatch(part.rest.flat) is not None


def _is_time(part: Clause) -> bool:
    return shapes.only_time(part) and len(part.moments) == 1


def _is_note(part: Clause) -> bool:
    if part.times or (part.leads and not _DETAIL.match(part.flat)):
        return False
    around = _PLACE.match(part.flat) or _WHOM.match(part.flat)
    named = _NAMED_NOTE.match(part.flat) or _BRING.match(part.flat) or _DETAIL.match(part.flat)
    return bool(named or (around and (_SPOT.search(part.flat) or not _DEED.search(around[1]))))


def _time(part: Clause, lately: Lately) -> Changes | None:
    """The time of what had none, the clock of a day that had none, the last day of what repeats."""
    when = part.moments[0]
    if lately.rrule and fitting.UNTIL.match(part.flat):
        return _ending(lately, limits.last_day(when)) if when.start and "UNTIL" not in lately.rrule else None
    if lately.start is None:
        return changes.moved_to(when, Target()) if when.start and not _asks(part, when) else None
    if fitting.UNTIL.match(part.flat) and not lately.all_day and when.has_clock and not when.has_day:
        return _until(when, lately.start)
    return _clocked(when, lately)


def _until(when: When, start: datetime) -> Changes | None:
    """«到十点», of what begins at eight in the evening."""
    end = fitting.clock_after(start, when.start) if when.start else None
    return changes.changes(when=when.words, end=end) if end else None


def _clocked(when: When, lately: Lately) -> Changes | None:
    if lately.start is None or lately.clocked or not (when.has_clock or when.point):
        return None
    if when.has_day and (when.start is None or when.start.date() != lately.start.date()):
        return None
    start = _clock(when, lately, lately.start)
    end = start + (when.end - when.start) if when.kind == "span" and when.has_clock and when.end and when.start else None
    return changes.changes(when=when.words, start=start, end=end, all_day=False)


def _asks(part: Clause, when: When) -> bool:
    """«明天» alone asks what is on; «就明天», «明天下午» tell."""
    return not (when.has_clock or when.point or part.rest.flat.strip(" ,。!"))


def _clock(when: When, lately: Lately, day: datetime) -> datetime:
    """«周五晚上», then «七点»: seven in the evening of that Friday."""
    told = resolve(lately.said + when.words, lately.said_at) if lately.said else None
    at = told.at if isinstance(told, When) and told.has_clock else when.at
    assert at is not None
    return datetime.combine(day.date(), at.timetz())


def _is_length(part: Clause) -> bool:
    return len(part.times) == 1 and part.length is not None and _ABOUT.fullmatch(part.rest.flat) is not None


def _length(part: Clause, lately: Lately) -> Changes | None:
    """«一个小时», of what begins at a clock time; a few minutes are no length."""
    seconds = part.length.seconds if part.length else None
    if lately.start is None or lately.all_day or not seconds or seconds < _SHORTEST:
        return None
    return changes.changes(end=lately.start + timedelta(seconds=seconds))


def _end(part: Clause, lately: Lately) -> Changes | None:
    """«坚持一个月», «一共十次», of what repeats."""
    return _ending(lately, limits.by_itself(part, lately.start)) if lately.start and lately.rrule else None


def _ending(lately: Lately, rule: str) -> Changes | None:
    return changes.changes(rrule=f"{lately.rrule};{rule}", repeat=lately.repeat) if rule else None


def _rhythm(part: Clause, lately: Lately) -> Changes | None:
    """«每年», of a day that was named before, also of the old calendar."""
    when = part.moments[0]
    if lately.start is None or when.has_clock:
        return None
    if lately.rrule:
        return _fewer(when, lately)
    whole = resolve(when.words + lately.said, lately.said_at) if lately.said else None
    rule = whole.rrule if isinstance(whole, When) and whole.rrule else fitting.on_its_day(when.rrule, lately.start)
    return changes.changes(rrule=rule, repeat=when.words)


def _fewer(when: When, lately: Lately) -> Changes | None:
    """«只在工作日提醒», of what comes every day."""
    if not lately.rrule.startswith("FREQ=DAILY") or not (when.rrule or "").startswith("FREQ=WEEKLY"):
        return None
    clocks = "".join(_CLOCKS.findall(lately.rrule))
    return changes.changes(rrule=f"{when.rrule}{clocks}", repeat=when.words)


def _lead(part: Clause, lately: Lately) -> Changes | None:
    """«再提前一天» is one more, «提前一小时» the only one."""
    if lately.start is None:
        return None
    kept = [texts.lead(minutes) for minutes in lately.leads if minutes] if _ONE_MORE.search(part.rest.flat) else []
    return Changes(remind=[*kept, *(told.words for told in part.leads)])


def _is_duty(part: Clause) -> bool:
    """«提前三天买蛋糕», «提前一天晚上提醒我收拾东西»: what is to be done before it."""
    duty = titles.title(part)
    told = rings.has_clock(part) or (not part.times and not re.search(REMIND, part.flat))
    return len(part.leads) == 1 and told and bool(TODO.match(plain(duty))) and part.flat.startswith(part.leads[0].words)


def _duty(part: Clause, lately: Lately) -> Changes | None:
    if lately.start is None:
        return None
    lead, notes = part.leads[0], "；".join(filter(None, [lately.notes, titles.title(part)]))
    if rings.has_clock(part):
        at = next(when.at for when in part.moments if when.at)
        return changes.changes(remind_days=[(lead.before.days, at.time())], notes=notes)
    return changes.changes(remind=[lead.words], notes=notes)


def _note(part: Clause, lately: Lately) -> Changes | None:
    named = _NAMED_NOTE.match(part.flat)
    start, end = named.span("note" if named["note"] else "note2") if named else (0, len(part.text))
    words = _TO_MODE.sub("", part.text[start:end])
    return Changes(notes="；".join(filter(None, [lately.notes, words.strip(" ,，。吧啊")])))


def _is_named(part: Clause) -> bool:
    """One clock time among other words."""
    when = part.moments[0] if len(part.moments) == len(part.times) == 1 else None
    return bool(when and not when.rrule and not when.has_day and (when.has_clock or when.point) and not part.leads)


def _named_again(part: Clause, lately: Lately) -> Changes | None:
    """«周五交报告», then «报告上午交»: its clock, not another one."""
    name = plain(titles.title(part))
    same = name and (name in plain(lately.title) or plain(lately.title) in name)
    return _clocked(part.moments[0], lately) if same else None


_SHAPES: tuple[tuple[Callable[[Clause], bool], Reader], ...] = (
    (_repeats, _rhythm),
    (_is_time, _time),
    (_is_lead, _lead),
    (_is_duty, _duty),
    (_is_length, _length),
    (limits.alone, _end),
    (_is_note, _note),
    (_is_named, _named_again),
)

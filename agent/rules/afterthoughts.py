"""What a clause adds to a task that the same message planned before: its time, its end, its reminders, a note."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from agent.analysis import Create
from agent.rules import creates, limits, rings, titles
from agent.rules.clause import Clause
from agent.rules.words import REMIND, TODO, VERB
from planner.when import When, resolve
from planner.when.repeats import CODES
from planner.when.text import plain

_NOTE = re.compile(
    "^(?:记得|别忘了?|要|得|需要|一定|请)*(?:带[上着好]?|别|不要|不用|不能|多?穿|多[带喝备拿]|早睡|拿[上着]|叫上|注意|地点|地址|位置|会议号"
    "|会议室|密码|备注|链接|电话|联系人|预算|大概|差不多|早点|提早|准备好|空腹|免费|费用"
    "|顺便|顺带|到时候?(?:记得|要|带)|在.{1,20}(?:楼|室|厅|店|馆|路|号|见面?|门口|集合)$)"
)
BOTH = re.compile("都|每[个项]|全部|各|两个|分别")
FROM = re.compile("^(?:就?从|自)")
UNTIL = re.compile("^(?:一?直)?(?:到|至)")
_GOES_ON = re.compile(r"^(?:就|要|都|一直|连续)*(?P<verb>\S{1,3}?)(?:到|至)\s*$")
_ASKED = re.compile(rf"{REMIND}(?:一下)?我|提醒")
_EXCEPTED = re.compile(r"[\s,]*(?:除外|(?:就|都|可以)?(?:不用|不算|不要|休息|不提醒|免了?|停|不用提醒|不用了))[了吧。!\s]*")
_RISING = re.compile("早起|起床|起早|早班机|赶(?:早班|飞机|火车|高铁|车)")
YEARLY = "FREQ=YEARLY"
_ON_TIME = "准时"
_RUNS_OUT = re.compile("(?P<thing>.{1,20}?)(?:快要?|就要?)?(?:到期|过期|失效)了?$")  # «护照到期，提前两周办»: to do is 办护照
_SAID_AGAIN = re.compile("(?:就|再|都)?(?:去|来|弄|做|办|聚|开|走|见|吃|打|交|买|过去)?")
_NO_TITLE = ("", "一次", "出发", "每年", "每天", "都", "都要", "都是", "一样", "也要", "都提醒", "循环", "重复")


def names_it(task: Create, part: Clause) -> bool:
    """«设一个明早七点的闹钟，去接机»: what the unnamed one is for."""
    unnamed = task.title == creates.UNNAMED and not part.times and not part.leads
    return unnamed and bool(TODO.match(titles.polite(part.flat))) and bool(titles.title(part))


def is_note(part: Clause) -> bool:
    return not part.times and bool(_NOTE.match(titles.polite(part.flat)))


def noted(task: Create, part: Clause) -> Create:
    return task.model_copy(update={"notes": "；".join(filter(None, [task.notes, titles.trimmed(part.text)]))})


def timed(task: Create, part: Clause) -> Create | None:
    """«…，周五前», «…，到六月底», «…，从下周开始»; None when the task has its time already."""
    when = next(iter(part.moments), None)
    if when is None or when.start is None:
        return None
    if task.rrule and UNTIL.match(part.flat) and "UNTIL" not in task.rrule:
        return _until(task, limits.last_day(when))
    if task.rrule and FROM.match(part.flat):
        return task.model_copy(update=_from(task, when))
    if when.rrule and not task.rrule and task.start:
        return task.model_copy(update={"rrule": _yearly(when, task), "repeat": when.words})
    if task.start is None or _closer(task, when):
        return task.model_copy(update=creates.timed(when))
    return None


def _closer(task: Create, when: When) -> bool:
    """«八号返程，上午十一点二十的»: the clock of a day that had none."""
    if task.rrule or not (task.start and when.start and task.start.date() == when.start.date()):
        return False
    if task.all_day and when.point:  # «…，上午吧»
        return True
    clocked = re.search("[点时:]|[小钟]时|分钟", plain(task.when or ""))
    return bool(when.has_clock and not clocked)


def again(task: Create, part: Clause) -> Create | None:
    """«后天去给外婆送点东西上午去吧»: the verb once more, with its time."""
    if not part.times or part.leads or _ASKED.search(part.flat) or not _SAID_AGAIN.fullmatch(titles.title(part)):
        return None
    return timed(task, part)


def _until(task: Create, rule: str) -> Create:
    return task.model_copy(update={"rrule": f"{task.rrule};{rule}"})


def goes_on(task: Create, part: Clause) -> Create | None:
    """«每天9点吃药，吃到年底», «三点开会，开到五点»: the verb once more, with the end."""
    if task.rrule and task.start and (rule := limits.by_itself(part, task.start)):
        return _until(task, rule)
    match, when = _GOES_ON.match(plain(part.rest.text)), next(iter(part.moments), None)
    verbs = (*task.title, "持续", "坚持", "重复")
    if not match or when is None or match["verb"] not in verbs or not (task.start and when.start and when.start > task.start):
        return None
    if task.rrule:
        return _until(task, limits.last_day(when)) if "UNTIL" not in task.rrule else None
    if task.end or task.all_day != when.all_day:
        return None
    return task.model_copy(update={"end": when.end if when.all_day else when.start})


def _from(task: Create, when: When) -> dict[str, object]:
    """The first turn is not before that day."""
    if when.start is None or task.start is None or when.start.date() <= task.start.date():
        return {}
    return {"start": task.start.replace(year=when.start.year, month=when.start.month, day=when.start.day)}


def excepted(task: Create, part: Clause) -> Create | None:
    """«每天九点，周末不用»: the other days of the week."""
    named = [when for when in part.moments if when.start and (when.all_day or when.rrule)]
    if not named or not task.rrule or not task.rrule.startswith("FREQ=DAILY") or not _EXCEPTED.fullmatch(part.rest.flat):
        return None
    out = {code for when in named for code in _days(when)}
    kept = ",".join(code for code in CODES if code not in out)
    rule = re.sub("FREQ=DAILY(?:;INTERVAL=1)?", f"FREQ=WEEKLY;BYDAY={kept}", task.rrule)
    return task.model_copy(update={"rrule": rule, "repeat": f"{task.repeat or ''}{part.text}"[:60]}) if kept else None


def _days(when: When) -> list[str]:
    if when.rrule:
        found = re.search("BYDAY=([A-Z,]+)", when.rrule)
        return found[1].split(",") if found else []
    if when.start is None or when.end is None:
        return []
    return [CODES[(when.start + timedelta(days=step)).weekday()] for step in range((when.end - when.start).days)]


def by_its_day(task: Create, part: Clause) -> Create | None:
    """«头天提醒我带公章», «前一晚十点提醒我», said of the task before."""
    found = rings.by_its_day(task, part)
    if found is None:
        return None
    at, days, duty = found
    told = {"remind_at": [*task.remind_at, at]} if at else {"remind": [*task.remind, f"提前{days}天"]}
    task = task.model_copy(update=told)
    return noted(task, replace(part, text=duty)) if len(duty) > 1 and duty not in _NO_TITLE else task


def is_reminder(part: Clause) -> bool:
    """Says when to ring and nothing else: «提前一天提醒我», «五点提醒我», «都提醒我»."""
    if part.leads and (not part.moments or rings.has_clock(part)):
        return True
    turns = any(when.rrule for when in part.moments)
    asked = bool(_ASKED.search(part.flat))
    if asked and not part.times and re.fullmatch(VERB, titles.title(part)):
        return True
    return bool(part.leads or turns or asked) and titles.title(part) in _NO_TITLE


def _yearly(turns: When, task: Create) -> str | None:
    """«每年» of a day that was named before."""
    if turns.rrule != YEARLY or task.start is None:
        return turns.rrule
    whole = resolve(f"每年{task.when}", task.start) if task.when else None
    if isinstance(whole, When) and whole.rrule and whole.rrule != turns.rrule:
        return whole.rrule  # of the old calendar
    return on_its_day(turns.rrule, task.start)


def on_its_day(rule: str | None, start: datetime) -> str | None:
    """«每年» of a day in the calendar; any other rhythm as it was said."""
    return f"{YEARLY};BYMONTH={start.month};BYMONTHDAY={start.day}" if rule == YEARLY else rule


def _before(at: datetime, when: When, task: Create) -> datetime:
    """«六点的大巴，五点叫醒我» rings at the five before it."""
    early = at - timedelta(hours=12)
    late = task.start is not None and at > task.start > early and at.date() == early.date()
    late = late or bool(task.all_day and _RISING.search(task.title) and at.date() == early.date())
    return early if late and not creates.HALF_SAID.search(plain(when.words)) else at


def reminded(task: Create, part: Clause) -> Create:
    turns = next((when for when in part.moments if when.rrule), None)
    if turns and not task.rrule and task.start:
        task = task.model_copy(update={"rrule": _yearly(turns, task), "repeat": turns.words})
        if not part.leads:
            return task
    plain_leads, moments = rings.clocked(task, part)
    if not moments:
        moments = [_before(when.at, when, task) for when in part.moments if when.at and not when.rrule]
    duty = titles.title(part)
    if part.leads and (thing := _RUNS_OUT.match(task.title)) and re.fullmatch(VERB, duty):
        task = task.model_copy(update={"title": duty + thing["thing"]})
    elif part.leads and len(duty) > 1 and duty not in _NO_TITLE and duty not in task.title:
        task = noted(task, replace(part, text=duty))
    if not part.leads and not part.times and re.fullmatch(VERB, duty):
        task = noted(task, replace(part, text=duty))
    if plain_leads or moments:
        words = [*(word for word in task.remind if word != _ON_TIME), *(lead.words for lead in plain_leads)]
        return task.model_copy(update={"remind": words, "remind_at": [*task.remind_at, *moments]})
    if task.start and not task.all_day and not task.remind:
        return task.model_copy(update={"remind": [_ON_TIME]})
    return task

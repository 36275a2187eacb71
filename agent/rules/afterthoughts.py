"""What a clause adds to a task that the same message planned before: its reminders, a note, its name."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from agent.analysis import Create
from agent.rules import creates, fitting, rings, titles
from agent.rules.clause import Clause
from agent.rules.words import ASKED, CALLS, CODES, ON_TIME, TODO, VERB
from planner.when import When
from planner.when.text import plain

_NOTE = re.compile(
    "^(?:记得|别忘了?|要|得|需要|一定|请)*(?:带[上着好]?|别|不要|不用|不能|多?穿|多[带喝备拿]|早睡|拿[上着]|叫上|注意|地点|地址|位置|会议号"
    "|会议室|密码|备注|链接|电话|联系人|预算|大概|差不多|早点|提早|准备好|空腹|免费|费用"
    f"|航班号|[Zz]oom|{CODES}|{CALLS}"
    "|顺便|顺带|到时候?(?:记得|要|带)|在[^,了吗]{2,20}$|(?:一共|总共|大概)?(?:\\d+|[一二两三四五六七八九十]+[百千万][一二两三四五六七八九十百千万]*)(?:块钱?|元|万)?$)"
)
BOTH = re.compile("都|每[个项]|全部|各|两个|分别")
_RISING = re.compile("早起|起床|起早|早班机|赶(?:早班|飞机|火车|高铁|车)")
_RUNS_OUT = re.compile("(?P<thing>.{1,20}?)(?:快要?|就要?)?(?:到期|过期|失效)了?$")  # «护照到期，提前两周办»: to do is 办护照
_NO_MEAL = re.compile("(?:要|得|需要|必须)*(?:空腹|禁食|禁水|(?:不能|别|不要|不许|不)(?:吃|喝)[^,。]{0,6})的?")
_HOURS = re.compile("^[^我你,]{0,5}(?:关门|打烊|开门|营业|收摊)[了的]?$")
_ARRIVES = re.compile("(?P<thing>.{1,12}?)(?:应该|大概|估计|可能|差不多|会|要|就|也|能)*(?:送|寄|运)?(?:到货?|来)了?$")
_FETCHED = "拿取收领签"
_NO_TITLE = ("", "一次", "出发", "每年", "每天", "都", "都要", "都是", "一样", "也要", "都提醒", "循环", "重复", "如此", "天天如此", "都这样")


def named(task: Create, part: Clause) -> Create | None:
    """«设一个明早七点的闹钟，去接机»: what the unnamed one is for."""
    if task.title != creates.UNNAMED or part.times or part.leads or not TODO.match(titles.polite(part.flat)):
        return None
    name = titles.title(part)
    return task.model_copy(update={"title": name}) if name else None


def note(task: Create, part: Clause) -> Create | None:
    """«带上公章», «在海底捞», «早上要空腹的»."""
    if _HOURS.search(part.rest.flat) and part.moments:  # «店里七点关门»
        return creates.noted(task, part)
    if any(when.has_clock or when.has_day or when.rrule for when in part.moments) or part.length:
        return None
    said = _NO_MEAL.fullmatch(part.rest.flat.strip()) if part.times else _NOTE.match(titles.polite(part.flat))
    return creates.noted(task, part) if said else None


def by_its_day(task: Create, part: Clause) -> Create | None:
    """«头天提醒我带公章», «前一晚十点提醒我», said of the task before."""
    found = rings.by_its_day(task, part)
    if found is None:
        return None
    at, days, duty = found
    told = {"remind_at": [*task.remind_at, at]} if at else {"remind": [*task.remind, f"提前{days}天"]}
    task = task.model_copy(update=told)
    return creates.noted(task, replace(part, text=duty)) if len(duty) > 1 and duty not in _NO_TITLE else task


def is_reminder(part: Clause) -> bool:
    """Says when to ring and nothing else: «提前一天提醒我», «五点提醒我», «都提醒我»."""
    if part.leads and (not part.moments or rings.has_clock(part)):
        return True
    turns = any(when.rrule for when in part.moments)
    asked = bool(ASKED.search(part.flat))
    if asked and not part.times and _only_verb(titles.title(part)):
        return True
    return bool(part.leads or turns or asked) and titles.title(part) in _NO_TITLE


def _only_verb(duty: str) -> bool:
    return re.fullmatch(f"(?:去|来)?(?:{VERB})(?:一下)?", duty) is not None


def _before(at: datetime, when: When, task: Create) -> datetime:
    """«六点的大巴，五点叫醒我» rings at the five before it."""
    early = at - timedelta(hours=12)
    late = task.start is not None and at > task.start > early and at.date() == early.date()
    late = late or bool(task.all_day and _RISING.search(task.title) and at.date() == early.date())
    return early if late and not creates.HALF_SAID.search(plain(when.words)) else at


def reminded(task: Create, part: Clause) -> Create:
    turns = next((when for when in part.moments if when.rrule), None)
    if turns and not task.rrule and task.start:
        task = fitting.repeated(task, turns)
        if not part.leads:
            return task
    plain_leads, moments = rings.clocked(task, part)
    if not moments:
        moments = [_before(when.at, when, task) for when in part.moments if when.at and not when.rrule]
    duty = titles.title(part).removeprefix("再")
    if part.leads and (thing := _RUNS_OUT.match(task.title)) and re.fullmatch(VERB, duty):
        task = task.model_copy(update={"title": duty + thing["thing"]})
    elif part.leads and len(duty) > 1 and duty not in _NO_TITLE and duty not in task.title:
        task = creates.noted(task, replace(part, text=duty))
    if not part.leads and not part.times and _only_verb(duty):
        arrives = _ARRIVES.match(task.title) if duty[-1] in _FETCHED else None
        fetched = {"title": duty[-1] + arrives["thing"]} if arrives else {}
        task = task.model_copy(update=fetched) if fetched else creates.noted(task, replace(part, text=duty))
    if plain_leads or moments:
        words = [*(word for word in task.remind if word != ON_TIME), *(lead.words for lead in plain_leads)]
        return task.model_copy(update={"remind": words, "remind_at": [*task.remind_at, *moments]})
    if task.start and not task.all_day and not task.remind:
        return task.model_copy(update={"remind": [ON_TIME]})
    return task

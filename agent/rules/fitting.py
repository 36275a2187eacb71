"""The time that a later clause gives to a task of the same message which had none, or only part of one."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from agent.analysis import Create
from agent.rules import creates, limits, titles
from agent.rules.clause import Clause
from agent.rules.words import ASKED, OVER
from planner.when import When, resolve
from planner.when.repeats import CODES
from planner.when.text import plain

FROM = re.compile("^(?:就?从|自)")
UNTIL = re.compile("^(?:大概|差不多|估计|预计|就|一?直)*(?:到|至)")
_GOES_ON = re.compile(r"^(?:就|要|都|一直|连续|大概|大约|差不多|估计|预计|可能)*(?P<verb>\S{1,3}?)(?:到|至)\s*$")
_EXCEPTED = re.compile(r"[\s,]*(?:除外|(?:就|都|可以)?(?:不用|不算|不要|休息|不提醒|免了?|停|不用提醒|不用了))[了吧。!\s]*")
YEARLY = "FREQ=YEARLY"
_SAID_AGAIN = re.compile("(?:就|再|都)?(?:去|来|弄|做|办|聚|开|走|见|吃|打|交|买|过去)?")
_LASTS = re.compile(
    "(?:大概|大约|差不多|预计|估计|一共|总共|共|为期|要|得|需要|会|持续|时长|全程|前后|在那[边儿里]?|连着|住院|休息|出差|培训|[待住玩呆去开上聊讲考飞坐办走休放拍])*"
    "(?:左右|的?样子|吧|了|才回来?|再回来?|回来)*"
)
_BY = re.compile(
    "(?:的|那[班趟场])*(?:[^,。的了]{0,6}(?:医院|学校|公司|机场|车站|酒店|会议室|大厦|广场|餐厅|饭店|中心|小区|门口|[东南西北]站|[楼店馆厅])|车|飞机|高铁|动车|火车|航班|机票|车票|票|船|大巴|班车|早班机|场|号|[DGCKZTdgckzt]\\d{1,5}次?)的?(?:吧|啊|哦)?"
)
_OUT = re.compile("出门|出发|动身|起床|集合|上车|登机|去(?:机场|车站|火车站|高铁站)|到(?:机场|车站|公司)")
_EVENING = 18
_HALF_A_DAY = timedelta(hours=12)
_LONGEST_WAY = timedelta(hours=4)
_DAYS_OFF = timedelta(days=5)  # what is longer is a week, a month: «下周体检，周三»
_MONTHDAY = re.compile(r"(?:\d{1,2}|[一二三四五六七八九十]{1,3})[号日]")
_ENDS = re.compile(f"(?:就|才)?(?:{OVER}|为止|放学)[了吧。]*")
_ENOUGH = re.compile("(?:只|就|都|也)*(?:要|提醒)?(?:就[行好]|就可以|即可|就够了|才)?[了吧。]*")
_WANTED = re.compile("(?:就|得|还)?要?(?:用|穿|带|戴|交|看|要)(?:的|了|它)?")
_EACH = re.compile("都(?:是|要|得|去|有|一样)?")
_A_DAY = re.compile("[天日号月]|周|星期|礼拜")


def timed(task: Create, part: Clause) -> Create | None:
    """«…，周五前», «…，到六月底», «…，从下周开始»; None when the task has its time already."""
    when = next(iter(part.moments), None)
    if when is None or when.start is None:
        return None
    if done := ends(task, part):
        return done
    if task.rrule and when.has_clock and not when.has_day and not _clocked(task):
        return _turns_at(task, when)
    if every := _each(task, part, when):
        return every
    only = when.kind == "span" and when.all_day and part.flat.startswith(("就", "只"))  # «…，就这一个月»
    if task.rrule and (only or UNTIL.match(part.flat)) and "UNTIL" not in task.rrule:
        return _until(task, limits.last_day(when))
    if task.rrule and FROM.match(part.flat):
        return task.model_copy(update=_from(task, when))
    if when.rrule and not task.rrule and task.start:
        return repeated(task, when)
    if task.start and not when.has_day:  # «周二和周四下午都有课，两点到四点»: each on its own day
        when = moved(when, task.start.date() - when.start.date())
    if task.start is None or _closer(task, when) or _day_within(task, when):
        return task.model_copy(update=creates.timed(when))
    return None


def _day_within(task: Create, when: When) -> bool:
    """«三月份有个马拉松，14号»."""
    if not (task.all_day and task.start and task.end and when.has_day and when.start) or task.rrule:
        return False
    return task.end - task.start > _DAYS_OFF and task.start <= when.start < task.end


def moved(when: When, by: timedelta) -> When:
    return replace(when, start=when.start + by if when.start else None, end=when.end + by if when.end else None)


def _turns_at(task: Create, when: When) -> Create | None:
    """«每周三晚上有瑜伽课，七点到八点半»."""
    whole = resolve(f"{task.repeat}{when.words}", task.start - timedelta(days=1)) if task.start else None
    return task.model_copy(update=creates.timed(whole)) if isinstance(whole, When) and whole.rrule else None


def repeated(task: Create, turns: When) -> Create:
    """«明天开始戒烟，每天早上提醒我»: with the clock of the turns where the day had none."""
    task = task.model_copy(update={"rrule": yearly(turns, task), "repeat": turns.words})
    if task.start is None or not task.all_day or turns.at is None or turns.all_day:
        return task
    return task.model_copy(update={"start": datetime.combine(task.start.date(), turns.at.timetz()), "end": None, "all_day": False})


def _each(task: Create, part: Clause, when: When) -> Create | None:
    """«五点半接孩子，周一到周五都是»: the days of the week of a clock that had no day."""
    if task.rrule or not task.start or not _EACH.search(part.flat) or _A_DAY.search(plain(task.when or "")):
        return None
    turns = resolve(f"每{when.words}", part.sent_at.astimezone(task.start.tzinfo))
    if not isinstance(turns, When) or not turns.rrule or "BYDAY" not in turns.rrule:
        return None
    days = _days(turns)
    start = next(day for step in range(7) if CODES[(day := task.start + timedelta(days=step)).weekday()] in days)
    end = start + (task.end - task.start) if task.end else None
    return task.model_copy(update={"start": start, "end": end, "rrule": turns.rrule, "repeat": turns.words})


def narrowed(task: Create, part: Clause) -> Create | None:
    """«每天下午三点提醒我，工作日就行»."""
    turns = next((when for when in part.moments if when.rrule), None)
    days = re.search("BYDAY=[A-Z,]+", turns.rrule or "") if turns else None
    daily = re.match("FREQ=DAILY(?!;INTERVAL)", task.rrule or "")
    if not days or turns is None or not daily or not _ENOUGH.fullmatch(part.rest.flat.strip()):
        return None
    rule = (task.rrule or "").replace("FREQ=DAILY", f"FREQ=WEEKLY;{days[0]}")
    return task.model_copy(update={"rrule": rule, "repeat": f"{task.repeat or ''}，{turns.words}"[:60]})


def wanted_then(task: Create, part: Clause) -> Create | None:
    """«打印合同，周四用»: by when."""
    when = next(iter(part.moments), None)
    if when is None or when.rrule or task.start or not _WANTED.fullmatch(part.rest.flat.strip()):
        return None
    return creates.noted(task.model_copy(update=creates.timed(when)), part)


def lasts(task: Create, part: Clause) -> Create | None:
    """«后天去出差，待三天», «三点开会，大概一个半小时»."""
    length = part.length
    if length is None or not length.seconds or part.moments or part.leads or not _LASTS.fullmatch(part.rest.flat.strip()):
        return None
    if task.start is None or task.end or (task.all_day and (task.rrule or length.seconds % timedelta(days=1).total_seconds())):
        return None
    return task.model_copy(update={"end": task.start + timedelta(seconds=length.seconds)})


def ends(task: Create, part: Clause) -> Create | None:
    """«每周一早上八点半例会，九点半结束», «五点半舞蹈课，六点半下课»."""
    when = next(iter(part.moments), None)
    if when is None or not when.has_clock or task.start is None or task.end or task.all_day or part.leads:
        return None
    until = UNTIL.match(part.flat) and not UNTIL.sub("", part.rest.flat).strip(" 吧了。")
    if not (until or _ENDS.fullmatch(part.rest.flat.strip())) or when.start is None:
        return None
    end = clock_after(task.start, when.start)
    return task.model_copy(update={"end": end}) if end else None


def clock_after(start: datetime, clock: datetime) -> datetime | None:
    """That clock on the day of `start`, of the other half of the day where it would be over, or the morning after a night
    that began in the evening; None where it is none of these."""
    first = datetime.combine(start.date(), clock.timetz())
    same = [end for end in (first, first + _HALF_A_DAY) if start < end and end.date() == start.date()]
    overnight = start.hour >= _EVENING and first.hour < _HALF_A_DAY // timedelta(hours=1)
    return next(iter(same), first + timedelta(days=1) if overnight else None)


def by_which(task: Create, part: Clause) -> Create | None:
    """«三号飞北京，早上七点的飞机»: the clock of a day that had none."""
    when = next(iter(part.moments), None)
    if when is None or not when.has_clock or not _closer(task, when) or not _BY.fullmatch(part.rest.flat.strip()):
        return None
    remind = [*task.remind, *(told.words for told in part.leads)]
    return creates.noted(task.model_copy(update={**creates.timed(when), "remind": remind}), part)


def _closer(task: Create, when: When) -> bool:
    """«八号返程，上午十一点二十的»: the clock of a day that had none."""
    if task.rrule or not (task.start and when.start and task.start.date() == when.start.date()):
        return False
    if task.all_day and when.point:  # «…，上午吧»
        return True
    return bool(when.has_clock and not _clocked(task))


def _clocked(task: Create) -> bool:
    return re.search("[点时:]|[小钟]时|分钟", plain(task.when or "")) is not None


def again(task: Create, part: Clause) -> Create | None:
    """«后天去给外婆送点东西上午去吧»: the verb once more, with its time."""
    if not part.times or part.leads or ASKED.search(part.flat) or not _SAID_AGAIN.fullmatch(titles.title(part)):
        return None
    return timed(task, part)


def _until(task: Create, rule: str) -> Create:
    limited = re.search("UNTIL|COUNT", task.rrule or "")
    return task if limited else task.model_copy(update={"rrule": f"{task.rrule};{rule}"})


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
    """The first turn is not before that day; of what comes every few hours it is at that moment."""
    if when.has_clock and when.start and re.match("FREQ=(?:HOURLY|MINUTELY)", task.rrule or ""):
        return {"start": when.start}
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


def yearly(turns: When, task: Create) -> str | None:
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


def beside(before: Create, made: creates.Made) -> creates.Made:
    """A task that follows another of the same message."""
    if not isinstance(made, Create):
        return made
    return _in_rhythm(before, _setting_out(before, made))


def _setting_out(before: Create, made: Create) -> Create:
    """«明天早上九点开会，八点出门»: the eight before it."""
    if not (before.start and made.start and _OUT.match(plain(made.title))) or before.all_day or made.all_day or made.rrule:
        return made
    early = made.start - _HALF_A_DAY
    out = early < before.start < made.start and before.start - early < _LONGEST_WAY
    return made.model_copy(update={"start": early}) if out and not creates.HALF_SAID.search(plain(made.when or "")) else made


def _in_rhythm(before: Create, made: Create) -> Create:
    """«每月10号还房贷，25号还信用卡»: both every month."""
    rule = before.rrule or ""
    if made.rrule or made.start is None or not _MONTHDAY.fullmatch(plain(made.when or "")):
        return made
    if not re.match(r"FREQ=MONTHLY;BYMONTHDAY=\d+(?:;BYHOUR|$)", rule) or not made.all_day:
        return made
    monthly = f"FREQ=MONTHLY;BYMONTHDAY={made.start.day}"
    return made.model_copy(update={"rrule": monthly, "repeat": f"每月{made.when}"})

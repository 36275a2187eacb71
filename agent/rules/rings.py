"""Reminders told by the day of the task they are for: «前一晚十点», «头天», «当天早上七点»."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from agent.analysis import Create
from agent.rules import clause, titles
from agent.rules.clause import Clause
from agent.rules.words import ON_TIME, REMIND
from planner.when import Lead, When
from planner.when.text import number, plain

_DAY = re.compile(
    r"^(?:在|就|请|记得|帮我|要|和|[,\s])*(?:(?:提?前|头)(?P<count>[一两二三四五六七\d]?)(?:天|(?P<eve>晚上?))|(?P<same>当[天日]|那天|当(?P<late>晚上?)|当(?=早)))的?"
)
_NAMED_DAY = re.compile(r"^(?P<named>[^,，前头当]{2,8}?)的?(?=(?<!提)(?:前|头)[一两二三四五六七\d]?[天晚]|当[天日晚]).{2}")
_ASKED = re.compile(rf"{REMIND}|准备|记得|别忘")


def by_its_day(task: Create, part: Clause) -> tuple[datetime | None, int, str] | None:
    """The moment, or how many days before, and what else is to be done then. None where the words are no such thing."""
    match = _DAY.match(part.flat)
    if match is None or task.start is None or not _ASKED.search(part.flat) or part.leads:
        return None
    back = 0 if match["same"] else number(match["count"] or "一")
    day = task.start.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=back)
    evening = "晚上" if match["eve"] or match["late"] else ""
    rest = clause.message(evening + part.text[match.end() :], day, _zone(task.start))
    at = next((when.at for when in rest.moments), None)
    if at is None and not back:
        return None
    return at, back, titles.title(rest)


def before_it(task: Create, part: Clause) -> Create | None:
    """«出差前一天晚上提醒我收拾行李», of a thing that was planned with it: a task of its own."""
    match = _NAMED_DAY.match(part.flat)
    if match is None or match["named"] not in plain(task.title):
        return None
    found = by_its_day(task, part.cut(match.end("named"), len(part.text)))
    at, _, duty = found or (None, 0, "")
    return Create(title=duty, start=at, when=part.text[: match.end()], remind=[ON_TIME]) if at and len(duty) > 1 else None


def clocked(task: Create, part: Clause) -> tuple[list[Lead], list[datetime]]:
    """Of «提前三天、提前一天早上九点» the plain lead, and the moment of the one that has a clock."""
    clocks = {lead: clock for lead in part.leads if (clock := _clock_of(lead, part)) and task.start}
    plain = [lead for lead in part.leads if lead not in clocks]
    return plain, [datetime.combine((task.start - lead.before).date(), clock.timetz()) for lead, clock in clocks.items() if task.start]


def has_clock(part: Clause) -> bool:
    return any(_clock_of(lead, part) for lead in part.leads)


def _clock_of(lead: Lead, part: Clause) -> datetime | None:
    behind = next((told.when for told in part.times if 0 <= told.start - lead.end <= 1), None)
    clocked = isinstance(behind, When) and (behind.has_clock or behind.point) and lead.before.days
    return behind.at if isinstance(behind, When) and clocked else None


def _zone(moment: datetime) -> ZoneInfo:
    return moment.tzinfo if isinstance(moment.tzinfo, ZoneInfo) else ZoneInfo("UTC")

"""Parts of a month or year that was named just before: «第二周», «前三天», «最后一个周五», «倒数第二天»."""

import re
from dataclasses import replace
from datetime import date, timedelta

from planner.when import dates, offdays
from planner.when.atoms import Day, Impossible, Now, Rules
from planner.when.numerals import CN, WD, WEEK, WEEKDAYS
from planner.when.text import number

Match = re.Match[str]

_N = rf"(?:\d{{1,3}}|[{CN}两]{{1,5}})"
_UNIT = "(?P<unit>天|日|周|星期|礼拜|季度?|个?月)"
_NTH_WEEKDAY = rf"(?:第(?P<nth>{_N})|(?P<last>最后一))个?{WEEK}(?P<day>{WD})"
_NTH_WEEKEND = rf"(?:第(?P<nth>{_N})个|(?P<last>最后一个)|首个)(?:周末|双休日)"
_NTH = rf"(?:(?P<back>倒数)?第(?P<nth>{_N})个?|首个?){_UNIT}(?P<edge>[初末底])?"
_SOME = rf"(?P<side>头|前|后|最后)的?(?P<count>{_N})个?{_UNIT}"
_WORKDAY = rf"(?:第(?P<nth>{_N})个?|首个?|最后(?P<last>一个)|(?P<back>倒数)第(?P<far>{_N})个?)(?:工作|上班|交易)日"
_EDGE = rf"(?P<edge>前期|初期?(?![{CN}\d])|末期?|后期|底)"
_DECADE_YEARS = 3


def _span(now: Now) -> tuple[date, date]:
    if now.span is None:
        raise ValueError("inside no span")
    return now.span


def _nth_weekday(match: Match, now: Now) -> Day:
    first, last = _span(now)
    weekday = WEEKDAYS[match["day"]]
    if match["last"]:
        end = last - timedelta(days=1)
        return Day(end - timedelta(days=(end.weekday() - weekday) % 7))
    found = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number(match["nth"]) - 1))
    if found >= last:
        raise Impossible(f"没有“{match[0]}”")
    return Day(found)


def _nth_weekend(match: Match, now: Now) -> Day:
    first, last = _span(now)
    saturday = first + timedelta(days=(5 - first.weekday()) % 7 + 7 * (number(match["nth"] or "1") - 1))
    if match["last"]:
        saturday = last - timedelta(days=1 + (last.weekday() + 1) % 7)
    if saturday >= last:
        raise Impossible(f"没有“{match[0]}”")
    return Day(saturday, saturday + timedelta(days=2), weekday=5)


def _workday(match: Match, now: Now) -> Day:
    """By the official calendar."""
    first, last = _span(now)
    days = [first + timedelta(days=step) for step in range((last - first).days)]
    worked = [day for day in days if offdays.works(day)]
    place = -number(match["far"] or "1") if match["last"] or match["back"] else number(match["nth"] or "1") - 1
    if not -len(worked) <= place < len(worked):
        raise Impossible(f"没有“{match[0]}”")
    return Day(worked[place], certain=offdays.known(first.year))


def _nth(match: Match, now: Now) -> Day:
    told = _steps(match, number(match["nth"] or "1"), now, from_end=bool(match["back"]))
    if not match["edge"]:
        return told
    return quarter_edge(told.first, told.last or told.first, early=match["edge"] == "初")


def _steps(match: Match, nth: int, now: Now, *, from_end: bool) -> Day:
    """The nth unit of the span. Weeks are Monday's, the first is the first that begins in it."""
    first, last = _span(now)
    unit = match["unit"]
    if unit in "天日":
        found = last - timedelta(days=nth) if from_end else first + timedelta(days=nth - 1)
        told = Day(found)
    elif unit in ("周", "星期", "礼拜"):
        monday = first + timedelta(days=-first.weekday() % 7)
        found = monday + timedelta(weeks=nth - 1)
        told = Day(found, found + timedelta(days=7))
    else:
        months = 3 if unit[0] == "季" else 1
        found = dates.add_months(last, -months * nth) if from_end else dates.add_months(first, months * (nth - 1))
        told = Day(found, dates.add_months(found, months))
    if not first <= told.first < last:
        raise Impossible(f"没有“{match[0]}”")
    return told


def _some(match: Match, now: Now) -> Day:
    first, last = _span(now)
    count, unit, behind = number(match["count"]), match["unit"], match["side"] in ("后", "最后")
    if unit[-1] == "月" or unit[0] == "季":
        months = count * (3 if unit[0] == "季" else 1)
        told = Day(dates.add_months(last, -months), last) if behind else Day(first, dates.add_months(first, months))
    else:
        days = timedelta(days=count * (1 if unit in "天日" else 7))
        told = Day(last - days, last) if behind else Day(first, first + days)
    if told.first < first or (told.last or told.first) > last:
        raise Impossible(f"没有“{match[0]}”")
    one = told.last is not None and told.last - told.first == timedelta(days=1)
    return replace(told, last=None) if one else told


def _edge(match: Match, now: Now) -> Day | None:
    """«一季度前期» is its first month, «九十年代末» its last three years."""
    first, last = _span(now)
    early = match["edge"][0] in "前初"
    months = 1 if dates.add_months(first, 3) == last else 12 * _DECADE_YEARS if last.year - first.year == 10 else 0
    if not months:
        return None
    if months == 1 and match["edge"] in "初末底":
        return quarter_edge(first, last, early=early)
    return Day(first, dates.add_months(first, months)) if early else Day(dates.add_months(last, -months), last)


def quarter_edge(first: date, last: date, *, early: bool) -> Day:
    """Its first or last day, loosely the month around it."""
    if early:
        return Day(first, certain=False, loose=(first, dates.add_months(first, 1)))
    return Day(last - timedelta(days=1), loose=(dates.add_months(last, -1), last))


RULES: Rules = [
    ("nth_weekday_of", "第最", _NTH_WEEKDAY, _nth_weekday),
    ("nth_weekend_of", "第最首", _NTH_WEEKEND, _nth_weekend),
    ("nth_workday_of", "第首最倒", _WORKDAY, _workday),
    ("nth_of", "第倒首", _NTH, _nth),
    ("some_of", "头前后最", _SOME, _some),
    ("edge_of", "前初末后底", _EDGE, _edge),
]

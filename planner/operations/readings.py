"""What a change means for the task it is about: readings that the words alone do not settle."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from planner.actions import Changes
from planner.when.atoms import WAKING

HALF_DAY = timedelta(hours=12)


def renamed(title: str, wanted: Changes) -> str:
    """«是李总不是王总» changes a part of the title."""
    new = wanted.title or title
    if not wanted.instead_of or wanted.instead_of not in title or new in title:
        return new
    before, _, behind = title.partition(wanted.instead_of)
    return f"{before}{new.removesuffix(behind) if behind else new}{behind}"[:200]


def same_week(was: datetime, start: datetime, zone: ZoneInfo) -> datetime:
    """«不是周三，是周四»: the Thursday of the week that it was in."""
    old, new = was.astimezone(zone), start.astimezone(zone)
    return new + timedelta(days=(old.date() - new.date()).days + new.weekday() - old.weekday())


def waking(start: datetime, zone: ZoneInfo) -> datetime:
    """«改到三点» of a whole day is in the afternoon."""
    return start if start.astimezone(zone).hour in WAKING else start + HALF_DAY


def nearer_half(was: datetime, start: datetime) -> datetime:
    """«改到九点» of something at ten in the morning is in the morning."""
    return min((start, start - HALF_DAY, start + HALF_DAY), key=lambda moment: abs(moment - was))

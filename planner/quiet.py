"""The follower's quiet hours («22:00-07:00»), and where a moment within them is put."""

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from planner.models import Follower

CLOCK = re.compile(r"^([01]?\d|2[0-3]):([0-5]\d)$")
OFF = ("", "off")


def clock(text: str) -> time | None:
    """«7:30»; None for anything else."""
    found = CLOCK.match(text)
    return time(int(found[1]), int(found[2])) if found else None


def hours(text: str) -> tuple[time, time] | None:
    """Begin and end; None where there are none, as for equal ones."""
    first, _, last = text.partition("-")
    begins, ends = clock(first), clock(last)
    return (begins, ends) if begins and ends and begins != ends else None


def end_of_quiet(moment: datetime, follower: Follower) -> datetime | None:
    """The end of the quiet hours that `moment` falls into; None outside them."""
    span = hours(str(follower.preferences.get("quiet_hours", "")))
    return _end(moment, span, follower.zone) if span else None


def _end(moment: datetime, span: tuple[time, time], zone: ZoneInfo) -> datetime | None:
    begins, ends = span
    local = moment.astimezone(zone)
    now, over_midnight = local.time().replace(tzinfo=None), begins > ends
    inside = now >= begins or now < ends if over_midnight else begins <= now < ends
    if not inside:
        return None
    day = local.date() + timedelta(days=1) if over_midnight and now >= begins else local.date()
    return datetime.combine(day, ends, zone)

"""«明天» said after midnight: the day that begins now, or the one after? Both are meant by somebody."""

import re
from datetime import datetime, timedelta

from planner import texts
from planner.when import When
from planner.when.text import plain

DAWN = 5
_TOMORROW = re.compile("^明(?:[天日早晨晚儿]|上午|下午)")


def either_day(when: When, sent_at: datetime) -> list[str]:
    """The two readings, to choose from; none when the words or the hour leave no doubt."""
    start = when.at
    if start is None or start.tzinfo is None or not when.has_clock or not _TOMORROW.match(plain(when.words)):
        return []
    local = sent_at.astimezone(start.tzinfo)
    sooner = start - timedelta(days=1)
    if local.hour >= DAWN or sooner <= sent_at or when.rrule:
        return []
    return [texts.moment(moment) for moment in (sooner, start)]

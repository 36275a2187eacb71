"""Which days are worked in China: the published calendar with its make-up days.

The next year's is published each November and comes with a newer tyme4py; until then Monday to Friday are worked.
"""

from datetime import date
from functools import lru_cache

from tyme4py.holiday import LegalHoliday


@lru_cache(maxsize=4096)
def is_workday(day: date) -> bool:
    told = LegalHoliday.from_ymd(day.year, day.month, day.day)
    return bool(told.is_work()) if told else day.weekday() < 5

"""How a rule reads, and that what is read can be said again."""

from datetime import datetime

import pytest

from planner.recurrence import parse, settled
from planner.rhythm import rhythm
from planner.when import When, resolve

START = datetime(2026, 1, 1, 9, 30)
READS = {
    "FREQ=DAILY": "每天 09:30",
    "FREQ=DAILY;INTERVAL=2": "每2天 09:30",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR": "每周一、三、五 09:30",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": "每周一到周五 09:30",
    "FREQ=DAILY;BYDAY=SA,SU": "每个周末 09:30",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO": "每2周的周一 09:30",
    "FREQ=MONTHLY;BYMONTHDAY=15": "每月15日 09:30",
    "FREQ=MONTHLY;BYMONTHDAY=31": "每月31日（没有这天的月份在月底） 09:30",
    "FREQ=MONTHLY;BYMONTHDAY=-1": "每月最后一天 09:30",
    "FREQ=MONTHLY;BYDAY=-1FR": "每月最后一个周五 09:30",
    "FREQ=MONTHLY;BYSETPOS=-1;X-WORKDAYS=CN": "每月最后一个工作日 09:30",
    "FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1": "每3个月的1日 09:30",
    "FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15": "每年8月15日 09:30",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29": "每年2月29日（没有这天的年份在月底） 09:30",
    "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15": "每年农历八月十五 09:30",
    "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=23": "每年农历正月廿三 09:30",
    "RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=1": "每个农历月初一 09:30",
    "FREQ=DAILY;X-WORKDAYS=CN": "每个工作日（按调休） 09:30",
    "FREQ=DAILY;BYHOUR=9,21;BYMINUTE=0": "每天 09:00、21:00",
    "FREQ=DAILY;UNTIL=20270601": "每天 09:30，到2027年6月1日",
    "FREQ=HOURLY;INTERVAL=2;BYHOUR=9,11,13": "每2小时（9点到13点）",
    "FREQ=MINUTELY;INTERVAL=30": "每30分钟",
}


@pytest.mark.parametrize(("rule", "words"), READS.items(), ids=list(READS))
def test_a_rule_reads_like_this(rule, words):
    assert rhythm(settled(parse(rule), START, all_day=False)) == words


SAID_AGAIN = ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,WE,FR", "FREQ=MONTHLY;BYMONTHDAY=15", "FREQ=MONTHLY;BYMONTHDAY=-1"]


@pytest.mark.parametrize("rule", SAID_AGAIN)
def test_what_is_printed_reads_back_as_the_same_rule(rule):
    meant = settled(parse(rule), START, all_day=False)

    told = resolve(rhythm(meant), START.astimezone())

    assert isinstance(told, When)
    assert settled(parse(told.rrule or ""), START, all_day=False) == meant

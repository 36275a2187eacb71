"""Feasts by name: where they fall, and how long the break around them is."""

from collections.abc import Callable
from datetime import date, timedelta

from planner.when import lunar

OfYear = Callable[[int], date | None]


def _fixed(month: int, day: int) -> OfYear:
    return lambda year: date(year, month, day)


def _lunar(month: int, day: int) -> OfYear:
    return lambda year: lunar.civil(year, month, day)


def _nth(month: int, weekday: int, nth: int) -> OfYear:
    def of(year: int) -> date:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))

    return of


def _term(month: int, constant: float) -> OfYear:
    """A solar term of this century: a day moved by 0.2422 a year, less the leap days since 2000."""

    def of(year: int) -> date:
        short = year % 100
        leaps = (short - 1) // 4 if month < 3 else short // 4
        return date(year, month, int(short * 0.2422 + constant) - leaps)

    return of


def _eve(year: int) -> date | None:
    return lunar.last_day(year - 1)


NAMES: dict[str, OfYear] = {
    **dict.fromkeys(["元旦节", "元旦", "新年第一天"], _fixed(1, 1)),
    **dict.fromkeys(["情人节"], _fixed(2, 14)),
    **dict.fromkeys(["三八妇女节", "妇女节", "三八节", "女神节"], _fixed(3, 8)),
    **dict.fromkeys(["植树节"], _fixed(3, 12)),
    **dict.fromkeys(["愚人节"], _fixed(4, 1)),
    **dict.fromkeys(["五一国际劳动节", "五一劳动节", "国际劳动节", "劳动节", "五一节", "五一"], _fixed(5, 1)),
    **dict.fromkeys(["五四青年节", "青年节"], _fixed(5, 4)),
    **dict.fromkeys(["六一儿童节", "国际儿童节", "儿童节", "六一"], _fixed(6, 1)),
    **dict.fromkeys(["建党节"], _fixed(7, 1)),
    **dict.fromkeys(["八一建军节", "建军节"], _fixed(8, 1)),
    **dict.fromkeys(["教师节"], _fixed(9, 10)),
    **dict.fromkeys(["十一国庆节", "国庆节", "国庆"], _fixed(10, 1)),
    **dict.fromkeys(["万圣节"], _fixed(10, 31)),
    **dict.fromkeys(["光棍节", "双十一", "双11"], _fixed(11, 11)),
    **dict.fromkeys(["双十二", "双12"], _fixed(12, 12)),
    **dict.fromkeys(["平安夜"], _fixed(12, 24)),
    **dict.fromkeys(["圣诞节", "圣诞"], _fixed(12, 25)),
    **dict.fromkeys(["母亲节"], _nth(5, 6, 2)),
    **dict.fromkeys(["父亲节"], _nth(6, 6, 3)),
    **dict.fromkeys(["感恩节"], _nth(11, 3, 4)),
    **dict.fromkeys(["除夕夜", "除夕", "大年三十", "年三十", "年夜"], _eve),
    **dict.fromkeys(["农历新年", "春节", "大年初一"], _lunar(1, 1)),
    **dict.fromkeys(["元宵节", "元宵"], _lunar(1, 15)),
    **dict.fromkeys(["龙抬头"], _lunar(2, 2)),
    **dict.fromkeys(["端午节", "端午"], _lunar(5, 5)),
    **dict.fromkeys(["七夕节", "七夕"], _lunar(7, 7)),
    **dict.fromkeys(["中元节"], _lunar(7, 15)),
    **dict.fromkeys(["中秋节", "中秋"], _lunar(8, 15)),
    **dict.fromkeys(["重阳节", "重阳"], _lunar(9, 9)),
    **dict.fromkeys(["腊八节", "腊八"], _lunar(12, 8)),
    **dict.fromkeys(["立春"], _term(2, 3.87)),
    **dict.fromkeys(["春分"], _term(3, 20.646)),
    **dict.fromkeys(["清明节", "清明"], _term(4, 4.81)),
    **dict.fromkeys(["谷雨"], _term(4, 20.1)),
    **dict.fromkeys(["立夏"], _term(5, 5.52)),
    **dict.fromkeys(["夏至"], _term(6, 21.37)),
    **dict.fromkeys(["立秋"], _term(8, 7.5)),
    **dict.fromkeys(["秋分"], _term(9, 23.042)),
    **dict.fromkeys(["霜降"], _term(10, 23.438)),
    **dict.fromkeys(["立冬"], _term(11, 7.438)),
    **dict.fromkeys(["冬至"], _term(12, 21.94)),
}

# Breaks as published for one year (feast's first name, days before, length); other years take the usual length.
_PUBLISHED: dict[int, dict[date, tuple[int, int]]] = {
    2026: {
        date(2026, 1, 1): (0, 3),
        date(2026, 2, 17): (2, 9),
        date(2026, 4, 5): (1, 3),
        date(2026, 5, 1): (0, 5),
        date(2026, 6, 19): (0, 3),
        date(2026, 9, 25): (0, 3),
        date(2026, 10, 1): (0, 7),
    },
}
_USUAL = {"春节": (1, 8), "国庆": (0, 7), "五一": (0, 5), "劳动节": (0, 5), "元旦": (0, 1)}


def coming(name: str, floor: date, year: int | None = None) -> date | None:
    """The feast in `year`, or the first one on or after `floor`."""
    of_year = NAMES[name]
    if year is not None:
        return of_year(year)
    candidates = (of_year(floor.year + step) for step in range(3))
    return next((day for day in candidates if day and day >= floor), None)


def holiday_break(name: str, day: date) -> tuple[date, int]:
    """First day and length of the days off around a feast."""
    usual = next((span for feast, span in _USUAL.items() if name.startswith(feast)), (0, 3))
    before, length = _PUBLISHED.get(day.year, {}).get(day, usual)
    return day - timedelta(days=before), length

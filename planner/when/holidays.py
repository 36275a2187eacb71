"""Feasts by name: where they fall, and how long the break around them is."""

from collections.abc import Callable
from datetime import date, timedelta

from planner.when import easter, lunar, moons, offdays, terms

OfYear = Callable[[int], date | None]


def _fixed(month: int, day: int) -> OfYear:
    return lambda year: date(year, month, day)


def _lunar(month: int, day: int) -> OfYear:
    return lambda year: lunar.civil(year, month, day)


def _nth(month: int, weekday: int, nth: int) -> Callable[[int], date]:
    def of(year: int) -> date:
        first = date(year, month, 1)
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))

    return of


def _term(name: str) -> OfYear:
    return lambda year: terms.of_year(name, year)


def _eve(year: int) -> date | None:
    return lunar.last_day(year)


_FIXED = {
    (1, 1): "元旦节 元旦 新年 新年第一天 阳历新年 公历新年",
    (2, 14): "西方情人节 情人节 圣瓦伦丁节",
    (3, 7): "女生节",
    (3, 8): "三八国际妇女节 国际妇女节 三八妇女节 妇女节 三八节 女神节 女王节",
    (3, 12): "植树节",
    (3, 14): "白色情人节",
    (3, 15): "国际消费者权益日 消费者权益日 三一五",
    (4, 1): "愚人节",
    (4, 22): "世界地球日 地球日",
    (4, 23): "世界读书日 读书日",
    (5, 1): "五一国际劳动节 五一劳动节 国际劳动节 劳动节 五一节 五一",
    (5, 4): "五四青年节 青年节",
    (5, 12): "国际护士节 护士节",
    (6, 1): "六一国际儿童节 六一儿童节 国际儿童节 儿童节 六一",
    (7, 1): "香港回归纪念日 七一建党节 建党节",
    (8, 1): "八一建军节 建军节",
    (6, 18): "六一八 618购物节 618大促",
    (8, 8): "台湾父亲节",
    (9, 3): "抗战胜利纪念日",
    (9, 10): "教师节",
    (10, 1): "十一国庆节 国庆节 国庆",
    (10, 16): "老板节",
    (10, 24): "程序员节",
    (10, 31): "万圣节前夜 万圣夜 万圣节",
    (11, 11): "光棍节 双十一 双11",
    (12, 12): "双十二 双12",
    (12, 13): "国家公祭日",
    (12, 20): "澳门回归纪念日",
    (12, 31): "跨年夜",
    (12, 24): "平安夜 圣诞前夜",
    (12, 25): "圣诞节 圣诞",
}
_LUNAR = {
    (1, 1): "农历新年 大年初一 春节 新春 正月正时 正月朔日",
    (1, 15): "元宵节 元宵 上元节",
    (2, 2): "龙抬头 二月二龙抬头 二月二",
    (3, 3): "上巳节",
    (4, 15): "卫塞节 威瑟节 比萨宝蕉节",
    (5, 5): "端午节 端午",
    (7, 7): "七夕情人节 七夕节 七夕",
    (7, 15): "中元节 盂兰盆节 鬼节",
    (8, 15): "中秋佳节 中秋节 中秋",
    (9, 9): "重阳节 重阳",
    (10, 1): "寒衣节",
    (12, 8): "腊八节 腊八",
    (12, 23): "北方小年 小年",
    (12, 24): "南方小年",
}
# Month, weekday, which of them.
_NTH = {"母亲节": (5, 6, 2), "父亲节": (6, 6, 3), "感恩节": (11, 3, 4)}
_MOVING: dict[str, OfYear] = {
    **{name: _nth(*place) for name, place in _NTH.items()},
    "黑色星期五": lambda year: _nth(11, 3, 4)(year) + timedelta(days=1),
    "黑五": lambda year: _nth(11, 3, 4)(year) + timedelta(days=1),
}
# Weather and names as well: only where they are the whole expression.
_ALONE = ("大雪", "小雪", "白露", "小满", "大寒", "小寒", "十一", "新年")

NAMES: dict[str, OfYear] = {
    **{name: _fixed(*day) for day, names in _FIXED.items() for name in names.split()},
    **{name: _lunar(*day) for day, names in _LUNAR.items() for name in names.split()},
    **dict.fromkeys(["除夕夜", "除夕", "大年三十", "年三十", "年夜"], _eve),
    **{name: _term(name) for name in terms.NAMES},
    **easter.NAMES,
    **moons.NAMES,
    **_MOVING,
    "清明节": _term("清明"),
    "冬至节": _term("冬至"),
    "十一": _fixed(10, 1),
}
_ENDS = r"(?=$|[\s,。:]|节气|[那当这]天|假期|期间|长假|小长假|黄金周|放假|回家|出去)"


def _pattern(name: str) -> str:
    if name in moons.ALONE:
        return f"(?:^|(?<=年)){name}$"
    if name in _ALONE:
        return rf"(?<![第\d双])(?:{name}){_ENDS}" if name == "十一" else f"{name}{_ENDS}"
    return {"二月二": "二月二(?![十日号])", "小年": "(?<![大最])小年(?![轻糕级纪青龄份段])"}.get(name, name)


PATTERN = "|".join(_pattern(name) for name in sorted(NAMES, key=len, reverse=True))

# Where no break is published yet: days before the feast, and length.
_USUAL = {"春节": (1, 8), "国庆": (0, 7), "五一": (0, 5), "劳动节": (0, 5), "十一": (0, 7)}
# One feast alone makes a long weekend with the nearest Sunday; on a Wednesday it stands by itself.
_WITH_WEEKEND = ((2, 3), (2, 3), (0, 1), (0, 3), (0, 3), (0, 3), (1, 3))


_LUNAR_DAYS = {name: day for day, names in _LUNAR.items() for name in names.split()}
_FIXED_DAYS = {name: day for day, names in _FIXED.items() for name in names.split()} | {"十一": (10, 1)}
# The feasts of the official breaks, one name for each, and what the names of all of them begin with.
_RESTS = ("元旦", "春节", "清明", "五一", "端午", "中秋", "国庆")
_RESTING = (*_RESTS, "农历新年", "大年", "年三十", "除夕", "劳动节", "国际劳动节", "十一")


def fixed_day(name: str) -> tuple[int, int] | None:
    return _FIXED_DAYS.get(name)


def nth_day(name: str) -> tuple[int, int, int] | None:
    return _NTH.get(name)


def lunar_day(name: str) -> tuple[int, int] | None:
    """Month and day of a feast of the lunar calendar; the year's last day counts as the thirtieth."""
    return (12, 30) if NAMES[name] is _eve else _LUNAR_DAYS.get(name)


def coming(name: str, floor: date, year: int | None = None) -> date | None:
    """The feast in `year`, or the first one on or after `floor`."""
    of_year = NAMES[name]
    if year is not None:
        return of_year(year)
    candidates = (of_year(floor.year + step) for step in range(-1, 3))
    return next((day for day in candidates if day and day >= floor), None)


def holiday_break(name: str, day: date) -> tuple[date, date]:
    """First day of the days off around a feast, and the first day after them."""
    if published := offdays.around(day):
        return published
    before, length = next((span for feast, span in _USUAL.items() if name.startswith(feast)), _WITH_WEEKEND[day.weekday()])
    first = day - timedelta(days=before)
    return first, first + timedelta(days=length)


def coming_break(name: str, today: date) -> tuple[date, date] | None:
    """The days off around a feast: those that we are in, or the next. A feast without any gives its day."""
    of_year, length = NAMES[name], timedelta(days=1)
    feasts = [day for day in (of_year(today.year + step) for step in range(-1, 3)) if day]
    spans = [holiday_break(name, day) if name.startswith(_RESTING) else (day, day + length) for day in feasts]
    return next((span for span in spans if span[1] > today), None)


def next_break(today: date) -> tuple[date, date] | None:
    """Of all the year's breaks the one we are in, or the next: «节后»."""
    spans = [span for name in _RESTS if (span := coming_break(name, today))]
    return min(spans, default=None)


def days_off(name: str, day: date, today: date) -> tuple[date, date]:
    """A feast on that day with the days off around it, half open; while it is being kept, those of now."""
    if not name.startswith(_RESTING):
        return day, day + timedelta(days=1)
    now = coming_break(name, today)
    return now if now and now[0] <= today else holiday_break(name, day)

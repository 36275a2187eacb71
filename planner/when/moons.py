"""Feasts of the Hebrew and the Islamic calendar, by arithmetic.

Jewish ones begin at sundown: the day before is given. Islamic ones are those of the tabular calendar; where the new
moon has to be seen they may be a day off.
"""

from collections.abc import Callable
from datetime import date, timedelta

# Counted from Tishri, which begins the year; Adar is the month before Nisan.
_FROM_TISHRI = {
    0: "犹太新年 犹太历新年",
    9: "赎罪日",
    14: "住棚节",
    21: "圣会节",
    22: "西赫托拉节 西赫妥拉节 诵经节 转经节 律法节 欢庆圣法节",
}
_FROM_NISAN = {
    -16: "普珥节",
    14: "逾越节",
    47: "篝火节 犹太教篝火节",
    64: "七七节 沙夫幼特节 收获节 新果实节",
    126: "圣殿被毁日 禁食日",
}
_KISLEV, _SHEVAT = "光明节 修殿节 献殿节 烛光节 哈努卡节 马加比节", "犹太植树节 图比舍巴特节 树木新年"
_INDEPENDENCE = "以色列独立日 以色列国庆节"
_ISLAMIC = {
    (1, 1): "伊斯兰新年 伊斯兰教新年 伊斯兰历新年",
    (1, 10): "阿舒拉节",
    (3, 12): "圣纪节",
    (7, 27): "登霄节 夜行登霄节",
    (9, 1): "斋月 穆斯林斋月",
    (9, 27): "法令之夜 权力之夜",
    (10, 1): "开斋节 肉孜节 尔代节",
    (12, 10): "古尔邦节 宰牲节",
}
_EVE = timedelta(days=1)
_YEARS = range(1800, 3000)
_HEBREW_EPOCH, _ISLAMIC_EPOCH = -1373427, 227014
_HEBREW_AHEAD = 3760
_PARTS_A_DAY, _PARTS_A_MONTH = 25920, 13753
OfYear = Callable[[int], date | None]


def _elapsed(year: int) -> int:
    """Days up to the molad of Tishri, put off where the new year may not begin on that weekday."""
    months = (235 * year - 234) // 19
    days = months * 29 + (12084 + _PARTS_A_MONTH * months) // _PARTS_A_DAY
    return days + 1 if (3 * (days + 1)) % 7 < 3 else days


def _tishri(year: int) -> date:
    before, here, after = (_elapsed(each) for each in (year - 1, year, year + 1))
    late = 2 if after - here == 356 else 1 if here - before == 382 else 0
    return date.fromordinal(_HEBREW_EPOCH + here + late)


def _nisan(year: int) -> date:
    """The first of Nisan in a civil year: always 177 days before the next new year."""
    return _tishri(year + _HEBREW_AHEAD + 1) - timedelta(days=177)


def _autumn(days: int) -> OfYear:
    return lambda year: _tishri(year + _HEBREW_AHEAD + 1) + timedelta(days=days) - _EVE


def _spring(days: int) -> OfYear:
    return lambda year: _nisan(year) + timedelta(days=days) - _EVE


def _lights(year: int) -> date:
    """The 25th of Kislev; the month before it has thirty days in long years alone."""
    begins, next_begins = _tishri(year + _HEBREW_AHEAD + 1), _tishri(year + _HEBREW_AHEAD + 2)
    long = (next_begins - begins).days % 10 == 5
    return begins + timedelta(days=(60 if long else 59) + 24) - _EVE


def _trees(year: int) -> date:
    """The 15th of Shevat: two or three months before Nisan."""
    begins, next_begins = _tishri(year + _HEBREW_AHEAD), _tishri(year + _HEBREW_AHEAD + 1)
    leap = (next_begins - begins).days > 370
    return _nisan(year) - timedelta(days=(89 if leap else 59)) + timedelta(days=14) - _EVE


def _independence(year: int) -> date:
    """The 5th of Iyar, moved away from the Sabbath."""
    day = _nisan(year) + timedelta(days=34)
    moved = {4: -1, 5: -2, 0: 1}.get(day.weekday(), 0)
    return day + timedelta(days=moved) - _EVE


def islamic(year: int, month: int, day: int) -> date:
    days = _ISLAMIC_EPOCH + day + 29 * (month - 1) + month // 2 + (year - 1) * 354 + (3 + 11 * year) // 30
    return date.fromordinal(days)


def _moving(month: int, day: int) -> OfYear:
    """Where it falls twice into a civil year, the first."""

    def of_year(year: int) -> date | None:
        about = (year - 622) * 33 // 32
        told = (islamic(each, month, day) for each in range(max(about - 1, 1), about + 4))
        return next((found for found in told if found.year == year), None)

    return of_year


_BY_RULE: list[tuple[str, OfYear]] = [
    *((names, _autumn(days)) for days, names in _FROM_TISHRI.items()),
    *((names, _spring(days)) for days, names in _FROM_NISAN.items()),
    (_KISLEV, _lights),
    (_SHEVAT, _trees),
    (_INDEPENDENCE, _independence),
    *((names, _moving(*day)) for day, names in _ISLAMIC.items()),
]


def _known(of_year: OfYear) -> OfYear:
    return lambda year: of_year(year) if year in _YEARS else None


NAMES: dict[str, OfYear] = {name: _known(of_year) for names, of_year in _BY_RULE for name in names.split()}
# Words for other things as well: only where they are the whole expression.
ALONE = frozenset(["收获节", "新果实节", "诵经节", "禁食日", "篝火节", "烛光节", "律法节"])
SIGHTED = frozenset(name for names in _ISLAMIC.values() for name in names.split())

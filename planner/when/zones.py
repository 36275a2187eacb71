"""Times told in another zone: «纽约时间下午3点», «15:00 UTC+8», «3pm EST»."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from planner.when.atoms import Impossible
from planner.when.lazy import Lazy
from planner.when.model import Refused, When

_NAMES = {
    "America/New_York": "纽约 美东 美国东部 东部 华盛顿 波士顿 多伦多",
    "America/Chicago": "芝加哥 美中 美国中部 休斯顿",
    "America/Denver": "丹佛 美国山区",
    "America/Los_Angeles": "洛杉矶 旧金山 硅谷 西雅图 美西 美国西部 太平洋 温哥华 加州",
    "Pacific/Honolulu": "夏威夷",
    "America/Sao_Paulo": "圣保罗 巴西",
    "Europe/London": "伦敦 英国",
    "UTC": "格林尼治 格林威治 世界标准 国际标准 世界协调",
    "Europe/Paris": "巴黎 法国 马德里 西班牙 罗马 意大利 阿姆斯特丹",
    "Europe/Berlin": "柏林 德国 欧洲中部 中欧 法兰克福 慕尼黑 苏黎世 瑞士",
    "Europe/Moscow": "莫斯科 俄罗斯",
    "Africa/Cairo": "开罗 埃及",
    "Asia/Dubai": "迪拜",
    "Asia/Kolkata": "印度 孟买 新德里 班加罗尔",
    "Asia/Bangkok": "曼谷 泰国 河内 越南",
    "Asia/Singapore": "新加坡 吉隆坡 马来西亚",
    "Asia/Jakarta": "雅加达",
    "Asia/Shanghai": "北京 中国 上海",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北 台湾",
    "Asia/Tokyo": "东京 日本 大阪",
    "Asia/Seoul": "首尔 韩国",
    "Australia/Sydney": "悉尼 墨尔本 澳洲东部 澳大利亚东部",
    "Pacific/Auckland": "奥克兰 新西兰",
}
# By the clocks there, summer time or not, as people mean it. Left out: CST, which is China's, America's and Cuba's; ET and PT, which are words as well.
_LETTERS = {
    "America/New_York": "EST EDT",
    "America/Denver": "MST MDT",
    "America/Los_Angeles": "PST PDT",
    "Europe/London": "BST",
    "Europe/Berlin": "CET CEST",
    "Europe/Moscow": "MSK",
    "Asia/Kolkata": "IST",
    "Asia/Singapore": "SGT",
    "Asia/Hong_Kong": "HKT",
    "Asia/Tokyo": "JST",
    "Asia/Seoul": "KST",
    "Australia/Sydney": "AEST AEDT",
}
_BY_NAME = {name: key for key, names in _NAMES.items() for name in names.split()}
_BY_LETTERS = {name: key for key, names in _LETTERS.items() for name in names.split()}
PATTERN = (
    rf"(?:(?:{'|'.join(sorted(_BY_NAME, key=len, reverse=True))})(?:当地)?时间"
    rf"|(?<![A-Za-z])(?:(?:UTC|GMT)(?:\s?[+-]\s?\d{{1,2}}(?::?[03]0)?(?!\d|:))?|{'|'.join(_BY_LETTERS)})(?![A-Za-z]))"
)
_ZONE = Lazy(PATTERN)
_BEFORE = Lazy(rf"{PATTERN}[\s:的]*$")
_AFTER = Lazy(rf"[\s(]*{PATTERN}\)?")
_SHIFT = Lazy(r"([+-])\s?(\d{1,2}):?(\d\d)?")
_FURTHEST = 20
_WIDEST = 14 * 60
_MARK = Lazy("时间|[A-Z]{3}")


@dataclass(frozen=True, slots=True)
class Told:
    """`start` and `end`: of the expression together with the zone."""

    zone: tzinfo
    start: int
    end: int


def marked(text: str) -> bool:
    """Whether a zone may be named at all."""
    return _MARK.search(text) is not None


def around(text: str, start: int, end: int) -> Told | None:
    """The zone that is named before, in or behind an expression."""
    if before := _BEFORE.search(text, max(0, start - _FURTHEST), start):
        return Told(_named(before[0]), before.start(), end)
    if inside := _ZONE.search(text, start, end):
        return Told(_named(inside[0]), start, end)
    if after := _AFTER.match(text, end):
        return Told(_named(after[0]), start, after.end())
    return None


def _named(words: str) -> tzinfo:
    name = _ZONE.search(words)[0]  # type: ignore[index]
    if name[:3] in ("UTC", "GMT"):
        shift = _SHIFT.search(name)
        minutes = (int(shift[2]) * 60 + int(shift[3] or 0)) * (-1 if shift[1] == "-" else 1) if shift else 0
        return timezone(timedelta(minutes=minutes if abs(minutes) <= _WIDEST else 0))
    return ZoneInfo(_BY_LETTERS.get(name) or _BY_NAME[name.removesuffix("时间").removesuffix("当地")])


def at_home(told: When | Refused, ref: datetime) -> When | Refused:
    """A rule counts by the follower's own clocks, so it is taken only where both show the same."""
    if isinstance(told, Refused) or told.start is None:
        return told
    moved = _home(told.start, ref)
    if told.rrule:
        if told.has_clock and moved.replace(tzinfo=None) != told.start.replace(tzinfo=None):
            raise Impossible("会重复的时间只能按你所在时区的钟点说")
        return replace(told, start=told.start.replace(tzinfo=ref.tzinfo))
    end, point = (_home(value, ref) if value else None for value in (told.end, told.point))
    return replace(told, start=moved, end=end, point=point, others=tuple(_home(each, ref) for each in told.others))


def _home(value: datetime, ref: datetime) -> datetime:
    return value.astimezone(ref.tzinfo)

"""Parts of the day with their default points and windows, and what is tied to meals, work and sleep."""

import re
from collections.abc import Sequence
from dataclasses import replace

from planner.when import lengths
from planner.when.atoms import Half, Now, Part, Rules


def _at(clock: str) -> int:
    hour, minute = clock.split(":")
    return int(hour) * 60 + int(minute)


_BARE_LATE = (
    r"(?<=[今明后当昨前每听寻琴])[晚夜]上?|(?<=[天日]早)晚上?|(?<=[天日]早中)晚上?|晚(?=\s?(?:\d{1,2}[:点]|[一二两三四五六七八九十]{1,3}点))"
    r"|(?<=[周期拜][一二三四五六日天])晚"
)
_BARE_EARLY = r"(?<=[今明昨后每])[早晨]上?|早(?=\s?(?:\d{1,2}[:点]|[一二两三四五六七八九十]{1,3}点))|(?<=[天日])早(?=中?晚)"

# name: pattern, point, from, to, half of the day
_TABLE: list[tuple[str, str, str, str, str, Half]] = [
    ("睡前", "临?睡觉?[之以]?前", "22:00", "21:00", "23:59", "evening"),
    ("早饭前", "吃?早[饭餐][之以]?前", "07:00", "06:00", "08:00", "am"),
    ("早饭后", "吃?完?早[饭餐][之以]?后|吃[完过]了?早[饭餐点](?:了|[之以]?后)?|早上吃完早?[饭餐](?:[之以]?后)?|起床[之以]?后", "07:30", "07:00", "09:30", "am"),
    ("上班前", "上班[之以]?前|上学[之以]?前", "08:30", "07:00", "09:00", "am"),
    ("上班路上", "上班的?路上|去上班的?路上", "08:30", "07:00", "09:30", "am"),
    ("上班后", "上班[之以]?后", "09:30", "09:00", "10:30", "am"),
    ("午饭前", "吃?(?:午|中午)[饭餐][之以]?前", "11:30", "10:30", "12:00", "am"),
    ("午饭后", "吃?完?(?:午|中午|中)[饭餐][之以]?后|吃[完过]了?(?:午|中午|中)[饭餐](?:了|[之以]?后)?|中午吃完午?[饭餐](?:[之以]?后)?|饭后", "13:00", "12:00", "14:30", "noon"),
    ("午休", "午休(?:时间|的?时候)?", "13:00", "12:00", "14:00", "noon"),
    ("放学", "放学(?:[之以]?后|的?时候)|放了学", "16:30", "15:30", "18:00", "pm"),
    ("下班前", "下班[之以]?前", "18:00", "17:00", "19:00", "pm"),
    ("下班", "下班(?:[之以]?后|的?时候|路上|(?=顺[路便手]|回家|去[^了]|买|接))|下班了(?=[,]?(?:再|就)?(?:提醒|叫|喊|记得))|下了班(?:[之以]?后)?|下完班", "18:00", "17:00", "21:00", "evening"),
    ("晚饭前", "吃?晚[饭餐][之以]?前", "17:30", "17:00", "18:30", "pm"),
    ("晚饭后", "吃?完?晚[饭餐][之以]?后|吃[完过]了?晚[饭餐](?:了|[之以]?后)?|晚上吃完晚?[饭餐](?:[之以]?后)?", "19:30", "18:30", "21:00", "evening"),
    ("一早", "一大早|一早(?:上)?|大清早|大早上|清早|清晨", "07:00", "05:00", "09:00", "am"),
    ("早上", f"早上|早晨|早间|朝早|(?<=[听寻琴])朝|{_BARE_EARLY}", "08:00", "06:00", "11:00", "am"),
    ("上午", "上午|上昼", "09:00", "08:00", "12:00", "am"),
    ("正午", "正午", "12:00", "12:00", "12:00", "noon"),
    ("中午", "中午|晌午|午间|(?<=[天日]早)中(?=晚)", "12:00", "11:00", "14:00", "noon"),
    ("下午", "下午|下昼|晏昼|下[五舞无](?=[一二两三四五六])", "15:00", "12:00", "18:00", "pm"),
    ("午后", "午后", "14:00", "13:00", "15:00", "pm"),
    ("后晌", "后晌", "16:00", "14:00", "18:00", "pm"),
    ("傍晚", "傍晚|黄昏", "18:00", "16:30", "19:00", "pm"),
    ("天黑前", "天黑之?前|太阳下山前|日落前", "18:00", "17:00", "19:00", "pm"),
    ("天黑", "天黑(?:了|之?后|以后)", "19:00", "18:00", "21:00", "evening"),
    ("黎明", "黎明|天亮", "06:00", "04:00", "07:00", "am"),
    ("白天", "白天", "10:00", "06:00", "19:00", "am"),
    ("后半夜", "后半夜|下半夜", "03:00", "02:00", "05:00", "dawn"),
    ("拂晓", "拂晓", "05:00", "04:00", "06:00", "dawn"),
    ("凌晨", "凌晨", "00:00", "00:00", "06:00", "dawn"),
    ("午夜", "午夜", "24:00", "24:00", "24:00", "night"),
    ("半夜", "大?半夜|深夜", "24:00", "23:00", "26:00", "night"),
    ("夜间", "夜[里间]", "20:00", "20:00", "24:00", "evening"),
    ("晚上", f"晚上|晚间|夜晚|{_BARE_LATE}", "20:00", "18:00", "24:00", "evening"),
]
_EXACT = ("正午", "午夜")
_NO_ANCHORS = ("午后", "天黑前")
_NOT_A_PART = "(?!好(?!的)|[饭餐茶宴安报婚霞](?![前后])|会(?!议|[有客同跟和])|场)"

_PARTS = {
    f"p{place}": Part(name, _at(point), _at(begins), _at(ends), half, exact=name in _EXACT)
    for place, (name, _, point, begins, ends, half) in enumerate(_TABLE)
}
_BY_NAME = {part.name: part for part in _PARTS.values()}
_ANCHORS = "|".join(f"(?P<p{place}>{row[1]})" for place, row in enumerate(_TABLE) if re.search("[前后]$|放学|下班", row[0]) and row[0] not in _NO_ANCHORS)
_PATTERN = "|".join(f"(?P<p{place}>{row[1]})" for place, row in enumerate(_TABLE))


def named(name: str) -> Part:
    return _BY_NAME[name]


def points(told: Sequence[Part | None]) -> list[tuple[int, int]]:
    """«早晚», «早中晚»: each at its point; one part alone has a window."""
    several = [part for part in told if part]
    return sorted({divmod(part.point % 1440, 60) for part in several}) if len(several) > 1 else []


def _part(match: re.Match[str], now: Now) -> Part:
    return _PARTS[str(match.lastgroup)]


def _shifted(match: re.Match[str], now: Now) -> Part:
    """«晚饭后半小时», «下班前十分钟»: from the point of the part on, or back."""
    part = next(_PARTS[name] for name, words in match.groupdict().items() if name in _PARTS and words)
    minutes = int(lengths.parse(match["by"]).seconds // 60)
    point = part.point - minutes if part.name.endswith("前") else part.point + minutes
    return replace(part, point=point, begins=point, ends=point, exact=True)


_STARTS = "太日晨朝晏黎天白后临睡吃早起上午中饭放下晚一大清正晌傍黄凌拂半深夜"

_BY = "(?P<by>(?:一?个?半|[一二两三]|\\d)个?半?(?:小时|钟头)|(?:\\d{1,2}|[一二两三四五六十]{1,3})分钟|[一三]刻钟)(?![之以]?[前后])"

RULES: Rules = [
    ("part_shifted", _STARTS, f"(?:{_ANCHORS}){_BY}", _shifted),
    ("part", _STARTS, f"(?:{_PATTERN}){_NOT_A_PART}", _part),
]

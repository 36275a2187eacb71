"""Turns that are told by what they go with: «三餐后», «一天三次», «除了周末每天»."""

import re

from planner.when.atoms import Now, Repeat, Rules
from planner.when.numerals import SEP, WD, WEEK, WEEKDAYS
from planner.when.text import number

Match = re.Match[str]

_MEALS = r"(?:每[天日]|一[日天])?的?[三3][顿餐](?:正?餐|饭)?[之以]?(?P<side>[前后])(?:半小时)?|(?:每[天日]|一[天日])的?(?P<times>[两三四234])[次回遍顿](?![^,。]{0,12}(?:点|早|晚|饭))"
_AROUND_MEALS = {"前": ((7, 30), (11, 30), (17, 30)), "后": ((8, 0), (13, 0), (19, 0))}
_TIMES_A_DAY = {2: ((8, 0), (20, 0)), 3: ((8, 0), (13, 0), (19, 0)), 4: ((8, 0), (12, 0), (16, 0), (20, 0))}
_ALL_BUT = rf"除了?(?P<out>周末|双休日?|{WEEK}{WD}(?:{SEP}*(?:{WEEK})?{WD}){{0,3}})(?:[之以]?外)?[,\s]*(?:都|就|其他|其余)?(?=每[天日]|天天)(?:每[天日]|天天)"


def _meals(match: Match, now: Now) -> Repeat:
    if match["times"]:
        return Repeat("DAILY", at=_TIMES_A_DAY[number(match["times"])], certain=False)
    return Repeat("DAILY", at=_AROUND_MEALS[match["side"]])


def _all_but(match: Match, now: Now) -> Repeat:
    """«除了周末每天六点»."""
    out = [WEEKDAYS[char] for char in match["out"] if char in WEEKDAYS] if "末" not in match["out"] and "休" not in match["out"] else [5, 6]
    return Repeat("WEEKLY", weekdays=tuple(day for day in range(7) if day not in out))


RULES: Rules = [
    ("all_but", "除", _ALL_BUT, _all_but),
    ("meals", "每一三3", _MEALS, _meals),
]

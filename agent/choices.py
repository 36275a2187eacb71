"""Answers that choose among options by more than one number: «都要», «1和3», «就这次», «以后都改»."""

import re
from collections.abc import Sequence

from planner import texts
from planner.when.text import number

_DEED = "(?:要|是|选|删|改|取消|完成|做完|弄完|算|行|可以|提醒|去掉|不要)"
_BEFORE = rf"(?:{_DEED}|我|就|那|把|全|这|上面|几|些|[个条项件])*"
_AFTER = rf"(?:{_DEED}|了|的|吧|掉|完|好|啊|呀|是|它们|就行|而已|这样|[个条项件])*"
_ALL = re.compile(rf"{_BEFORE}(?:(?P<count>[两三四五六七八九])个都?|都|全部|所有|全|一起){_AFTER}")
_NUMBER = r"(?:\d{1,2}|[一二两三四五六七八九十]{1,3})"
_AND = "(?:[,、和跟与及\\s]|还有|以及)+"
_SOME = re.compile(rf"{_BEFORE}第?{_NUMBER}[个条项件号]?(?:{_AND}第?{_NUMBER}[个条项件号]?)+都?{_AFTER}")
_FIRST = re.compile(rf"{_BEFORE}前(?P<count>{_NUMBER})[个条项件]都?{_AFTER}")
_ONCE = re.compile(rf"(?:{_DEED}|就|只|仅)*(?:这|本|今天|明天|当)一?(?:次|回|天|场)?{_AFTER}")
_EVER = re.compile(rf"{_BEFORE}(?:以后|今后|每次|每一次|整个|往后|全部|所有|都|系列)(?:每次|全部|系列|都)?{_AFTER}")


def several(flat: str, options: Sequence[str]) -> list[int]:
    """Two or more of the options, in their order; [] where not more than one is meant."""
    if len(options) < 2 or _turns(options):
        return []
    if told := _ALL.fullmatch(flat):
        fits = told["count"] is None or number(told["count"]) == len(options)
        return list(range(1, len(options) + 1)) if fits else []
    if first := _FIRST.fullmatch(flat):
        return list(range(1, min(number(first["count"]), len(options)) + 1))
    found = sorted({number(words) for words in re.findall(_NUMBER, flat)}) if _SOME.fullmatch(flat) else []
    return found if len(found) > 1 and found[0] >= 1 and found[-1] <= len(options) else []


def turn(flat: str, options: Sequence[str]) -> int | None:
    """Of «只这一次» and «以后每次», or of a turn and its series, the one that is meant."""
    series = 2 if _turns(options) else _series(options)
    if not series:
        return None
    return 3 - series if _ONCE.fullmatch(flat) else series if _EVER.fullmatch(flat) else None


def _series(options: Sequence[str]) -> int:
    """Of two options the one that repeats, if only one does; else 0."""
    found = [place for place, option in enumerate(options, 1) if repeats(option)]
    return found[0] if len(options) == 2 and len(found) == 1 else 0


def repeats(option: str) -> bool:
    """As an option is shown, what repeats begins with its rhythm."""
    return option.startswith("每")


def _turns(options: Sequence[str]) -> bool:
    """The question which turns of a series are meant."""
    first, last = (texts.render(name, when="") for name in ("only_this_turn", "all_turns"))
    return len(options) == 2 and options[0].startswith(first[:4]) and options[1].startswith(last[:4])

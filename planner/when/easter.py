"""The moving feasts of the churches, counted from Easter Sunday, western and eastern."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from dateutil.easter import easter

_FROM_SUNDAY = {
    -47: "忏悔节 忏悔火曜日",
    -46: "大斋首日 圣灰礼仪日 圣灰日 灰日 大斋期 大斋节",
    -8: "拉撒路圣周六 拉匝路周六",
    -7: "棕枝主日 圣枝主日 圣树主日 基督苦难主日",
    -3: "濯足节 神圣星期四 圣周星期四 圣周四 设立圣餐日",
    -2: "主受难日 主受难节 耶稣受难日 受难日 受难节 沈默周五 圣周五",
    -1: "神圣周六 圣周六 黑色星期六 耶稣受难日翌日 主受难节翌日 复活节前夜",
    0: "复活节 主复活日",
    1: "复活节星期一",
    39: "耶稣升天节 升天节",
    49: "五旬节 圣灵降临节 圣灵降临日",
    50: "圣灵节庆日",
    56: "圣三一主日 天主三一主日 天主圣三一节 圣三主日 圣三节",
    60: "基督圣体圣血节 基督圣体圣血瞻礼 基督圣体节",
}
_EASTERN = ("拉撒路圣周六", "拉匝路周六")
_LAST_YEAR = 4099
_WEST: Literal[3] = 3
_EAST: Literal[2] = 2


def _of(offset: int, method: Literal[1, 2, 3]) -> Callable[[int], date | None]:
    def of_year(year: int) -> date | None:
        return easter(year, method) + timedelta(days=offset) if year <= _LAST_YEAR else None

    return of_year


NAMES: dict[str, Callable[[int], date | None]] = {}
for _offset, _names in _FROM_SUNDAY.items():
    for _name in _names.split():
        NAMES[_name] = _of(_offset, _EAST if _name in _EASTERN else _WEST)
        NAMES[f"东正教{_name}"] = _of(_offset, _EAST)

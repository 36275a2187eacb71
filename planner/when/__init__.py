"""Chinese and plain numeric time expressions, resolved against the moment they were written. Pure: no clock inside.

A name is loaded when it is first asked for: whoever wants the calendar's facts alone (`planner.when.offdays`) does not
load the grammar with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from planner.when.grammar import warm
    from planner.when.lead_times import Lead, lead, leads
    from planner.when.model import Found, Kind, Refused, When
    from planner.when.reader import find, resolve

__all__ = ["Found", "Kind", "Lead", "Refused", "When", "find", "lead", "leads", "resolve", "warm"]

_HOMES = {
    "grammar": ("warm",),
    "lead_times": ("Lead", "lead", "leads"),
    "model": ("Found", "Kind", "Refused", "When"),
    "reader": ("find", "resolve"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    return found

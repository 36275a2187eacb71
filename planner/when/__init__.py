"""Chinese and plain numeric time expressions, resolved against the moment they were written. Pure: no clock inside."""

from planner.when.grammar import warm
from planner.when.leads import Lead, lead, leads
from planner.when.model import Found, Kind, Refused, When
from planner.when.reader import find, resolve

__all__ = ["Found", "Kind", "Lead", "Refused", "When", "find", "lead", "leads", "resolve", "warm"]

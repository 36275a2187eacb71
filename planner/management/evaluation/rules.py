"""Compares recurrence rules by what they mean."""

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_CLOCK = ("BYHOUR", "BYMINUTE")


def fields(rule: str) -> dict[str, str]:
    """A lunar rule is compared by its step alone: the sources have no words for its day."""
    told = dict(part.split("=", 1) for part in rule.split(";") if "=" in part)
    if told.pop("RSCALE", None):
        told = {name: value for name, value in told.items() if name not in ("BYMONTH", "BYMONTHDAY")}
    told.setdefault("INTERVAL", "1")
    if "BYDAY" in told:
        told["BYDAY"] = ",".join(sorted(told["BYDAY"].split(","), key=lambda day: _DAYS.index(day[-2:])))
    for name in _CLOCK:
        if name in told:
            told[name] = ",".join(str(int(value)) for value in told[name].split(","))
    if "BYHOUR" in told:
        told.setdefault("BYMINUTE", "0")
    return {name: value for name, value in told.items() if name not in ("WKST", "BYSECOND")}


def same(first: str, second: str) -> bool:
    return fields(first) == fields(second)

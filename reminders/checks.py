"""The reminders' part of `doctor`: does anybody hand over what is due?"""

from collections.abc import Iterator

from django.db import Error as DatabaseError

from planner.findings import Finding, bad, ok
from reminders.look import overdue_unhanded


def checks() -> Iterator[Finding]:
    try:
        waiting = overdue_unhanded()
    except DatabaseError:
        return  # the database's own line says so
    if waiting:
        yield bad(
            "reminders", f"{waiting} are due for over ten minutes: do beat and a worker on `reminders` run?"
        )
    else:
        yield ok("reminders", "none is overdue")

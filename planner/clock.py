"""One clock for leases, expiries and due times: the database's, asked inside the statement that decides.

`app_now()` is a function in both databases. On Postgres it is `clock_timestamp()` (migration 0001); on SQLite it is
registered on each connection. Application clocks decide nothing. Tests replace or shift it; production cannot.
"""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, Func

CHINA = timezone(timedelta(hours=8))  # WeChat's daily quotas turn at its own midnight
OFFSET = timedelta(0)  # SQLite's clock and the breakers', moved by tests only


class AppNow(Func):
    """`app_now()` in the ORM: an aware instant; arithmetic with timedelta works on both databases."""

    function = "app_now"
    template = "%(function)s()"
    arity = 0

    def __init__(self) -> None:
        super().__init__(output_field=DateTimeField())


def app_now() -> datetime:
    """The database's clock, aware, UTC. One round trip: for texts and tests; comparisons belong in SQL."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app_now()")
        (value,) = cursor.fetchone()
    return value if isinstance(value, datetime) else datetime.fromisoformat(value).replace(tzinfo=UTC)


def _sqlite_text(moment: datetime) -> str:
    # The form in which Django stores datetimes on SQLite, so that they compare as text.
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")


def register_on_sqlite(connection: Any, **kwargs: Any) -> None:
    """Receiver of `connection_created`."""
    if connection.vendor != "sqlite":
        return
    create = connection.connection.create_function
    create("app_now", 0, lambda: _sqlite_text(datetime.now(UTC) + OFFSET))
    create("app_later", 1, lambda seconds: _sqlite_text(datetime.now(UTC) + OFFSET + timedelta(seconds=seconds)))

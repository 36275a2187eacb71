"""The lean statements, written once for both databases.

They are written for Postgres; for SQLite what it lacks and does not need is taken out: row locks (one writer at a
time holds the whole file), the jsonb cast, the name LEAST, and walls between followers.
"""

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, models

from planner.fields import CreatedAt

Row = TypeVar("Row", bound=models.Model)
Statement = tuple[str, list[Any]]
_JSON = (dict, list)
_FOR_SQLITE = (
    (re.compile(r"\s+FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?"), ""),
    (re.compile(r"::\w+"), ""),
    (re.compile(r"\bLEAST\("), "MIN("),
    (re.compile(r"\bGREATEST\("), "MAX("),
    (re.compile(r"\bset_config\('planner.follower', (%s), true\)"), r"\1"),
)


@lru_cache(maxsize=256)
def _sqlite(statement: str) -> str:
    for pattern, replacement in _FOR_SQLITE:
        statement = pattern.sub(replacement, statement)
    return statement


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, _JSON) else value


def _for_sqlite(value: Any) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value.hex if isinstance(value, UUID) else _plain(value)


def _executed(statement: str, params: Iterable[Any]) -> Any:
    """The cursor after it, parameters as the driver in use takes them. What it found is to be read before the next."""
    db = connections[DEFAULT_DB_ALIAS]  # looked up once: `connection` looks with each attribute
    if db.vendor == "sqlite":
        cursor = db.cursor()
        cursor.execute(_sqlite(statement), [_for_sqlite(value) for value in params])
    else:
        cursor = _bound_at_the_server(db)
        cursor.execute(statement, [_plain(value) for value in params])
    return cursor


def _bound_at_the_server(db: Any) -> Any:
    """A cursor whose statements psycopg prepares when they come again, so that Postgres need not plan them each time;
    one for each connection.

    The ORM's cursors bind in the client: among their parameters are statuses, and a plan for any status can use no
    partial index. Here a status that a partial index names stands in the statement itself.
    """
    db.ensure_connection()
    cursor = getattr(db.connection, "lean", None)
    if cursor is None:
        cursor = db.connection.lean = _server_cursor()(db.connection)
    return db._prepare_cursor(cursor)


@cache
def _server_cursor() -> Any:
    from django.db.backends.postgresql.base import ServerBindingCursor  # noqa: PLC0415 - SQLite needs no psycopg

    base: Any = ServerBindingCursor

    class LeanCursor(base):  # type: ignore[misc]
        def _send_query_prepared(self, name: bytes, pgq: Any, *, binary: bool | None = None) -> None:
            self._query = pgq  # psycopg notes only what it did not prepare, and Django shows what is noted
            super()._send_query_prepared(name, pgq, binary=binary)

    return LeanCursor


def execute(statement: str, params: tuple[Any, ...] | list[Any] = ()) -> int:
    """Runs it and returns how many rows it changed."""
    return int(_executed(statement, params).rowcount)


def rows(statement: str, params: tuple[Any, ...] | list[Any] = ()) -> list[tuple[Any, ...]]:
    return list(_executed(statement, params).fetchall())


def row(statement: str, params: tuple[Any, ...] | list[Any] = ()) -> tuple[Any, ...] | None:
    found = rows(statement, params)
    return found[0] if found else None


def loads(value: Any) -> Any:
    """A jsonb column: Django's Postgres cursor and SQLite both hand over text."""
    return json.loads(value) if isinstance(value, str | bytes) else value


def moment(value: Any) -> datetime:
    """A timestamp column, aware: SQLite's driver hands it over naive, in UTC."""
    found: datetime = value if value.tzinfo else value.replace(tzinfo=UTC)
    return found


def clock(value: Any) -> datetime:
    """What `app_now()` itself was asked for: on SQLite, text."""
    return moment(datetime.fromisoformat(value) if isinstance(value, str) else value)


def uuid(value: Any) -> UUID:
    return value if isinstance(value, UUID) else UUID(value)


def columns(model: type[models.Model], alias: str) -> str:
    """All columns of a table, in the order that `restored` takes them."""
    return ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)


def restored(model: type[Row], values: Iterable[Any]) -> Row:
    """The row that the ORM would have made of these columns, at a third of its price."""
    names, reads = _restoring(model)
    pairs = zip(reads, values, strict=True)
    python = [value if value is None or read is None else read(value) for read, value in pairs]
    return model.from_db(DEFAULT_DB_ALIAS, names, python)


@cache
def _restoring(model: type[models.Model]) -> tuple[list[str], list[Any]]:
    fields = model._meta.concrete_fields
    return [field.attname for field in fields], [_reading(field) for field in fields]


def _reading(field: Any) -> Any:
    return next((read for kind, read in _FROM_COLUMN.items() if isinstance(field, kind)), None)


def insert(row: models.Model) -> None:
    """What `save(force_insert=True)` does for a new row whose key is a number, by a statement that is written once."""
    ((key,),) = rows(*inserting(row))
    inserted(row, key)


def inserting(row: models.Model) -> Statement:
    """It returns the new key, for `inserted`."""
    statement, names = _inserting(type(row))
    return statement, [getattr(row, name) for name in names]


def inserted(row: models.Model, key: int) -> None:
    row.pk = key
    row._state.adding = False
    row._state.db = DEFAULT_DB_ALIAS


@cache
def _inserting(model: type[models.Model]) -> tuple[str, list[str]]:
    """And the attributes that are its parameters."""
    written = [field for field in model._meta.concrete_fields if not field.primary_key]
    names = ", ".join(f'"{field.column}"' for field in written)
    marks = ", ".join(_MARKS.get(type(field), "%s") for field in written)
    given = [field.attname for field in written if not isinstance(field, CreatedAt)]
    return f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({marks}) RETURNING id", given


_MARKS: dict[type, str] = {CreatedAt: "app_now()", models.JSONField: "%s::jsonb"}
_FROM_COLUMN: dict[type, Any] = {
    models.JSONField: loads,
    models.DateTimeField: moment,
    models.UUIDField: uuid,
    models.BooleanField: bool,
}


def is_postgres() -> bool:
    return connection.vendor == "postgresql"

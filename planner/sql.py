"""The lean statements, written once for both databases.

They are written for Postgres; for SQLite what it lacks and does not need is taken out: row locks (one writer at a
time holds the whole file), the jsonb cast, and the name LEAST.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection, connections, models

Row = TypeVar("Row", bound=models.Model)
_FOR_SQLITE = (
    (re.compile(r"\s+FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?"), ""),
    (re.compile(r"::\w+"), ""),
    (re.compile(r"\bLEAST\("), "MIN("),
    (re.compile(r"\bGREATEST\("), "MAX("),
)


@lru_cache(maxsize=256)
def _sqlite(statement: str) -> str:
    for pattern, replacement in _FOR_SQLITE:
        statement = pattern.sub(replacement, statement)
    return statement


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _for_sqlite(value: Any) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value.hex if isinstance(value, UUID) else _plain(value)


@contextmanager
def _executed(statement: str, params: Iterable[Any]) -> Iterator[Any]:
    """The cursor after it, parameters as the driver in use takes them."""
    db = connections[DEFAULT_DB_ALIAS]  # looked up once: `connection` looks with each attribute
    if db.vendor == "sqlite":
        statement, plain = _sqlite(statement), _for_sqlite
    else:
        plain = _plain
    with db.cursor() as cursor:
        cursor.execute(statement, [plain(value) for value in params])
        yield cursor


def execute(statement: str, params: tuple[Any, ...] | list[Any] = ()) -> int:
    """Runs it and returns how many rows it changed."""
    with _executed(statement, params) as cursor:
        return int(cursor.rowcount)


def rows(statement: str, params: tuple[Any, ...] | list[Any] = ()) -> list[tuple[Any, ...]]:
    with _executed(statement, params) as cursor:
        return list(cursor.fetchall())


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
    fields = model._meta.concrete_fields
    python = [_from_column(field, value) for field, value in zip(fields, values, strict=True)]
    return model.from_db(DEFAULT_DB_ALIAS, [field.attname for field in fields], python)


def _from_column(field: Any, value: Any) -> Any:
    read = next((read for kind, read in _FROM_COLUMN.items() if isinstance(field, kind)), None)
    return value if value is None or read is None else read(value)


_FROM_COLUMN: dict[type, Any] = {
    models.JSONField: loads,
    models.DateTimeField: moment,
    models.UUIDField: uuid,
    models.BooleanField: bool,
}


def is_postgres() -> bool:
    return connection.vendor == "postgresql"

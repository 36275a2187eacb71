"""Counts what a piece of the product costs the database: statements, write commits, new connections.

Use it with `transaction=True`: inside a test's own transaction nothing commits. Where the private server has
pg_stat_statements the statements are the server's own count, so those inside functions and triggers count as well;
elsewhere they are those that this thread sent.
"""

from typing import Any, Self

import psycopg
from django.db import connection
from django.db.backends.signals import connection_created
from django.test.utils import CaptureQueriesContext

_WRITES = ("INSERT", "UPDATE", "DELETE")
_OURS = "pg_stat_statements|pg_current_xact_id|test_clock"  # the meter's own look, and a moved clock's
_CALLS = f"""
    SELECT query, sum(calls)::bigint FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
    WHERE d.datname = current_database() AND query !~ '{_OURS}' GROUP BY query"""


class Meter:
    """After the `with` block: `statements` (BEGIN and COMMIT are two), `write_commits`, `connections`, and `sent`, the
    statements themselves, for a failing test to show."""

    statements = write_commits = connections = 0
    sent: list[str]

    def __enter__(self) -> Self:
        connection.ensure_connection()
        self._server = _Server() if connection.vendor == "postgresql" else None
        self._captured = CaptureQueriesContext(connection)
        if self._server:
            self._server.start()
        connection_created.connect(self._connected)
        self._captured.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._captured.__exit__(*exc)
        connection_created.disconnect(self._connected)
        self.sent = [query["sql"] for query in self._captured.captured_queries]
        self.statements, self.write_commits = len(self.sent), _commits_after_writes(self.sent)
        if self._server:
            self.write_commits, calls = self._server.stop()
            if calls is not None:
                self.statements, self.sent = sum(calls.values()), [f"{n} × {query}" for query, n in calls.items()]

    def _connected(self, **kwargs: Any) -> None:
        self.connections += 1

    def __str__(self) -> str:
        head = f"{self.statements} statements, {self.write_commits} write commits, {self.connections} connections"
        return "\n".join([head, *self.sent])


class _Server:
    """A connection of its own, so that looking changes nothing but one transaction number a look."""

    def __init__(self) -> None:
        params = connection.get_connection_params()
        names = ("dbname", "user", "password", "host", "port")
        self.db = psycopg.connect(**{name: params[name] for name in names if name in params}, autocommit=True)
        self.counts = self._has_statements()

    def _has_statements(self) -> bool:
        (loaded,) = self.db.execute("SHOW shared_preload_libraries").fetchone()
        if "pg_stat_statements" not in loaded:
            return False
        self.db.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
        return True

    def _number(self) -> int:
        return int(self.db.execute("SELECT pg_current_xact_id()::text").fetchone()[0])

    def start(self) -> None:
        self.first = self._number()
        if self.counts:
            self.db.execute("SELECT pg_stat_statements_reset()")

    def stop(self) -> tuple[int, dict[str, int] | None]:
        calls = dict(self.db.execute(_CALLS).fetchall()) if self.counts else None
        commits = self._number() - self.first - 1
        self.db.close()
        return commits, calls


def _commits_after_writes(sent: list[str]) -> int:
    """Where the server has no transaction numbers to tell by."""
    commits, inside, wrote = 0, False, False
    for statement in sent:
        word = statement.split(maxsplit=1)[0].upper()
        if word == "BEGIN":
            inside, wrote = True, False
        elif word in _WRITES:
            wrote, commits = True, commits + (not inside)
        elif word in ("COMMIT", "ROLLBACK"):
            commits, inside = commits + (wrote and word == "COMMIT"), False
    return commits

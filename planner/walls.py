"""The second wall: Postgres itself shows an operation its own follower's rows only, and a stranger's connection none.

Every table of what followers say and plan has row-level security, enforced for its owner too. A session sees what its
`planner.follower` says: `all` (so each connection of ours begins, planner/settings.py), the number of one follower
(what the ledger sets for an operation's transaction), or nothing. Superusers pass by it, which `doctor` reports; SQLite
has no such thing.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from planner import sql

ALL = "all"
ONLY = "set_config('planner.follower', %s, true)"  # until the transaction ends, or the savepoint is undone


@contextmanager
def leaving_as_found() -> Iterator[None]:
    """Around an operation: a greater transaction that it is part of sees everybody again afterwards."""
    greater = connection.in_atomic_block
    yield
    if greater and sql.is_postgres():
        sql.row(f"SELECT {ONLY}", (ALL,))


def seen() -> str:
    """What this connection sees: `all`, a follower's number, or nothing."""
    found = sql.row("SELECT current_setting('planner.follower', true)")
    return str(found[0] or "") if found else ""


def passed_by() -> bool:
    """Whether this connection's role stands above row-level security."""
    found = sql.row("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    return bool(found and found[0])

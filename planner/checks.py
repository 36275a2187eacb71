"""The ground floor's part of `doctor`: settings, database, broker."""

from collections.abc import Iterator

import redis
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from planner import sql, upstreams, walls
from planner.findings import Finding, bad, note, ok
from planner.upstreams import Phase


def checks() -> Iterator[Finding]:
    yield from _settings()
    yield from _database()
    yield from _broker()
    yield from _upstreams()


def _settings() -> Iterator[Finding]:
    if settings.DEBUG:
        yield note("DEBUG", "is on: error pages show settings. Set DEBUG=0 before followers come")
    if len(settings.SECRET_KEY) < 32:
        yield bad("SECRET_KEY", "is shorter than 32 characters: set a long random one")
    if not settings.EMBEDDED and settings.ALLOWED_HOSTS == ["localhost", "127.0.0.1", "[::1]"]:
        yield bad("ALLOWED_HOSTS", "names this machine only: add the domain that WeChat calls")
    if settings.EMBEDDED:
        yield note("DATABASE_URL", "is empty: SQLite, one process. Right for one person; use Postgres for more")


def _database() -> Iterator[Finding]:
    try:
        sql.row("SELECT 1")
        plan = MigrationExecutor(connection).migration_plan(MigrationExecutor(connection).loader.graph.leaf_nodes())
    except DatabaseError as error:
        yield bad("database", f"does not answer ({type(error).__name__}): is DATABASE_URL right, and is the server up?")
        return
    if plan:
        yield bad("database", f"{len(plan)} migrations are not applied: run python manage.py migrate")
        return
    if sql.is_postgres():
        durable = sql.row("SELECT current_setting('synchronous_commit')")
        if durable and durable[0] == "off":
            yield bad("database", "synchronous_commit is off: an acknowledged message could be lost. Turn it on")
        yield from _walls()
    yield ok("database", f"{connection.vendor}, all migrations applied")


def _walls() -> Iterator[Finding]:
    if walls.seen() != walls.ALL:
        yield bad("database", "a pooling proxy drops `options`, so followers' rows cannot be seen: let it pass them on")
    elif walls.passed_by():
        yield note("database", "its role is above row-level security: connect as one that is no superuser")


def _broker() -> Iterator[Finding]:
    if not settings.REDIS_URL:
        level = note if settings.EMBEDDED else bad
        yield level("REDIS_URL", "is empty: the queue lives in one process. Several processes need a Redis")
        return
    try:
        client = redis.Redis.from_url(settings.REDIS_URL, socket_timeout=3, socket_connect_timeout=3)
        client.ping()
    except redis.RedisError as error:
        yield bad("broker", f"Redis does not answer ({type(error).__name__}): is REDIS_URL right, and is it up?")
        return
    yield ok("broker", "Redis answers")


def _upstreams() -> Iterator[Finding]:
    """What the running service has met; a doctor without its Redis knows of nothing."""
    for name, state in upstreams.states().items():
        if state.phase is Phase.STOPPED:
            yield bad(name, f"stands still until somebody mends it, then resume it from its alarm: {state.reason}")
        elif state.phase is Phase.OPEN:
            yield note(name, f"does not answer at present, work waits for it: {state.reason}")

"""Where the proof is played: private servers, the product's own tables with a log beside them, and the world outside.

Everything heavy is loaded once here; actors (actors.py) are forked from this process, which itself has no threads.
"""

import contextlib
import gc
import mmap
import os
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from tests.services import Postgres, redis

SQL = Path(__file__).with_name("ledger.sql")
LOGGED = ("webhook_batch", "webhook_outboundmessage", "webhook_inboundmessage", "webhook_voiceclip",
    "webhook_erasure",
          "planner_operationresult", "planner_reminder", "planner_review")  # fmt: skip
APP_ID = "wx0123456789abcdef"
SILENCE = 60.0
TRUNCATED = 25  # runs; between them rows are deleted, which is faster and leaves dead ones
STALLED = "900ms"  # a stopped process loses its transaction after so long; in production after a minute
ENVIRONMENT = {
    "SECRET_KEY": "proof-only-key-proof-only-key-proof-only-key-proof",
    "WECHAT_APP_ID": APP_ID,
    "WECHAT_APP_SECRET": "app-secret-app-secret-app-secret",
    "WECHAT_TOKEN": "planner-proof-token",
    "WECHAT_AES_KEY": "",
    "WECHAT_ACCOUNT_KIND": "service",
    "WECHAT_READ_SECONDS": "2",
    "INTERNAL_TOKEN": "internal-token-internal-token",
    "LOG_LEVEL": "WARNING",
    "UPSTREAM_RATES": ",".join(
        f"{name}=1000" for name in ("llm", "asr", "wechat_send", "wechat_template", "token", "media")
    ),
    "LLM_BASE_URL": "",
    "LLM_MODEL": "fickle",
    "LLM_TIMEOUT_SECONDS": "3",
    "PYTHONWARNINGS": "ignore",
}


EMPTY = """
    CREATE FUNCTION proof_empty(names text[]) RETURNS void LANGUAGE plpgsql
        SECURITY DEFINER SET session_replication_role = replica AS $$
    DECLARE name text;
    BEGIN
        FOREACH name IN ARRAY names LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
    END $$"""  # without triggers, which only a superuser may leave out


class Durable(Postgres):
    """What it has committed survives its own crash, as in production; the other tests do without for speed."""

    SETTINGS = {**Postgres.SETTINGS, "synchronous_commit": "on", "full_page_writes": "on"}


class Stage:
    def __init__(self) -> None:
        self.board = mmap.mmap(-1, 4096)  # shared by this process, its actors and the relay
        self.stack = contextlib.ExitStack()
        self.runs = 0

    def __enter__(self) -> Self:
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="prf-"))
        self.postgres = self.stack.enter_context(Durable())
        self.redis = self.stack.enter_context(redis())
        self.relay = os.path.join(self.folder, "r")
        os.mkdir(self.relay)
        self._product()
        self._database()
        self._outside()
        self._warm()
        return self

    def __exit__(self, *exc: object) -> None:
        from django.db import connection

        connection.close()
        self.stack.close()

    def _product(self) -> None:
        os.environ.update(ENVIRONMENT, DATABASE_URL=self.postgres.url, REDIS_URL=self.redis, DATA_DIR=self.folder)
        for name in ("AGENT_URL", "TOOLS_URL", "SANDBOX", "CRASH_AT"):
            os.environ.pop(name, None)
        os.environ["DJANGO_SETTINGS_MODULE"] = "planner.settings"
        import django

        import planner.celery  # noqa: F401

        django.setup()

    def _database(self) -> None:
        from django.core.management import call_command
        from django.db import connection

        from tests.clock import Clock

        call_command("migrate", verbosity=0)
        Clock().forward(seconds=0)
        with connection.cursor() as cursor:
            cursor.execute(SQL.read_text())
            for table in set(LOGGED) & set(connection.introspection.table_names()):
                cursor.execute(
                    f"CREATE TRIGGER proof AFTER INSERT OR UPDATE OR DELETE ON {table}"
                    " FOR EACH ROW EXECUTE FUNCTION proof_note()"
                )
        with self.postgres.superuser("planner") as above:
            above.execute(EMPTY)
        kept = {"django_migrations", "django_content_type", "auth_permission", "test_clock"}
        self.tables = sorted(set(connection.introspection.table_names()) - kept)

    def _outside(self) -> None:
        from django.conf import settings

        from tests.crash.world import World

        self.world = World(postgres=str(self.postgres.base), relay=self.relay, mode=self.board)
        self.stack.callback(self.world.close)
        settings.WECHAT_API_BASE = self.world.wechat

    def _warm(self) -> None:
        """Plays one day here, so that no actor imports, compiles or renders anything for the first time; without rings
        and counters, which would start threads that a fork must not meet."""
        from django.conf import settings
        from django.test import Client

        from planner import doorbell
        from planner.wsgi import application
        from tests.crash.play import Cast
        from tests.crash.scenarios import warming

        self.application = application
        self.client = Client(raise_request_exception=False)
        given = {"LLM_BASE_URL": self.world.model + "/v1", "REDIS_URL": ""}
        before = {name: getattr(settings, name) for name in given}
        put, doorbell._publisher.put = doorbell._publisher.put, lambda *ring: None  # type: ignore[method-assign]
        for name, value in given.items():
            setattr(settings, name, value)
        Cast(self, 0).play(warming())
        for name, value in before.items():
            setattr(settings, name, value)
        doorbell._publisher.put = put  # type: ignore[method-assign]
        doorbell.publish(doorbell.Queue.BATCHES, 0)
        self._forget()
        gc.collect()
        gc.freeze()  # what all actors share stays shared

    def _forget(self) -> None:
        from agent import client
        from webhook.tasks import wechat

        client.model.cache_clear()
        wechat.cache_clear()

    def clear(self) -> None:
        """An empty database, a broker that knows nothing, silent phones, no clock moved."""
        from django.db import connection

        with connection.cursor() as cursor:
            if self.runs % TRUNCATED == 0:
                cursor.execute("TRUNCATE " + ", ".join(self.tables))
            else:  # a tenth of the time
                cursor.execute("SELECT proof_empty(%s)", [self.tables])
            cursor.execute("UPDATE test_clock SET shift = interval '0'")
        self.runs += 1
        self.flush()
        self.world.reset()
        self.board[:] = bytes(len(self.board))

    def forward(self, **amount: float) -> None:
        """Moves the clock that decides, for every process at once. Breakers go by the broker's own clock, which nobody
        can move: what they remember is over with the time that goes by."""
        from planner import sql

        shift = timedelta(**amount)
        sql.execute("UPDATE test_clock SET shift = shift + %s", (shift,))
        if shift > timedelta(seconds=10):
            self.flush()
        if shift > timedelta(minutes=10):
            self.world.ask(self.world.wechat, "forget_ids")

    def flush(self) -> None:
        import redis as client

        broker = client.Redis.from_url(self.redis)
        broker.flushall()
        broker.close()

    def rows(self, statement: str, params: Any = ()) -> list[tuple[Any, ...]]:
        from planner import sql

        return sql.rows(statement, params)

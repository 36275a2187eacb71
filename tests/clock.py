"""Moving the clock that decides: `app_now()` in the database, for every process that is connected to it."""

from datetime import timedelta

from django.db import connection

from planner import clock

_SHIFTABLE = """
    CREATE TABLE IF NOT EXISTS test_clock (shift interval NOT NULL);
    INSERT INTO test_clock SELECT interval '0' WHERE NOT EXISTS (SELECT 1 FROM test_clock);
    CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp() + (SELECT shift FROM test_clock); END $$;
    CREATE OR REPLACE FUNCTION app_later(seconds double precision) RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp() + (SELECT shift FROM test_clock) + make_interval(secs => seconds); END $$;
"""
_PLAIN = """
    CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp(); END $$;
    CREATE OR REPLACE FUNCTION app_later(seconds double precision) RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp() + make_interval(secs => seconds); END $$;
    DROP TABLE IF EXISTS test_clock;
"""


class Clock:
    """`forward(minutes=5)` moves it. Real time goes on beside: no test waits for it."""

    def forward(self, **amount: float) -> None:
        shift = timedelta(**amount)
        clock.OFFSET += shift
        if connection.vendor == "sqlite":
            return
        with connection.cursor() as cursor:
            cursor.execute(_SHIFTABLE)
            cursor.execute("UPDATE test_clock SET shift = shift + %s", [shift])

    def reset(self) -> None:
        clock.OFFSET = timedelta(0)
        if connection.vendor == "sqlite":
            return
        with connection.cursor() as cursor:
            cursor.execute(_PLAIN)

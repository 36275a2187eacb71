"""An hour in some minutes: the database's clock runs faster, and it is the one that decides.

What is measured by the processes' own clocks (HTTP time-outs, heartbeats, breakers) stays real; its settings are
scaled instead, so that leases and patience keep their proportions.
"""

import time
from datetime import UTC, datetime

import psycopg

_FASTER = """
    CREATE OR REPLACE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN timestamptz '{origin}' + (clock_timestamp() - timestamptz '{origin}') * {speed}; END $$;
    CREATE OR REPLACE FUNCTION app_later(seconds double precision) RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN app_now() + make_interval(secs => seconds); END $$;
"""


class FastClock:
    """Seconds of the simulated hour. `origin` is the moment at which both clocks stood together."""

    def __init__(self, database: str, speed: float) -> None:
        self.speed, self.origin = speed, time.time()
        origin = datetime.fromtimestamp(self.origin, UTC).isoformat()
        with psycopg.connect(database, autocommit=True) as db:
            db.execute(_FASTER.format(origin=origin, speed=speed))

    @property
    def now(self) -> float:
        """Unix seconds, simulated."""
        return self.origin + (time.time() - self.origin) * self.speed

    def real_wait(self, at: float) -> float:
        """Real seconds until the simulated moment `at`; 0 when it is over."""
        return max(0.0, (at - self.now) / self.speed)

    def environment(self) -> dict[str, str]:
        """Settings for processes that live under this clock."""
        speed = self.speed
        return {
            "WECHAT_TIMESTAMP_SKEW_SECONDS": "0",
            "BATCH_LEASE_SECONDS": str(900 * speed),
            "OUTBOUND_LEASE_SECONDS": str(60 * speed),
            "HEARTBEAT_SECONDS": "3",
            "HEARTBEAT_SILENCE_SECONDS": str(20 * speed),
            "SWEEP_SECONDS": "1",
            "REMINDER_SCAN_SECONDS": "1",
            "LLM_TIMEOUT_SECONDS": "2",
            "BREAKER_OPEN_SECONDS": "1",
        }

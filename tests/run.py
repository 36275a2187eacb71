"""`python3 manage.py test`: lint, types, migrations, the journeys on SQLite, everything on a real Postgres and Redis, and
the quick part of the proof (`manage.py prove`).

Arguments go to pytest, and then only pytest runs.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = ["planner", "webhook", "transcription", "reminders", "agent"]
SETTINGS = {"SECRET_KEY": "test-only-key-test-only-key-test-only-key-test-only"}


def step(name: str, *arguments: str, **environment: str) -> int:
    print(f"── {name}", flush=True)
    return subprocess.call([sys.executable, *arguments], cwd=ROOT, env={**os.environ, **SETTINGS, **environment})


def workers() -> list[str]:
    """Two, each with servers of its own; one where the environment names the servers, since counts need them alone."""
    return [] if os.environ.get("DATABASE_URL") else ["-n", "2"]


def main(arguments: list[str]) -> int:
    if arguments:
        return step("pytest", "-m", "pytest", *arguments)
    data = {"DATA_DIR": str(ROOT / "data"), "DATABASE_URL": "", "REDIS_URL": ""}
    failed = [
        name
        for name, code in (
            ("lint", step("lint", "-m", "ruff", "check", ".")),
            ("types", step("types", "-m", "mypy", *APPS, **data)),
            ("migrations", step("migrations", "manage.py", "makemigrations", "--check", "--dry-run", **data)),
            ("journeys", step("journeys on SQLite", "-m", "pytest", "tests/journeys", TEST_DB="sqlite")),
            ("proof", step("proof, the quick part", "-m", "tests.crash", "--quick", DATABASE_URL="", REDIS_URL="")),
            ("tests", step("tests on Postgres and Redis", "-m", "pytest", *workers())),
        )
        if code
    ]
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

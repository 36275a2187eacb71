"""`python3 manage.py test`: lint, types, migrations, the journeys on SQLite, everything on a real Postgres and Redis, and
the quick part of the proof (`manage.py prove`).

Arguments go to pytest, and then only pytest runs.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parent.parent
APPS = ["planner", "webhook", "transcription", "reminders", "agent"]
SETTINGS = {"SECRET_KEY": "test-only-key-test-only-key-test-only-key-test-only"}
PRIVATE = {"DATABASE_URL": "", "REDIS_URL": ""}
IN_CHECKOUT = {"DATA_DIR": str(ROOT / "data"), **PRIVATE}
_telling = Lock()


@dataclass(frozen=True)
class Step:
    name: str
    arguments: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *, aside: bool = False) -> int:
        """Its exit code. Aside, what it says is shown as a whole when it is over."""
        out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} if aside else {}
        if not aside:
            print(f"── {self.name}", flush=True)
        command, environment = [sys.executable, *self.arguments], {**os.environ, **SETTINGS, **self.environment}
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False, **out)  # type: ignore[call-overload]
        if aside:
            with _telling:
                print(f"── {self.name}\n{done.stdout}", flush=True)
        return int(done.returncode)


LANES = [  # beside one another; each in order
    [
        Step("lint", ["-m", "ruff", "check", "."]),
        Step("types", ["-m", "mypy", *APPS], IN_CHECKOUT),
        Step("migrations", ["manage.py", "makemigrations", "--check", "--dry-run"], IN_CHECKOUT),
        # The demo is on SQLite anyway, and played with the rest.
        Step(
            "journeys on SQLite",
            ["-m", "pytest", "tests/journeys", "--ignore=tests/journeys/test_demo.py"],
            {"TEST_DB": "sqlite"},
        ),
    ],
    [Step("proof, the quick part", ["-m", "tests.crash", "--quick"], PRIVATE)],
]


def workers() -> list[str]:
    """Three, each with servers of its own: half of the time one waits for processes to come up or for time to go by. One
    where the environment names the servers, since counts need them alone."""
    return [] if os.environ.get("DATABASE_URL") else ["-n", "3"]


def failures(lane: list[Step]) -> list[str]:
    return [step.name for step in lane if step.run(aside=True)]


def main(arguments: list[str]) -> int:
    if arguments:
        return Step("pytest", ["-m", "pytest", *arguments]).run()
    with ThreadPoolExecutor(len(LANES)) as lanes:
        failed = [name for names in lanes.map(failures, LANES) for name in names]
    tests = Step("tests on Postgres and Redis", ["-m", "pytest", *workers()])
    failed += [tests.name] if tests.run() else []
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The documents say what is there: tests that exist, settings that are read, links that lead somewhere."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from planner.doorbell import Queue

ROOT = Path(__file__).resolve().parent.parent
APPS = ("planner", "webhook", "agent", "reminders", "transcription")
PAGES = [ROOT / "README.md", ROOT / "benchmarks/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMPOSE_ONLY = {"POSTGRES_PASSWORD"}
SET_BY_COMMANDS = {"PLANNER_ROLE", "SANDBOX"}


def read(name: str) -> str:
    return (ROOT / name).read_text()


def in_code(pattern: str) -> set[str]:
    files = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    return {found for path in files for found in re.findall(pattern, path.read_text())}


def example() -> dict[str, str]:
    """As the strictest readers of such a file take it: all that stands behind the sign."""
    return dict(re.findall(r"^([A-Z_]+)=(.*)$", read(".env.example"), re.MULTILINE))


def test_every_test_that_the_readme_names_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", read("README.md"))

    assert len(named) > 20
    missing = [(f, t) for f, t in named if not (ROOT / f).exists() or (t and f"def {t}(" not in read(f))]
    assert not missing


def test_every_row_of_the_failure_table_names_its_proof():
    table = read("README.md").partition("| failure |")[2].partition("\n\n")[0]
    rows = [line for line in table.splitlines()[2:] if line.startswith("|")]

    assert len(rows) > 12
    assert not [row for row in rows if "::test_" not in row.rstrip("| ").rpartition("|")[2]]


def test_every_setting_that_is_read_is_listed_and_the_other_way_round():
    wanted = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', read("planner/settings.py"))) - SET_BY_COMMANDS

    assert wanted
    assert wanted ^ (set(example()) - COMPOSE_ONLY) == set()


def test_a_comment_never_stands_behind_a_value():
    """Compose and systemd would take it for the value, and a SECRET_KEY that all the world knows for set."""
    assert not [line for line in read(".env.example").splitlines() if line[:1] not in ("", "#") and "#" in line]


def settings_under(environment: dict[str, str]) -> dict[str, str]:
    code = (
        "import json; from planner import settings as s;"
        "print(json.dumps({n: repr(v) for n, v in vars(s).items() if n.isupper()}))"
    )
    bare = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=bare | environment, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_example_as_it_stands_changes_nothing():
    assert settings_under(example()) == settings_under({})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", page.read_text()) if "://" not in t]

    assert not [t for t in targets if not (page.parent / t).exists()]


def test_every_document_that_the_code_names_exists():
    named = in_code(r"docs/[\w/-]+\.md")

    assert named
    assert not [name for name in named if not (ROOT / name).exists()]


def alarms() -> Iterator[str]:
    """Keys as written, up to what is filled in; those of an agent's failure begin with who refused."""
    for key in in_code(r'raise_alarm\(\s*f?"([^"]+)"'):
        start = key.partition("{")[0]
        yield from [start] if start else (f"{upstream}:" for upstream in in_code(r'upstream="(llm|agent|tools|asr|media)"'))


def test_every_alarm_has_its_line_for_operators():
    keys, explained = set(alarms()), read("docs/operating.md")

    assert {"wechat:", "webhook:unreadable", "llm:", "agent:", "tools:"} <= keys
    assert not [key for key in keys if f"`{key}" not in explained]


def test_every_figure_has_its_line_for_operators():
    counted = {f"planner_{name}_total" for name in in_code(r'counters\.count\(\s*"(\w+)"')}
    gauges = {f"planner_{name}" for name in in_code(r'"(\w+_oldest_seconds)"')}
    explained = read("docs/operating.md")

    assert len(counted) > 10
    assert len(gauges) == 4
    assert not [name for name in counted | gauges if f"`{name}" not in explained]


def test_every_pin_has_its_reason():
    pins = re.findall(r"^([A-Za-z0-9_-]+)", read("requirements.txt"), re.MULTILINE)
    reasons = read("docs/dependencies.md").lower()

    assert not [pin for pin in pins if f"`{pin.lower()}" not in reasons]


@pytest.mark.parametrize("source", ["compose.yaml", "docs/deploying.md"])
def test_every_queue_has_a_worker(source):
    served = {queue for queues in re.findall(r"worker -Q (\S+) -c", read(source)) for queue in queues.split(",")}

    assert served == {queue.value for queue in Queue}


def test_nothing_of_compose_starts_before_the_migration():
    services = yaml.safe_load(read("compose.yaml"))["services"]
    ours = {name: service for name, service in services.items() if "build" in service and name != "migrate"}

    assert len(ours) > 4
    assert all(
        service["depends_on"]["migrate"] == {"condition": "service_completed_successfully"} for service in ours.values()
    )

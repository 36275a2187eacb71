"""The documents say what is there: tests that exist, settings that are read, links that lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMPOSE_ONLY = {"POSTGRES_PASSWORD"}


def test_every_test_that_the_readme_names_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "README.md").read_text())

    assert len(named) > 12
    missing = [(f, t) for f, t in named if not (ROOT / f).exists() or (t and f"def {t}(" not in (ROOT / f).read_text())]
    assert not missing


def test_every_setting_that_is_read_is_listed_and_the_other_way_round():
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', (ROOT / "planner/settings.py").read_text())) - {"PLANNER_ROLE", "SANDBOX"}  # set by commands, not by people
    listed = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)) - COMPOSE_ONLY

    assert read - listed == set()
    assert listed - read == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", page.read_text()) if "://" not in t]

    assert not [t for t in targets if not (page.parent / t).exists()]


def test_every_alarm_has_its_line_for_operators():
    explained = (ROOT / "docs/operating.md").read_text()
    keys = {
        key.partition("{")[0]
        for app in ("planner", "webhook", "agent", "reminders")
        for path in (ROOT / app).rglob("*.py")
        for key in re.findall(r'raise_alarm\(\s*f?"([^"]+)"', path.read_text())
    }

    assert keys
    assert not [key for key in keys if key and f"`{key}" not in explained]


def test_every_pin_has_its_reason():
    pins = re.findall(r"^([A-Za-z0-9_-]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    reasons = (ROOT / "docs/dependencies.md").read_text().lower()

    assert not [pin for pin in pins if pin.lower() not in reasons]

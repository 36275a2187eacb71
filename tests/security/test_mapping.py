"""docs/security.md: each of S1 to S32 has its proof, and each proof exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/security.md").read_text()
ROWS = dict(re.findall(r"^\| (S\d+) \|(.*)$", PAGE, re.MULTILINE))
HEADINGS = {
    re.sub(r"[^a-z -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
}


def test_all_thirty_two_are_there():
    assert list(ROWS) == [f"S{n}" for n in range(1, 33)]


@pytest.mark.parametrize("promise", ROWS)
def test_every_promise_has_a_test_or_a_procedure_that_exists(promise):
    tests = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", ROWS[promise])
    sections = re.findall(r"\]\(#([\w-]+)\)", ROWS[promise])

    assert tests or sections
    assert not [f for f, t in tests if not (ROOT / f).exists() or (t and f"def {t}(" not in (ROOT / f).read_text())]
    assert set(sections) <= HEADINGS


def pins(text: str) -> dict[str, str]:
    return {
        name.lower().replace("_", "-"): v
        for name, v in re.findall(r"^([\w-]+)(?:\[[\w,]+\])?==([\w.]+)", text, re.MULTILINE)
    }


def test_every_package_is_locked_with_a_hash():
    locked = (ROOT / "requirements.lock").read_text()
    wanted, have = pins((ROOT / "requirements.txt").read_text()), pins(locked)

    assert wanted.items() <= have.items()
    assert not [line for line in locked.splitlines() if line[0] != "#" and not re.search(r"sha256:[0-9a-f]{64}$", line)]


def test_every_client_refuses_redirects():
    """A call of another system is one request to the address that was configured."""
    calls = re.compile(r"(?:requests|session|client|http)\.(?:get|post|request)\((?:[^()]|\([^()]*\))*\)", re.DOTALL)
    sources = [
        p
        for app in ("webhook", "agent", "transcription", "planner")
        for p in (ROOT / app).rglob("*.py")
        if "sandbox" not in p.parts
    ]
    found = [(path.name, call) for path in sources for call in calls.findall(path.read_text()) if "timeout" in call]

    assert len(found) >= 3
    assert not [call for _, call in found if "allow_redirects=False" not in call]

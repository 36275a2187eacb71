"""No commit and no outside call without a crash point on each side; and the points cost nothing."""

import ast
import subprocess
import sys
import time

import pytest

from planner import crashpoints
from tests.crash.points import called, points, sources

OUTSIDE = {"send_text", "send_template", "fetch_token", "download", "recognise", "submit_task", "post"}
ADAPTERS = {"webhook/wechat.py", "transcription/asr.py"}  # below the call that holds the point
ONLY_LOOKS = {"agent/checks.py", "transcription/checks.py", "webhook/checks.py"}  # doctor's, which change nothing


def unguarded(tree: ast.AST, guard: str, guarded: set[str]) -> list[int]:
    """Lines of calls to one of `guarded` that stand in no `with guard(…)`."""
    inside = {
        id(call)
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and any(called(item.context_expr) == guard for item in node.items)
        for call in ast.walk(node)
    }
    return [node.lineno for node in ast.walk(tree) if called(node) in guarded and id(node) not in inside]


def test_every_transaction_has_its_points():
    bare = {
        path: lines
        for path, tree in sources()
        if (lines := [node.lineno for node in ast.walk(tree) if called(node) == "atomic"])
    }

    assert not bare, "use crashpoints.committing(name)"


def test_every_outside_call_has_its_points():
    bare = {
        path: lines
        for path, tree in sources()
        if path not in ADAPTERS | ONLY_LOOKS and (lines := unguarded(tree, "outside", OUTSIDE))
    }

    assert not bare, "use crashpoints.outside(name)"
    assert {"send:answered", "token:answered", "model:answered", "tool:answered", "doorbell:answered"} <= set(points())


def test_the_lint_sees_a_call_without_points():
    tree = ast.parse("with outside('send'):\n    w.send_text()\nw.send_text()")

    assert unguarded(tree, "outside", OUTSIDE) == [3]


def test_a_point_names_one_file_only():
    places = {
        (ast.dump(node.args[0]), path)
        for path, tree in sources()
        for node in ast.walk(tree)
        if called(node) in ("committing", "statement", "outside", "reach")
    }

    assert len(points()) >= 64
    assert len(places) == len({name for name, _ in places})


def test_an_unarmed_point_costs_less_than_a_thousandth_of_a_message(monkeypatch):
    """A message passes about six and costs over a millisecond; a call may cost 100 ns."""
    began = time.perf_counter()
    for _ in range(10_000):
        crashpoints.reach("finish:written")
    each = (time.perf_counter() - began) / 10_000

    assert crashpoints._hook is None
    assert each < 2e-6  # 60 ns on an idle machine


@pytest.mark.parametrize(("words", "code"), [("x:y kill", -9), ("x:y raise 2", 1), ("x:y kill 3", 0)])
def test_the_environment_arms_a_point(words, code):
    program = "from planner.crashpoints import reach\nreach('x:y')\nreach('x:y')\nreach('other')"

    done = subprocess.run([sys.executable, "-c", program], env={"CRASH_AT": words}, capture_output=True, cwd=".")

    assert done.returncode == code

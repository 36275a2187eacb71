"""The house's own rules: who imports whom, who writes states, who may ask the clock, what stays light."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "planner": set(),
    "webhook": {"planner"},
    "transcription": {"planner", "webhook"},
    "reminders": {"planner", "webhook"},
    "agent": {"planner", "webhook"},
}
COMPOSITION = {"planner/settings.py", "planner/urls.py", "planner/asgi.py", "planner/wsgi.py", "planner/celery.py"}
COMPOSITION |= {"planner/embedded.py"}


def files(app: str) -> list[Path]:
    return [p for p in (ROOT / app).rglob("*.py") if "migrations" not in p.parts]


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("app", FLOORS)
def test_imports_point_downwards(app):
    allowed = FLOORS[app] | {app}
    wrong = {
        name(path): imported(path) & (set(FLOORS) - allowed)
        for path in files(app)
        if name(path) not in COMPOSITION and "management" not in path.parts
    }

    assert not {path: apps for path, apps in wrong.items() if apps}


def test_the_scan_finds_something():
    assert len(files("planner")) > 20
    assert "webhook" in imported(ROOT / "agent/run.py")


def test_only_the_lease_machine_writes_a_state_of_work():
    """Tasks and reminders are not work; theirs stand in planner/operations and reminders."""
    writers = {name(p) for app in FLOORS for p in files(app) if "SET status = %s, claims" in p.read_text()}
    others = {
        name(p)
        for app in FLOORS
        for p in files(app)
        if name(p) != "planner/leases.py" and ("webhook_batch SET status" in p.read_text() or "outboundmessage SET status" in p.read_text())
    }  # fmt: skip

    assert writers == {"planner/leases.py"}
    assert not others


def test_wechatpy_is_known_to_one_file_and_openai_to_one():
    users = {
        lib: {name(p) for app in FLOORS for p in files(app) if lib in imported(p)} for lib in ("wechatpy", "openai")
    }

    assert users["wechatpy"] == {"webhook/wechat.py"}
    assert users["openai"] <= {"agent/llm.py"}


def test_the_sandbox_imports_nothing_of_ours():
    ours = re.compile(rf"^(?:from|import) ((?:{'|'.join(FLOORS)})[\w.]*)", re.MULTILINE)
    server = [p for p in files("webhook") if p.parent.name == "sandbox" and p.name not in ("urls.py", "views.py")]
    named = {module for path in server for module in ours.findall(path.read_text())}

    assert len(server) > 2
    assert not {module for module in named if not module.startswith("webhook.sandbox")}


def test_only_edges_ask_the_application_clock():
    edges = {
        "webhook/delivery.py",
        "webhook/views.py",
        "planner/clock.py",
        "planner/logs.py",
        "planner/trace.py",
        "planner/api.py",
        "agent/llm.py",
    }
    wrong = {
        name(p)
        for app in FLOORS
        for p in files(app)
        if "timezone.now(" in p.read_text() or "datetime.now(" in p.read_text()
    }

    assert {
        path for path in wrong if "management" not in path and "sandbox" not in path and "admin" not in path
    } <= edges


def test_no_file_and_no_function_outgrows_the_house():
    long_files = {name(p) for app in FLOORS for p in files(app) if len(p.read_text().splitlines()) > 300}
    long_functions = {
        f"{name(p)}:{node.name}"
        for app in FLOORS
        for p in files(app)
        for node in ast.walk(ast.parse(p.read_text()))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= 50
    }

    assert not long_files
    assert not long_functions


def test_every_task_names_its_queue_through_the_one_table():
    from planner.celery import app
    from planner.doorbell import TASKS, Queue

    app.loader.import_default_modules()
    ours = {task for task in app.tasks if not task.startswith("celery.")}

    assert set(TASKS.values()) <= ours
    assert {entry["options"]["queue"] for entry in app.conf.beat_schedule.values()} <= set(Queue)


HEAVY = "{'langgraph', 'langchain_core', 'langsmith', 'openai', 'tencentcloud', 'pydantic', 'planner.when.reader', 'rest_framework.views'}"


@pytest.mark.parametrize(
    "start",
    [
        "import planner.wsgi; from django.urls import get_resolver; get_resolver().url_patterns",
        "import planner.asgi; from django.urls import get_resolver; get_resolver().url_patterns",
        "import planner.celery as c; import django; django.setup(); c.app.loader.import_default_modules()",
        "import sys; sys.argv = ['celery', 'worker', '-Q', 'outbound,reminders,maintenance']; import planner.celery as c; from celery.signals import worker_init; c.app.loader.import_default_modules(); worker_init.send(sender=c.app.WorkController)",
    ],
    ids=["web", "web under ASGI", "beat", "a worker that sends and reminds, before its first child"],
)
def test_light_processes_load_nothing_heavy_and_stay_under_100_MB(start):
    code = f"{start}\nimport sys, re\nrss = int(re.search(r'VmRSS:\\s+(\\d+)', open('/proc/self/status').read())[1])\nprint(sorted({HEAVY} & set(sys.modules)), rss // 1024)"

    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout

    modules, _, megabytes = out.strip().rpartition(" ")
    assert modules == "[]"
    assert int(megabytes) <= 100


def test_tracing_to_outside_services_is_off():
    from langsmith.utils import tracing_is_enabled

    assert tracing_is_enabled() is False

"""Modules are loaded without the cycle collector; whoever works has it again, and what was loaded is frozen."""

import subprocess
import sys

import pytest
import redis
from django.conf import settings
from django.db import connection

from planner.celery import app
from tests.processes.collecting import AT
from tests.processes.running import process

ON = "True True"
SAY = "import gc; print(gc.isenabled(), gc.get_freeze_count() > 0)"


@pytest.mark.parametrize("module", ["planner.wsgi", "planner.asgi"])
def test_a_web_process_collects_once_it_is_loaded(module):
    assert said_after(f"import {module}") == ON


def test_a_command_that_is_no_worker_collects_all_the_time():
    assert said_after("import planner.celery") == "True False"


def test_modules_that_cannot_be_loaded_leave_the_collector_on():
    assert said_after("""
from planner import loading
try:
    with loading.loading():
        import no_such_module
except ModuleNotFoundError:
    pass""") == ON  # fmt: skip


def test_nothing_is_collected_while_modules_are_loaded():
    assert said_after("import gc\nfrom planner.loading import loading\nwith loading(): print(gc.isenabled())") == (
        f"False\n{ON}"
    )


def said_after(code: str) -> str:
    command = [sys.executable, "-c", f"{code}\n{SAY}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=settings.BASE_DIR).stdout.strip()


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="several processes are Postgres's business")
@pytest.mark.timeout(120)
def test_the_child_of_a_worker_collects_and_leaves_alone_what_its_parent_loaded():
    arguments = ("-A", "tests.processes.collecting", "worker", "-Q", "collecting", "-c", "1", "-l", "ERROR")
    with redis.Redis.from_url(settings.REDIS_URL) as broker, process("-m", "celery", *arguments):
        broker.delete(AT)
        app.send_task("tests.collecting", queue="collecting")

        said = broker.blpop([AT], timeout=60)

    assert said
    assert said[1].decode() == ON

"""The newcomer's first command, as a real process with nothing but a folder of its own."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.conf import settings

from planner.management import demo_environment
from tests.plugin import SQLITE

# The demo brings its own SQLite whatever the run's database is: once is enough.
pytestmark = [pytest.mark.skipif(SQLITE, reason="runs with the tests on Postgres"), pytest.mark.timeout(240)]
# What a developer may have around must not reach the demo.
STRANGE = {
    "DATABASE_URL": "mysql://nobody@nowhere/x",
    "REDIS_URL": "redis://nowhere.invalid:1/0",
    "LLM_BASE_URL": "no address",
    "WECHAT_AES_KEY": "short",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "http_proxy": "http://127.0.0.1:9",
    "BATCH_LEASE_SECONDS": "never",
}


def command(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, **STRANGE, "DATA_DIR": str(folder), "PLANNER_NO_VENV": "1", "PYTHONIOENCODING": "utf-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The demo after its conversation, and the address it printed."""
    demo = command(folder, "demo", "--port", "0")
    watchdog = threading.Timer(200, demo.kill)
    watchdog.start()
    try:
        printed = ""
        while not (found := re.search(r"http://\S+/sandbox/", printed)):
            line = demo.stdout.readline()
            assert line, printed + demo.stderr.read()
            printed += line
        yield demo, found[0]
    finally:
        watchdog.cancel()
        demo.kill()
        demo.communicate()


def chat(page: str, after: int) -> list[dict]:
    return requests.get(f"{page}chat?after={after}&wait=1", timeout=60).json()["entries"]


def test_every_line_of_the_conversation_comes_true(tmp_path):
    demo = command(tmp_path, "demo", "--once")

    output, errors = demo.communicate(timeout=200)

    assert demo.returncode == 0, output + errors
    assert "11 句全部如期" in output
    assert errors == ""
    assert list(tmp_path.iterdir()) == []


def test_the_conversation_comes_true_where_the_account_can_never_speak_first(tmp_path):
    demo = command(tmp_path, "demo", "--once", "--account-kind", "unverified")

    output, errors = demo.communicate(timeout=200)

    assert demo.returncode == 0, output + errors
    assert "不能主动发消息" in output
    assert "⏰ 喝水" in output


def test_the_page_goes_on_with_the_conversation_and_ctrl_c_ends_it(tmp_path):
    with serving(tmp_path) as (demo, address):
        browser = requests.Session()
        page = browser.get(address, timeout=30)
        before = chat(page.url, 0)

        token = {"X-CSRFToken": browser.cookies["csrftoken"]}
        said = browser.post(f"{page.url}say", data={"text": "后天早上八点跑步"}, headers=token, timeout=30)

        answer = chat(page.url, said.json()["id"])
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0
    assert [entry["text"] for entry in before if entry["who"] == "me"][-1] == "5秒后提醒我喝水"
    assert "08:00 跑步" in answer[0]["text"]
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_said_in_one_sentence(tmp_path, wechat):
    port = wechat.url.rpartition(":")[2]

    demo = command(tmp_path, "demo", "--once", "--port", port)

    _, errors = demo.communicate(timeout=60)
    assert demo.returncode != 0
    assert errors.count("\n") == 1
    assert f"127.0.0.1:{port}" in errors


def test_serve_refuses_to_start_without_an_account(tmp_path):
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "PLANNER_NO_VENV": "1", "DATABASE_URL": "", "REDIS_URL": ""}
    environment.update(WECHAT_TOKEN="", WECHAT_APP_SECRET="")

    done = subprocess.run(
        [sys.executable, "manage.py", "serve"], cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True
    )

    assert done.returncode != 0
    assert "WECHAT_APP_SECRET, WECHAT_TOKEN must be set" in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_variable_of_a_real_installation_reaches_the_demo():
    source = (Path(settings.BASE_DIR) / "planner" / "settings.py").read_text()
    names = set(re.findall(r'env\.\w+\(\s*"(\w+)"', source))

    assert {name for name in names if not demo_environment.ours(name)} == {"DATA_DIR", "LOG_LEVEL", "SANDBOX"}
    assert len(names) > 40

"""A wrong setting stops the start with one sentence that names it."""

import subprocess
import sys

import pytest

from planner import env

WRONG = {
    "DATABASE_URL": ("mysql://x", "must start with postgres://"),
    "REDIS_URL": ("http://x", "must start with redis://"),
    "DEBUG": ("maybe", "must be 1, 0, true or false"),
    "BATCH_QUIET_SECONDS": ("soon", "must be a number"),
    "BATCH_MAX_CLAIMS": ("0", "must be at least 1"),
    "WECHAT_ACCOUNT_KIND": ("private", "must be one of service"),
    "WECHAT_REMINDER_TEMPLATE_FIELDS": ("thing1", "must read key=value"),
    "RETRY_WAITS": ("5,x", "must be numbers"),
    "HEARTBEAT_SILENCE_SECONDS": ("20", "3 × heartbeat ≤ silence ≤ lease"),
    "LLM_EXTRA_BODY": ("{", "LLM_EXTRA_BODY"),
}


def start(**environment: str) -> subprocess.CompletedProcess[str]:
    code = "import django; django.setup(); from django.conf import settings; print(settings.TIME_ZONE)"
    base = {"DJANGO_SETTINGS_MODULE": "planner.settings", "PATH": "/usr/bin:/bin", "SECRET_KEY": "k" * 50}
    return subprocess.run(
        [sys.executable, "-c", code], env={**base, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_one_sentence_and_no_traceback(name, tmp_path):
    value, sentence = WRONG[name]

    ended = start(**{name: value, "DATA_DIR": str(tmp_path)})

    assert ended.returncode != 0
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_server_database_needs_a_key_of_its_own(tmp_path):
    ended = start(DATABASE_URL="postgres://u@h/d", SECRET_KEY="", DATA_DIR=str(tmp_path))

    assert "SECRET_KEY" in ended.stderr
    assert ended.returncode != 0


def test_the_embedded_default_starts_with_nothing_and_makes_its_key(tmp_path):
    ended = start(SECRET_KEY="", DATA_DIR=str(tmp_path))

    assert ended.stdout.strip() == "Asia/Shanghai"
    assert len((tmp_path / "secret_key").read_text()) > 40


def test_options_of_the_address_come_behind_ours_and_replace_none():
    said = env.database("postgres://p@h/d?options=-c%20work_mem%3D8MB", sqlite_file="", options={"options": "-c a.b=all"})

    assert said["OPTIONS"] == {"options": "-c a.b=all -c work_mem=8MB"}

"""Loaded with `-p`, before Django's settings: one real Postgres and one real Redis per test process.

Each xdist worker has its own, so that what a test counts on the server is its own.
"""

import contextlib
import logging
import os
import tempfile

import pytest

from tests.services import Postgres, redis

_stack = contextlib.ExitStack()
SQLITE = os.environ.get("TEST_DB") == "sqlite"
UPSTREAMS = ("llm", "asr", "wechat_send", "wechat_template", "token", "media")
postgres: Postgres | None = None


def _environment() -> None:
    os.environ.update(
        DATA_DIR=_stack.enter_context(tempfile.TemporaryDirectory(prefix="planner-test-")),
        SECRET_KEY="test-only-key-test-only-key-test-only-key-test-only",
        WECHAT_APP_ID="wx0123456789abcdef",
        WECHAT_APP_SECRET="app-secret-app-secret-app-secret",
        WECHAT_TOKEN="planner-test-token",
        WECHAT_AES_KEY="",
        LLM_BASE_URL="",
        UPSTREAM_RATES=",".join(f"{name}=100000" for name in UPSTREAMS),
        FOLLOWER_MINUTE_MESSAGES="100000",  # the cast writes a lot in one process's life
        INTERNAL_TOKEN="internal-token-internal-token",
    )
    for name in ("AGENT_URL", "TOOLS_URL", "SANDBOX", "WECHAT_API_BASE"):
        os.environ.pop(name, None)


def _services() -> None:
    global postgres
    if SQLITE:
        os.environ.pop("DATABASE_URL", None)
        os.environ.pop("REDIS_URL", None)
        return
    if not os.environ.get("DATABASE_URL"):
        postgres = _stack.enter_context(Postgres())
        os.environ["DATABASE_URL"] = postgres.url
    if not os.environ.get("REDIS_URL"):
        os.environ["REDIS_URL"] = _stack.enter_context(redis())


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    _environment()
    if getattr(early_config.known_args_namespace, "numprocesses", None) and "PYTEST_XDIST_WORKER" not in os.environ:
        return  # the controller of an xdist run tests nothing itself
    _services()


def pytest_unconfigure() -> None:
    logging.raiseExceptions = False  # what a thread still logs now has nowhere to go
    _stack.close()


def pytest_report_header() -> str:
    return "database: SQLite" if SQLITE else f"database: {os.environ.get('DATABASE_URL', 'one per worker')}"

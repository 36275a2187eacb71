"""The demo's settings, made before Django reads any. Standard library only.

The demo is the product with another WECHAT_API_BASE: everything here is an environment variable that anybody may set.
What the user has in the environment for a real installation is taken out, so that the demo touches none of it.
"""

import argparse
import atexit
import os
import pathlib
import secrets
import shutil
import socket
import tempfile
from collections.abc import MutableMapping, Sequence

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFIXES = (
    "AGENT_", "API_MINUTE_", "BATCH_", "BREAKER_", "CSRF_", "DATABASE_", "DB_", "FOLLOWER_", "HEARTBEAT_", "HELD_",
    "INTERNAL_", "LLM_", "METRICS_", "OUTBOUND_", "PASSIVE_", "REDIS_", "REMINDER_", "RETAIN_", "RETRY_",
    "SECRET_KEY", "TENCENT_", "TOOLS_", "UPSTREAM_", "VOICE_", "WECHAT_",
)  # fmt: skip
NAMES = (
    "ALLOWED_HOSTS", "BEHIND_TLS_PROXY", "CLARIFICATION_TTL_SECONDS", "DEBUG", "HTTPS_ONLY", "PLANNER_ROLE",
    "SWEEP_SECONDS", "TIME_ZONE_DEFAULT",
)  # fmt: skip


def ours(name: str) -> bool:
    return name in NAMES or name.startswith(PREFIXES)


def prepare(environment: MutableMapping[str, str], *, kind: str = "service") -> None:
    """A fresh data folder (gone with the process), a free port for the sandbox, quick clocks."""
    for name in [name for name in environment if ours(name)]:
        del environment[name]
    environment.setdefault("LOG_LEVEL", "WARNING")
    environment.update(
        DATA_DIR=_fresh_folder(environment.get("DATA_DIR", "")),
        SANDBOX="1",
        WECHAT_APP_ID="wx" + secrets.token_hex(8),
        WECHAT_APP_SECRET=secrets.token_hex(16),
        WECHAT_TOKEN=secrets.token_hex(12),
        WECHAT_ACCOUNT_KIND=kind,
        WECHAT_API_BASE=f"http://127.0.0.1:{_free_port()}",
        WECHAT_REMINDER_TEMPLATE_ID="sandbox-reminder",
        WECHAT_REMINDER_TEMPLATE_FIELDS="thing1=title,time2=when",
        BATCH_QUIET_SECONDS="0.4",
        SWEEP_SECONDS="1",
        REMINDER_SCAN_SECONDS="1",
        NO_PROXY=_without_proxy(environment),
    )


def _fresh_folder(base: str) -> str:
    folder = pathlib.Path(base or ROOT / "data")
    folder.mkdir(parents=True, exist_ok=True)
    return tempfile.mkdtemp(prefix="demo-", dir=folder)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _without_proxy(environment: MutableMapping[str, str]) -> str:
    """A proxy of this machine cannot reach this machine's own loopback."""
    given = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    return ",".join(filter(None, (given, "127.0.0.1,localhost")))


def begin(arguments: Sequence[str] = ()) -> None:
    """For this process; the data folder goes with it. Of the command's arguments one is a setting."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--account-kind", default="service")
    prepare(os.environ, kind=parser.parse_known_args(arguments)[0].account_kind)
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

"""Typed reading of the environment. A wrong value stops the start with one sentence that names the variable."""

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


class EnvError(SystemExit):
    """Ends the process with the sentence as its message: nobody should need a traceback to fix a setting."""

    def __init__(self, name: str, value: str, wanted: str) -> None:
        super().__init__(f"{name}={value!r}: {wanted}")


def text(name: str, default: str = "", *, choices: tuple[str, ...] = ()) -> str:
    value = os.environ.get(name, "").strip() or default
    if choices and value not in choices:
        raise EnvError(name, value, "must be one of " + ", ".join(choices))
    return value


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in ("", "1", "true", "0", "false"):
        return default if not value else value in ("1", "true")
    raise EnvError(name, value, "must be 1, 0, true or false")


def number(name: str, default: float, *, least: float = 0) -> float:
    """Seconds may be fractions."""
    value = os.environ.get(name, "").strip()
    try:
        result = float(value or default)
    except ValueError:
        raise EnvError(name, value, "must be a number") from None
    if not least <= result < float("inf"):
        raise EnvError(name, value, f"must be at least {least:g}")
    return result


def whole(name: str, default: int, *, least: int = 0) -> int:
    result = number(name, default, least=least)
    if result != int(result):
        raise EnvError(name, str(result), "must be a whole number")
    return int(result)


def items(name: str, default: str = "") -> list[str]:
    return [item.strip() for item in text(name, default).split(",") if item.strip()]


def numbers(name: str, default: str) -> list[float]:
    try:
        return [float(item) for item in items(name, default)]
    except ValueError:
        raise EnvError(name, text(name), "must be numbers with commas between them") from None


def mapping(name: str) -> dict[str, str]:
    """`a=b,c=d`."""
    pairs = [item.partition("=") for item in items(name)]
    if bad := [key for key, sign, value in pairs if not (key and sign and value)]:
        raise EnvError(name, text(name), f"must read key=value,key=value; look at {bad[0]!r}")
    return {key.strip(): value.strip() for key, _, value in pairs}


def rates(name: str, default: Mapping[str, float]) -> dict[str, float]:
    """`a=10,b=0.5`, by the second: those that are named change, the others keep their default."""
    given = mapping(name)
    if unknown := set(given) - set(default):
        raise EnvError(name, text(name), f"knows {', '.join(default)}; not {', '.join(sorted(unknown))}")
    try:
        changed = {key: float(value) for key, value in given.items()}
    except ValueError:
        raise EnvError(name, text(name), "must be numbers, calls a second") from None
    if not all(0 < rate < float("inf") for rate in changed.values()):
        raise EnvError(name, text(name), "must be more than 0 calls a second")
    return {**default, **changed}


def json_object(name: str) -> dict[str, Any]:
    """Its value may hold a secret, so the sentence does not repeat it."""
    value = text(name)
    try:
        result = json.loads(value or "{}")
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise EnvError(name, "…", 'must be a JSON object, for example {"enable_thinking": false}')
    return result


def web_address(name: str) -> str:
    """Without the slash at the end."""
    value = text(name).rstrip("/")
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise EnvError(name, value, "must start with http:// or https:// and name a host")
    return value


def redis(name: str) -> str:
    value = text(name)
    if value and urlsplit(value).scheme not in ("redis", "rediss", "unix"):
        raise EnvError(name, value.partition("://")[0] + "://…", "must start with redis://, rediss:// or unix://")
    return value


POSTGRES = ("postgres", "postgresql")


def database(url: str, *, sqlite_file: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Django's DATABASES entry; `options` go to Postgres only, and the URL's own behind them. A socket folder may be
    given as `?host=/path`."""
    if not url:
        return _sqlite(sqlite_file)
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return _sqlite(unquote(url.split("://", 1)[1]).removeprefix("/"))
    if parts.scheme not in POSTGRES:
        raise EnvError("DATABASE_URL", f"{parts.scheme}://…", "must start with postgres:// (or be empty for SQLite)")
    query = dict(parse_qsl(parts.query))
    if "options" in query:
        query["options"] = f"{options.get('options', '')} {query['options']}".strip()
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path[1:]) or "postgres",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.pop("host", "") or parts.hostname or "",
        "PORT": parts.port or "",
        "OPTIONS": {**options, **query},
    }


def _sqlite(path: str) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "TEST": {"NAME": f"{path}.test"},  # in memory, threads would meet locks that a file does not have
        # IMMEDIATE takes the write lock at BEGIN: without it, two writers that have read first end in "locked".
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }

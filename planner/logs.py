"""Logs: one JSON object a line, with trace_id; never a secret, a message text or a full openid."""

import json
import logging
import re
from datetime import UTC, datetime
from typing import Any

from planner import trace

_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_SECRETS = re.compile(
    r"(?i)((?:access_token|secret|appsecret|signature|authorization|api[_-]?key|openid|touser)[\"'=:\s]+(?:bearer\s+)?)"
    r"[\w\-.~+/]{6,}"
)
_OPENID = re.compile(r"\bo[A-Za-z0-9_-]{27}\b")


def scrub(text: str) -> str:
    """Takes out what must not be in a log, wherever a library may have put it."""
    return _OPENID.sub("o…", _SECRETS.sub(r"\1…", text))


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "event": scrub(record.getMessage()),
        }
        if trace_id := trace.current.get():
            line["trace_id"] = trace_id
        for name, value in vars(record).items():
            if name not in _STANDARD:
                # Django adds the request itself, whose address carries signature and openid.
                line[name] = value if isinstance(value, bool | int | float | None) else scrub(str(value))
        if record.exc_info:
            line["traceback"] = scrub(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False, default=str)

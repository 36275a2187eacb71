"""Logs carry trace_id and causes; never a secret, a message text or a full openid."""

import json
import logging

from planner import trace
from planner.logs import JsonFormatter, scrub

OPENID = "oTest00000000000000000000001"


def line(message: str, **extra: object) -> dict:
    record = logging.makeLogRecord({"msg": message, "levelname": "INFO", "name": "test", **extra})
    return json.loads(JsonFormatter().format(record))


def test_a_line_is_json_with_the_trace_it_belongs_to():
    token = trace.current.set("0192-trace")
    try:
        said = line("batch finished", batch=7)
    finally:
        trace.current.reset(token)

    assert (said["event"], said["batch"], said["trace_id"]) == ("batch finished", 7, "0192-trace")


def test_secrets_and_openids_that_a_library_lets_slip_are_taken_out():
    text = scrub(
        f"GET /cgi-bin/x?access_token=abcdef123456&x=1 secret: s3cr3t-value Authorization: Bearer tok-123456 {OPENID}"
    )

    assert not [found for found in ("abcdef123456", "s3cr3t-value", "tok-123456", OPENID) if found in text]


def test_a_traceback_is_scrubbed_too():
    try:
        raise ValueError(f"https://api/x?access_token=abcdef123456 {OPENID}")
    except ValueError:
        import sys

        said = line("broken", exc_info=sys.exc_info())

    assert "abcdef123456" not in said["traceback"]
    assert OPENID not in said["traceback"]


def test_trace_ids_are_version_7_and_sorted_by_time():
    ids = [trace.new_trace_id() for _ in range(3)]

    assert {i.version for i in ids} == {7}
    assert ids[0].int >> 80 <= ids[-1].int >> 80

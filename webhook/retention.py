"""How long things are kept: what is over for so many days goes, a thousand rows at a time.

Only what nobody waits for: work at its end, without an open review; tasks done or deleted; reviews settled. A message's
key goes with it: WeChat delivers again for 15 seconds, and an old signature is refused.
"""

import logging
import math
import time
from typing import Any

from django.conf import settings

from planner import counters, sql
from planner.crashpoints import committing
from webhook.forgetting import CHUNK, delete_leased

log = logging.getLogger(__name__)
PIECES = 20  # of one class in one run: the queue is shared with the sweep
DAY = 86400

_UNREVIEWED = """NOT EXISTS (SELECT 1 FROM planner_review r
    WHERE r.kind = '{kind}' AND r.object_id = {table}.id AND r.resolution = '')"""
_BATCH_GONE = "NOT EXISTS (SELECT 1 FROM webhook_batch b WHERE b.id = {table}.batch_id)"
_FINISHED = "{table}.finished_at < app_later(%s) AND " + _UNREVIEWED

# (setting, table, kind of its attempts if it is leased, condition over the age); what hangs on others comes first
CLASSES = (
    ("RETAIN_MESSAGES_DAYS", "webhook_outboundmessage", "outbound", _FINISHED),
    (
        "RETAIN_MESSAGES_DAYS",
        "webhook_inboundmessage",
        "",
        "received_at < app_later(%s) AND NOT EXISTS (SELECT 1 FROM webhook_batch b"
        " WHERE b.id = {table}.batch_id AND (b.finished_at IS NULL OR b.status = 'FAILED'))",
    ),
    (
        "RETAIN_MESSAGES_DAYS",
        "webhook_batch",
        "batch",
        _FINISHED + " AND NOT EXISTS (SELECT 1 FROM webhook_outboundmessage o WHERE o.batch_id = {table}.id)",
    ),
    ("RETAIN_MESSAGES_DAYS", "planner_operationresult", "", "created_at < app_later(%s) AND " + _BATCH_GONE),
    ("RETAIN_MESSAGES_DAYS", "planner_correction", "", "created_at < app_later(%s) AND " + _BATCH_GONE),
    ("RETAIN_MESSAGES_DAYS", "webhook_receipt", "", "received_at < app_later(%s) AND outbound_id IS NULL"),
    (
        "RETAIN_TASKS_DAYS",
        "planner_reminder",
        "",
        "due_at < app_later(%s) AND NOT EXISTS (SELECT 1 FROM planner_task t"
        " WHERE t.id = {table}.task_id AND t.status = 'OPEN')",
    ),
    (
        "RETAIN_TASKS_DAYS",
        "planner_task",
        "",
        "status <> 'OPEN' AND created_at < app_later(%s) AND coalesce(done_at, start, created_at) < app_later(%s)"
        " AND NOT EXISTS (SELECT 1 FROM planner_reminder r WHERE r.task_id = {table}.id)",
    ),
    ("RETAIN_DESK_DAYS", "planner_alarm", "", "closed_at < app_later(%s)"),
    ("RETAIN_DESK_DAYS", "planner_review", "", "resolution <> '' AND resolved_at < app_later(%s)"),
    ("RETAIN_DESK_DAYS", "webhook_erasure", "", "status = 'DONE' AND finished_at < app_later(%s)"),
    ("RETAIN_DESK_DAYS", "planner_modeluse", "", "app_later(%s) > day"),
    ("", "planner_failedlogin", "", "at < app_later(%s)"),
)


def retain(*, seconds: float = math.inf) -> int:
    """One run over all classes, or as far as it gets in that time; how many rows went. Any number of runs at any time,
    until one finds nothing."""
    gone, until = 0, time.monotonic() + seconds
    for setting, table, kind, where in CLASSES:
        days = getattr(settings, setting) if setting else 1
        condition = where.format(table=table, kind=kind)
        params = (-days * DAY,) * condition.count("%s")
        for _ in range(PIECES if days else 0):
            piece = _piece(table, kind, condition, params)
            gone += piece
            if piece < CHUNK or time.monotonic() > until:
                break
        if gone and time.monotonic() > until:
            break
    counters.count("retired", gone)
    log.info("retention", extra={"rows": gone})
    return gone


def _piece(table: str, kind: str, where: str, params: tuple[Any, ...]) -> int:
    with committing("retain"):
        if kind:
            return delete_leased(table, kind, where, params)
        return sql.execute(
            f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE {where} LIMIT {CHUNK})", params
        )

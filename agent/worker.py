"""The queue `batches`: claim the next batch, run the agent, and turn whatever happens into the row's next state."""

import logging
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from agent import client
from planner import counters, sql, trace, upstreams
from planner.alarms import raise_alarm
from planner.clock import AppNow
from planner.crashpoints import statement
from planner.doorbell import Queue, ring
from planner.errors import Failure, Retry
from planner.heartbeat import Heartbeat
from planner.leases import OUTAGE_SECONDS, Claimed, Lease, LeaseLost
from planner.operations import OperationConflict
from planner.upstreams import Upstream
from webhook.models import Batch

log = logging.getLogger(__name__)
OUTAGE = timedelta(seconds=OUTAGE_SECONDS)
OUTAGE_WAIT, OPERATOR_WAIT, HELD_WAIT = 10.0, 60.0, 5.0


def run_next() -> bool:
    """Takes the next batch and settles it. False when there is none."""
    claimed = Batch.claim(settings.BATCH_LEASE_SECONDS, shut=_shut())
    if claimed is None:
        return False
    ring(Queue.BATCHES)  # before the work: an idle worker may take the next
    token = trace.current.set(str(sql.uuid(claimed.columns["trace_id"])))
    try:
        _run(claimed)
    except LeaseLost:
        log.warning("lease lost", extra={"batch": claimed.lease.pk})
        counters.count("leases_lost", kind="batch")
    finally:
        trace.current.reset(token)
    return True


def _shut() -> Collection[str]:
    """Batches that have met a shut model stay where they are; new ones are looked at once, for the rules may do."""
    return upstreams.shut(Upstream.LLM) if settings.LLM_BASE_URL or settings.AGENT_URL else ()


def _run(claimed: Claimed) -> None:
    lease = claimed.lease
    try:
        with Heartbeat(lease) as heartbeat:
            status = client.run(claimed, heartbeat.step)
        log.info("batch finished", extra={"batch": lease.pk, "status": status})
    except LeaseLost:
        raise
    except OperationConflict as error:
        log.error("operation conflict", extra={"batch": lease.pk})
        Batch.give_up(lease, str(error))
    except Failure as failure:
        log.warning("batch failed", extra={"batch": lease.pk, "reason": failure.reason, "code": failure.code})
        _settle(lease, failure)
    except DatabaseError as error:
        log.warning("database error", extra={"batch": lease.pk, "error": type(error).__name__}, exc_info=True)
        connection.close()
        Batch.retry(lease, f"数据库错误（{type(error).__name__}）")
    except Exception as error:  # noqa: BLE001 - the one place that turns the unforeseen into a retry
        log.error("unforeseen error", extra={"batch": lease.pk}, exc_info=True)
        Batch.retry(lease, f"程序错误（{type(error).__name__}）")


def _settle(lease: Lease, failure: Failure) -> None:
    """(retry, down) → the row's next state. An outage spends no claim, for six hours at most."""
    if failure.code != upstreams.SHUT:
        counters.count("upstream_errors", upstream=failure.upstream or "agent", code=failure.code)
    if failure.retry is Retry.OPERATOR:
        told, shut = failure.reason + "。改好后积压的消息会自动继续。", failure.upstream if failure.shut else ""
        with statement("batch alarm"):
            raise_alarm(f"{failure.upstream}:{failure.code}", told, upstream=shut)
    held_for = Upstream.LLM if failure.upstream == Upstream.LLM else ""  # the rules could not do without it
    waiting = failure.down or failure.retry is Retry.OPERATOR
    if waiting and Batch.objects.filter(pk=lease.pk, created_at__gt=AppNow() - OUTAGE).exists():
        Batch.release(lease, failure.reason, wait=_wait(failure), held_for=held_for, usage=failure.usage)
    elif failure.retry is Retry.NEVER:
        Batch.give_up(lease, failure.reason, usage=failure.usage)
    else:
        Batch.retry(lease, failure.reason, wait=failure.retry_after, held_for=held_for, usage=failure.usage)


def _wait(failure: Failure) -> float:
    """Seconds. Where a breaker is open it decides; what a person has mended shall not wait any longer."""
    if failure.retry is Retry.OPERATOR:
        return HELD_WAIT if failure.shut else OPERATOR_WAIT
    return failure.retry_after or OUTAGE_WAIT

"""Running the agent: in this process, or in one deployed apart (AGENT_URL) with a deadline shorter than the lease."""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import requests
from django.conf import settings

from agent.tools import toolbox
from planner import trace
from planner.crashpoints import outside
from planner.errors import Effect, Failure, Retry
from planner.http import never_arrived
from planner.leases import Claimed, Lease, LeaseLost
from planner.operations import OperationConflict
from webhook.models import Batch

if TYPE_CHECKING:  # the rules and their calendar are the engine's
    from agent.analysers import Analyser

FINISHED = {Batch.DONE: "done", Batch.WAITING: "waiting"}


@cache
def engine() -> tuple[ModuleType, type[Any]]:
    """LangGraph costs 1.5 CPU seconds and 60 MB: only the processes that run batches load it, before they fork."""
    from agent import graph  # noqa: PLC0415 - see above
    from agent.run import Run  # noqa: PLC0415

    return graph, Run


@cache
def model() -> "Analyser | None":
    """The configured model, or None for the rules alone."""
    if not settings.LLM_BASE_URL:
        return None
    from agent.llm import Model  # noqa: PLC0415 - the openai client costs a CPU second; rules need none of it

    configured: Analyser = Model()
    return configured


def run_here(claimed: Claimed, step: Callable[[float], None]) -> str:
    graph, run = engine()
    this = run(claimed, model=model(), tools=toolbox(), step=step)
    try:
        return str(graph.invoke(this))
    except Failure as failure:
        failure.usage = this.usage or None
        raise


def run(claimed: Claimed, step: Callable[[float], None]) -> str:
    """`done` or `waiting`. Raises Failure, OperationConflict or LeaseLost: then nothing about the batch was settled."""
    return _run_there(claimed, step) if settings.AGENT_URL else run_here(claimed, step)


def _run_there(claimed: Claimed, step: Callable[[float], None]) -> str:
    seconds = min(settings.AGENT_TIMEOUT_SECONDS, settings.BATCH_LEASE_SECONDS - 1)
    step(seconds)
    lease = claimed.lease
    body = {"batch_id": lease.pk, "claim_no": lease.claim_no, "trace_id": trace.current.get()}
    headers = {"Authorization": f"Bearer {settings.INTERNAL_TOKEN}"}
    resumed = claimed.columns["clarification_json"] is not None
    path = "/agent/resume" if resumed else "/agent/runs"
    try:
        with outside("agent"):
            response = requests.post(
                settings.AGENT_URL + path, json=body, headers=headers, timeout=(3, seconds), allow_redirects=False
            )
        answer = response.json()
    except (requests.RequestException, ValueError) as error:
        return _after_silence(lease, error)
    return _read(lease, response.status_code, answer)


def _after_silence(lease: Lease, error: Exception) -> str:
    """The answer is lost: the row knows what happened."""
    row = Batch.objects.filter(pk=lease.pk, claim_no=lease.claim_no).first()
    if row is not None and row.status in FINISHED:
        return FINISHED[row.status]
    down = isinstance(error, requests.RequestException) and never_arrived(error)
    reason = f"助手服务没有答复（{type(error).__name__}）"
    raise Failure(reason, retry=Retry.LATER, effect=Effect.NONE, code="agent", upstream="agent", down=down) from None


def _read(lease: Lease, status_code: int, answer: dict[str, Any]) -> str:
    if status_code == 409:
        raise LeaseLost(f"batch {lease.pk}")
    status, error = answer.get("status"), answer.get("error") or {}
    if status_code == 200 and status in ("done", "waiting"):
        return str(status)
    if error.get("conflict"):
        raise OperationConflict(str(error["reason"]))
    reason = str(error.get("reason") or f"助手服务返回 {status_code}")
    retry = Retry(error.get("retry", Retry.LATER if status_code >= 500 else Retry.OPERATOR))
    failure = Failure(
        reason,
        retry=retry,
        effect=Effect.NONE,
        code=str(error.get("code", status_code)),
        retry_after=error.get("retry_after"),
        down=bool(error.get("down")),
        upstream=str(error.get("upstream", "agent")),
    )
    failure.shut = bool(error.get("shut"))
    raise failure

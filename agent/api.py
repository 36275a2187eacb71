"""`/agent/*` and `/tools/*`: the same run and the same ledger over HTTP, behind INTERNAL_TOKEN.

Without the token's setting these addresses do not exist; the token is checked before anything else, names included.
"""

import hmac
import logging
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseError
from django.http import HttpRequest, JsonResponse
from django.urls import path
from pydantic import BaseModel, Field, ValidationError
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agent import client
from agent.tools import TOOLS, Tool
from planner import trace
from planner.errors import Failure, Retry
from planner.leases import Claimed, Lease, LeaseLost
from planner.operations import OperationConflict, Outcome, Scope, Unclear, apply
from webhook.models import Batch

log = logging.getLogger(__name__)
KEY = r"^[1-9]\d{0,18}:[a-z]+:[1-9]\d{0,2}$"


class RunRequest(BaseModel):
    batch_id: int
    claim_no: int
    trace_id: UUID | None = None


class ToolCall(BaseModel):
    request_id: UUID
    agent_id: str = Field(min_length=1, max_length=64)
    operation_key: str = Field(pattern=KEY)
    claim_no: int
    input_params: dict[str, Any]


class Internal(APIView):
    """Deny first: 404 when the seam is switched off, 401 without the token."""

    permission_classes: list[Any] = []

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if not settings.INTERNAL_TOKEN:
            return JsonResponse({"detail": "not found"}, status=404)
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        known = [settings.INTERNAL_TOKEN, *settings.INTERNAL_TOKEN_FALLBACKS]
        if not any([hmac.compare_digest(given.encode(), token.encode()) for token in known]):
            return JsonResponse({"detail": "a bearer token is needed"}, status=401)
        return super().dispatch(request, *args, **kwargs)


class Runs(Internal):
    """Runs the claimed batch. Repeating it is safe: keys and fence are the caller's own."""

    def post(self, request: Request) -> Response:
        try:
            wanted = RunRequest.model_validate(request.data)
        except (ValidationError, ParseError) as error:
            return Response({"status": "failed", "error": {"reason": _paths(error), "retry": "never"}}, status=422)
        token = trace.current.set(str(wanted.trace_id or ""))
        try:
            return self._run(Lease(Batch, wanted.batch_id, wanted.claim_no))
        finally:
            trace.current.reset(token)

    def _run(self, lease: Lease) -> Response:
        row = Batch.objects.filter(pk=lease.pk, claim_no=lease.claim_no).first()
        if row is not None and row.status in client.FINISHED:
            return Response({"status": client.FINISHED[row.status], "error": None})
        if row is None or row.status != Batch.RUNNING:
            return Response({"status": "failed", "error": {"reason": "stale claim", "retry": "never"}}, status=409)
        try:
            return Response({"status": client.run_here(Claimed(lease, row.claims), _no_beat), "error": None})
        except LeaseLost:
            return self._lost(lease)
        except OperationConflict as error:
            return _failed(str(error), retry=Retry.NEVER, conflict=True)
        except Failure as failure:
            return _failed(failure.reason, **_words(failure))
        except DatabaseError as error:
            return _failed(f"数据库错误（{type(error).__name__}）", retry=Retry.LATER)

    def _lost(self, lease: Lease) -> Response:
        """Perhaps a repeat of this very call has finished it."""
        row = Batch.objects.filter(pk=lease.pk, claim_no=lease.claim_no, status__in=client.FINISHED).first()
        if row is not None:
            return Response({"status": client.FINISHED[row.status], "error": None})
        return Response({"status": "failed", "error": {"reason": "stale claim", "retry": "never"}}, status=409)


def _no_beat(seconds: float) -> None:
    """The caller keeps the heartbeat while it waits for this answer."""


def _words(failure: Failure) -> dict[str, Any]:
    names = ("retry", "code", "retry_after", "down", "shut", "upstream")
    return {name: getattr(failure, name) for name in names} | {"effect": failure.effect}


def _failed(reason: str, **error: Any) -> Response:
    return Response({"status": "failed", "error": {"reason": reason, "effect": "none", **error}})


def _paths(error: ValidationError | ParseError) -> str:
    if isinstance(error, ParseError):
        return "the body is not JSON"
    return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:5])


class ToolList(Internal):
    def get(self, request: Request) -> Response:
        return Response([tool.describe() for tool in TOOLS.values()])


class ToolView(Internal):
    """One idempotent call: the key is looked up first, a new effect needs the claim."""

    def post(self, request: Request, name: str) -> Response:
        tool = TOOLS.get(name)
        if tool is None:
            return Response({"detail": "no such tool"}, status=404)
        try:
            call = ToolCall.model_validate(request.data)
            params = tool.params.model_validate({**call.input_params, "op": tool.op})
        except (ValidationError, ParseError) as error:
            return _envelope("INVALID", _paths(error), status=422)
        if call.operation_key.split(":")[1] != tool.op:
            return _envelope("INVALID", f"operation_key: the op must be {tool.op}", status=422)
        return self._apply(tool, call, params)

    def _apply(self, tool: Tool, call: ToolCall, params: BaseModel) -> Response:
        batch_id = int(call.operation_key.split(":")[0])
        batch = Batch.objects.select_related("follower").filter(pk=batch_id).first()
        if batch is None:
            return _envelope("STALE", "no such batch", status=409)
        scope = Scope(
            follower=batch.follower,
            sent_at=batch.created_at,
            trace_id=batch.trace_id,
            batch_id=batch.pk,
            lease=Lease(Batch, batch.pk, call.claim_no),
        )
        return _guarded(lambda: apply(tool.op, params, scope, key=call.operation_key), batch)


def _guarded(call: Callable[[], Outcome | Unclear], batch: Batch) -> Response:
    try:
        made = call()
    except LeaseLost:
        return _envelope("STALE", "the claim is over", status=409)
    except OperationConflict as error:
        return _envelope("CONFLICT", str(error), status=409)
    except DatabaseError as error:
        log.warning("tool busy", extra={"error": type(error).__name__})
        return _envelope("BUSY", "the database is busy", status=503)
    if isinstance(made, Unclear):
        extra: dict[str, Any] = {"missing": made.missing, "options": made.options, "data": made.data}
        return _envelope("AMBIGUOUS", "several tasks fit", trace_id=str(batch.trace_id), **extra)
    status = "REPLAYED" if made.replayed else made.status
    return _envelope(
        status,
        made.summary,
        data_digest=made.digest,
        trace_id=str(batch.trace_id),
        result=made.result,
        result_status=made.status,
    )


def _envelope(word: str, summary: str, *, status: int = 200, **more: Any) -> Response:
    body = {"status": word, "summary": summary[:200], "data_digest": "", "trace_id": trace.current.get(), **more}
    return Response(body, status=status, headers={"Retry-After": "2"} if status == 503 else None)


urlpatterns = [
    path("agent/runs", Runs.as_view()),
    path("agent/resume", Runs.as_view()),
    path("tools/", ToolList.as_view()),
    path("tools/<str:name>", ToolView.as_view()),
]

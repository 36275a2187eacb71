"""The tools: each operation registered once, and the two ways to call one — in process, or over HTTP at TOOLS_URL."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import requests
from django.conf import settings
from pydantic import BaseModel

from planner import actions, trace
from planner.crashpoints import outside
from planner.doorbell import Queue
from planner.errors import Effect, Failure, Retry
from planner.http import never_arrived
from planner.leases import LeaseLost
from planner.operations import OperationConflict, Outcome, Scope, Unclear, apply


@dataclass(frozen=True)
class Tool:
    """`name` is the address and what a model sees; `op` the action it carries out."""

    name: str
    op: str
    params: type[BaseModel]
    description: str
    effect: Literal["read", "write"] = "write"
    reversible: bool = True
    timeout_seconds: float = 10
    queue: Queue = Queue.BATCHES

    def describe(self) -> dict[str, Any]:
        schema = self.params.model_json_schema()
        schema.get("properties", {}).pop("op", None)
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": schema,
            "output_schema": OUTPUT,
            "timeout_seconds": self.timeout_seconds,
            "effect": self.effect,
            "reversible": self.reversible,
        }


OUTPUT = {
    "type": "object",
    "properties": {
        "status": {
            "enum": [
                "SUCCEEDED", "REPLAYED", "REFUSED", "AMBIGUOUS", "INVALID", "CONFLICT", "STALE", "BUSY"
            ]
        },
        "summary": {"type": "string"},
        "data_digest": {"type": "string"},
        "trace_id": {"type": "string"},
    },
    "required": ["status", "summary", "data_digest", "trace_id"],
}  # fmt: skip

TOOLS = {
    tool.name: tool
    for tool in (
        Tool("create_task", "create", actions.Create, "添加一件要做的事"),
        Tool("update_task", "update", actions.Update, "改标题、时间、提醒或备注"),
        Tool("complete_task", "complete", actions.Complete, "标记完成"),
        Tool("reopen_task", "reopen", actions.Reopen, "重新打开已完成的"),
        Tool("delete_task", "delete", actions.Delete, "删除"),
        Tool("query_tasks", "query", actions.Query, "看某段时间的安排", effect="read", reversible=False),
        Tool("snooze_reminder", "snooze", actions.Snooze, "过一会儿再提醒", reversible=False),
        Tool("undo", "undo", actions.Undo, "撤销上一次改动", reversible=False),
        Tool("set_preference", "set", actions.Set, "时区、早报、免打扰、默认提前量"),
    )
}
BY_OP = {tool.op: tool for tool in TOOLS.values()}


class Toolbox(Protocol):
    def call(self, op: str, params: BaseModel, scope: Scope, *, key: str) -> Outcome | Unclear: ...


class Local:
    """In process: the ledger itself."""

    def call(self, op: str, params: BaseModel, scope: Scope, *, key: str) -> Outcome | Unclear:
        return apply(op, params, scope, key=key)


class Remote:
    """Over HTTP. A lost answer is harmless: the same key gets the stored result, so the call may always be repeated."""

    def __init__(self, base: str) -> None:
        self.base = base

    def call(self, op: str, params: BaseModel, scope: Scope, *, key: str) -> Outcome | Unclear:
        assert scope.lease is not None
        tool = BY_OP[op]
        body = {
            "request_id": str(trace.new_trace_id()),
            "agent_id": "batch-agent",
            "operation_key": key,
            "claim_no": scope.lease.claim_no,
            "input_params": params.model_dump(mode="json", exclude={"op"}),
        }
        headers = {"Authorization": f"Bearer {settings.INTERNAL_TOKEN}"}
        try:
            with outside("tool"):
                response = requests.post(
                    f"{self.base}/tools/{tool.name}", json=body, headers=headers, timeout=tool.timeout_seconds,
                    allow_redirects=False,
                )  # fmt: skip
            answer = response.json()
        except (requests.RequestException, ValueError) as error:
            down = isinstance(error, requests.RequestException) and never_arrived(error)
            reason = f"工具服务没有答复（{type(error).__name__}）"
            raise Failure(reason, retry=Retry.LATER, effect=Effect.NONE, upstream="tools", down=down) from None
        return _read(op, key, response.status_code, answer)


def _read(op: str, key: str, status_code: int, answer: dict[str, Any]) -> Outcome | Unclear:
    status = answer.get("status")
    match status:
        case "SUCCEEDED" | "REFUSED" | "REPLAYED":
            return Outcome(key, op, answer["result_status"], answer["result"], replayed=status == "REPLAYED")
        case "AMBIGUOUS":
            return Unclear(answer["missing"], answer["options"], answer["data"])
        case "STALE":
            raise LeaseLost(key)
        case "CONFLICT":
            raise OperationConflict(str(answer.get("summary", key)))
    reason = f"工具服务返回 {status_code} {status or ''}".strip()
    down = status == "BUSY"
    if status_code in (401, 403, 404):  # the seam itself: token or address
        raise Failure(reason, retry=Retry.OPERATOR, effect=Effect.NONE, code=str(status_code), upstream="tools")
    retry = Retry.LATER if down or status_code >= 500 else Retry.NEVER
    raise Failure(reason, retry=retry, effect=Effect.NONE, code=str(status_code), upstream="tools", down=down)


def toolbox() -> Toolbox:
    return Remote(settings.TOOLS_URL) if settings.TOOLS_URL else Local()

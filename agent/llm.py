"""The model: any OpenAI-compatible chat endpoint, asked for an Analysis. The only module that knows the openai client.

A call is pure: it may be repeated, and what it says takes no effect until it has been checked, judged and stored.
"""

import json
import logging
import ssl
import time
from collections.abc import Callable, Mapping, Sequence, Set
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import openai
from django.conf import settings
from pydantic import ValidationError
from requests.utils import DEFAULT_CA_BUNDLE_PATH

from agent import budget, policy, prompts
from agent.analysis import Analysis, Said
from agent.completion import Choice, Completion, Usage
from agent.output import Invalid, read
from agent.referee import Referee
from planner import counters, upstreams
from planner.crashpoints import committing, outside, reach
from planner.errors import Effect, Failure, Retry
from planner.http import within
from planner.models import Correction
from planner.upstreams import Upstream

if TYPE_CHECKING:
    from agent.run import Run

log = logging.getLogger(__name__)
Told = Callable[..., list[dict[str, str]]]  # the prompt, with `by_tool`
CORRECTIONS = 2
CONNECT_SECONDS = 3.0
MARGIN = 5.0
LONGEST_WAIT = 3600.0
TOOLS, SCHEMA, JSON = "tools", "json_schema", "json_object"
MODES = (TOOLS, SCHEMA, JSON)  # the best first
REFUSED = ("400", "422")  # how an endpoint says that it does not know a mode, among other things

# Each answer of the endpoint: may the same request be tried again, is it an outage (then no claim is spent), and what
# operators read. What is not here: 5xx counts as a failed claim, 3xx and other 4xx are for the operator.
ANSWERS: dict[int | str, tuple[Retry, bool, str]] = {
    "refused": (Retry.LATER, True, "连不上模型服务"),
    "timeout": (Retry.LATER, False, "模型服务没有在时限内答复"),
    "broken": (Retry.LATER, False, "模型服务中断了连接"),
    "unreadable": (Retry.LATER, False, "模型服务的答复不是约定的格式"),
    "filtered": (Retry.NEVER, False, "模型服务拦下了这段内容"),
    "too_long": (Retry.NEVER, False, "内容超过了模型的长度上限"),
    "model": (Retry.OPERATOR, False, "模型服务没有这个模型，检查 LLM_MODEL"),
    "key": (Retry.OPERATOR, False, "模型服务不认这个密钥，检查 LLM_API_KEY"),
    "quota": (Retry.OPERATOR, False, "模型服务的额度用完了，请充值"),
    400: (Retry.NEVER, False, "模型服务不接受这个请求"),
    401: (Retry.OPERATOR, False, "模型服务不认这个密钥，检查 LLM_API_KEY"),
    402: (Retry.OPERATOR, False, "模型服务的余额不足，请充值"),
    403: (Retry.OPERATOR, False, "模型服务拒绝了这个账号，检查权限"),
    404: (Retry.OPERATOR, False, "模型或地址不存在，检查 LLM_MODEL 和 LLM_BASE_URL"),
    408: (Retry.LATER, False, "模型服务没有在时限内答复"),
    409: (Retry.LATER, False, "模型服务正忙"),
    413: (Retry.NEVER, False, "内容超过了模型服务的大小上限"),
    422: (Retry.NEVER, False, "模型服务不接受这个请求"),
    429: (Retry.LATER, True, "模型服务限流"),
    503: (Retry.LATER, True, "模型服务暂时不可用"),
    529: (Retry.LATER, True, "模型服务过载"),
}
# Vendors put these behind 400, 403 or 429; the words are theirs, looked for and never kept.
_TELLING = {
    "quota": ("insufficient_quota", "exceeded_current_quota", "insufficient balance", "arrearage"),
    "model": ("model_not_found", "model not exist", "model does not exist", "model not found"),
    "key": ("invalid_api_key", "api key not valid", "incorrect api key"),
    "too_long": ("context_length", "context length", "maximum context", "too many tokens", "range of input length"),
    "filtered": ("content_filter", "content exists risk", "data_inspection", "inappropriate content"),
}


class Model:
    """One per process. `modes` are those that the endpoint may take, the best first; what it refuses is forgotten."""

    def __init__(self) -> None:
        self.modes: Sequence[str] = MODES if settings.LLM_MODE == "auto" else (settings.LLM_MODE,)
        # Building it costs more than the request's own work. Certificates come with the package: slim images have none.
        self.tls = ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)

    def analyse(self, run: "Run", said: Sequence[Said], asked: Set[str] | None) -> Analysis:
        """Raises Failure."""
        run.usage |= {"model": settings.LLM_MODEL, "prompt": prompts.VERSION, "corrections": 0}
        tasks = prompts.near_tasks(run.follower, said[-1].sent_at)
        refused = ""
        for corrections in range(CORRECTIONS + 1):
            try:
                return self._understood(run, said, asked, tasks, refused)
            except Invalid as invalid:
                refused = invalid.reason
            if corrections < CORRECTIONS:
                _record(run, corrections + 1, refused)
        reason = f"模型的答复纠正 {CORRECTIONS} 次仍不可用：{refused}"
        raise Failure(reason[:500], retry=Retry.LATER, effect=Effect.NONE, code="invalid", upstream="llm")

    def _understood(
        self, run: "Run", said: Sequence[Said], asked: Set[str] | None, tasks: str, refused: str
    ) -> Analysis:
        told = partial(prompts.messages, said, run.follower, tasks=tasks, refused=refused)
        choice = self._ask(run, told, self.modes)
        if choice.finish_reason == "content_filter":
            raise _failure("filtered")
        analysis = read(choice.text(), run.follower.zone)
        judged = Referee(said, run.follower.zone).judge(analysis)
        policy.check(judged, said, asked)
        return judged

    def _ask(self, run: "Run", told: Told, modes: Sequence[str]) -> Choice:
        """A 400 may be about the mode: then with the next one, and from now on, if that works."""
        mode, *others = modes
        try:
            choice = self._call(run, told(by_tool=mode == TOOLS), mode)
        except Failure as failure:
            if failure.code not in REFUSED or not others:
                raise
            return self._ask(run, told, others)
        self.modes = modes
        return choice

    def _call(self, run: "Run", told: list[dict[str, str]], mode: str) -> Choice:
        budget.check(run.follower.pk)
        seconds = min(settings.LLM_TIMEOUT_SECONDS, run.seconds_left())
        run.step(seconds + MARGIN)
        with upstreams.calling(Upstream.LLM, seconds=seconds), outside("model"):
            body = self._timed(run, seconds, told, mode)
            completion = _read(body)
        used = completion.usage or Usage()
        asked, written = used.prompt_tokens or 0, used.completion_tokens or 0
        _add(run, prompt_tokens=asked, completion_tokens=written)
        # An endpoint that does not tell is taken to count a token a character.
        budget.spend(run.follower.pk, asked + written or len(str(told)) + len(body))
        return completion.choices[0]

    def _timed(self, run: "Run", seconds: float, told: list[dict[str, str]], mode: str) -> bytes:
        run.usage["mode"] = mode
        began = time.monotonic()
        try:
            return self._fetch(seconds, model=settings.LLM_MODEL, messages=told, **_shape(mode))
        finally:
            _add(run, calls=1, milliseconds=round((time.monotonic() - began) * 1000))

    def _fetch(self, seconds: float, **request: Any) -> bytes:
        """The body, or Failure within `seconds` in all: read timeouts start anew with every byte that drips in."""
        client = openai.OpenAI(
            base_url=settings.LLM_BASE_URL,
            api_key=settings.LLM_API_KEY or "none",
            max_retries=0,
            timeout=openai.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds)),
            http_client=openai.DefaultHttpxClient(verify=self.tls, trust_env=False, follow_redirects=False),
        )
        try:
            # Closing the client ends a thread that is left behind with its next byte, or its read timeout does.
            ask = client.chat.completions.with_raw_response.create
            return within(seconds, lambda: ask(**request).content, begun=lambda: reach("model:asked"))
        except TimeoutError:
            raise _failure("timeout") from None
        except openai.APIStatusError as error:
            raise _refusal(error) from None
        except openai.APIConnectionError as error:
            raise _failure(_broken(error)) from None
        finally:
            client.close()


def _read(body: bytes) -> Completion:
    try:
        return Completion.model_validate_json(body)
    except ValidationError:
        raise _failure("unreadable") from None


def _shape(mode: str) -> dict[str, Any]:
    unasked = {"OpenAI-Organization": openai.omit, "OpenAI-Project": openai.omit}  # else from the environment
    shape: dict[str, Any] = {"temperature": 0, "extra_body": settings.LLM_EXTRA_BODY, "extra_headers": unasked}
    if mode == JSON:
        return shape | {"response_format": {"type": "json_object"}}
    if mode == SCHEMA:
        described = {"name": prompts.FUNCTION, "schema": prompts.schema()}
        return shape | {"response_format": {"type": "json_schema", "json_schema": described}}
    forced = {"type": "function", "function": {"name": prompts.FUNCTION}}
    return shape | {"tools": [prompts.tool()], "tool_choice": forced}


def _record(run: "Run", number: int, reason: str) -> None:
    """Under the fence: who has lost the batch pays for no further call."""
    run.usage["corrections"] = number
    counters.count("corrections", mode=run.usage["mode"])
    log.info("model corrected", extra={"batch": run.batch.pk, "round": number, "reason": reason})
    with committing("correction"):
        run.lease.fence()
        Correction.objects.create(
            batch_id=run.batch.pk,
            claim_no=run.lease.claim_no,
            round=number,
            reason=reason,
            trace_id=run.batch.trace_id,
        )


def _add(run: "Run", **amounts: int) -> None:
    for name, amount in amounts.items():
        run.usage[name] = run.usage.get(name, 0) + amount


def _failure(code: int | str, *, retry_after: float | None = None) -> Failure:
    retry, down, words = ANSWERS.get(code) or _unlisted(int(code))
    return Failure(
        f"{words}（{code}）",
        retry=retry,
        effect=Effect.NONE,
        code=str(code),
        upstream="llm",
        down=down,
        sick=retry is Retry.LATER,
        retry_after=retry_after,
    )


def _unlisted(status: int) -> tuple[Retry, bool, str]:
    return (Retry.LATER if status >= 500 else Retry.OPERATOR, False, "模型服务出错")


def _refusal(error: openai.APIStatusError) -> Failure:
    """By status, unless the vendor says more: only its words tell an empty account from too many requests."""
    status = error.status_code
    said = json.dumps(error.body, ensure_ascii=False, default=str).lower() if 400 <= status < 500 else ""
    telling = next((code for code, words in _TELLING.items() if any(word in said for word in words)), None)
    return _failure(telling or status, retry_after=_retry_after(error.response.headers))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, or a date by the server's own clock (RFC 9110, 10.2.3); nothing unreadable, no longer than an hour."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            waits = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))
        except (ValueError, TypeError):
            return None
        seconds = waits.total_seconds()
    return min(seconds, LONGEST_WAIT) if seconds > 0 else None


def _broken(error: openai.APIConnectionError) -> str:
    """Never reached (no name, no answer to the handshake) is an outage; cut off in the middle is not."""
    if type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout"):
        return "refused"
    return "timeout" if isinstance(error, openai.APITimeoutError) else "broken"

"""A chat-completions endpoint as a real HTTP server: the next answers are scripted, worst days included.

`llm.script(analysis, "prose", Answer(503), called("not json"))`: a dict is what the model means, and comes as the
forced tool call or as the content, as the request asked; a string is the content.
"""

import json
from collections import deque
from typing import Any

from tests.doubles.server import Answer, Double, Request

USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


def completion(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    return {"id": "c-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": USAGE}


def called(arguments: str, *, name: str = "plan", times: int = 1, finish: str = "tool_calls") -> Answer:
    """A tool call with these raw arguments."""
    calls = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n in range(times)
    ]
    return Answer(body=completion({"content": None, "tool_calls": calls}, finish))


def wrote(content: str | None, *, finish: str = "stop") -> Answer:
    return Answer(body=completion({"content": content}, finish))


def error(status: int, message: str = "no", *, code: str = "", **headers: str) -> Answer:
    body = {"error": {"message": message, "type": "error", "code": code}}
    return Answer(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def _mode(request: Request) -> str:
    return "tools" if "tools" in request.json else request.json["response_format"]["type"]


class FakeModel(Double):
    def __init__(self) -> None:
        super().__init__()
        self.answers: deque[Any] = deque()
        self.takes = {"tools", "json_schema", "json_object"}

    def script(self, *answers: Answer | dict[str, Any] | str) -> None:
        self.answers.extend(answers)

    def answer(self, request: Request) -> Answer:
        if (mode := _mode(request)) not in self.takes:
            return error(400, f"{mode} is not supported by this model")
        with self.lock:
            if not self.answers:
                return error(500, "the script is used up")
            said = self.answers.popleft()
        if isinstance(said, Answer):
            return said
        if isinstance(said, str):
            return wrote(said)
        text = json.dumps(said, ensure_ascii=False)
        return called(text) if "tools" in request.json else wrote(text)

    def modes(self) -> list[str]:
        """How each request wanted its answer."""
        return [_mode(request) for request in self.requests]

    def asked(self, number: int = -1) -> list[dict[str, Any]]:
        """The messages of a request."""
        return self.requests[number].json["messages"]

    def wire(self) -> str:
        """All that was ever sent here, headers included."""
        return "\n".join(f"{request.headers} {request.body.decode()}" for request in self.requests)

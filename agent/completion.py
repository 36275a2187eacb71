"""What a chat endpoint answers with: as much of it as counts here. Endpoints differ in all the rest."""

from pydantic import BaseModel, Field

from agent import prompts
from agent.output import Invalid


class Function(BaseModel):
    name: str = ""
    arguments: str = ""


class Call(BaseModel):
    function: Function


class Message(BaseModel):
    content: str | None = None
    tool_calls: list[Call] | None = None


class Choice(BaseModel):
    finish_reason: str | None = None
    message: Message

    def text(self) -> str:
        """The arguments of the one call; an endpoint that ignores tools answers in the content. Raises Invalid."""
        if self.finish_reason == "length":
            raise Invalid("the answer was cut off: be shorter")
        calls = self.message.tool_calls or []
        if not calls:
            return self.message.content or ""
        if len(calls) > 1:
            raise Invalid(f"call {prompts.FUNCTION} once, with all actions")
        if calls[0].function.name != prompts.FUNCTION:
            raise Invalid(f"there is no such function; call {prompts.FUNCTION}")
        return calls[0].function.arguments


class Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Completion(BaseModel):
    choices: list[Choice] = Field(min_length=1)
    usage: Usage | None = None

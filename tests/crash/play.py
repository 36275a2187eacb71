"""What happens in a run, step by step: followers write, the clock goes on, workers work, operators click.

Every step may be done again from its beginning, as after a crash: a message is delivered again with its own MsgId, work
goes on where the rows are, and a second click finds nothing to do.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import close_old_connections

from tests.crash.actors import ACKED, PROGRESS
from tests.crash.stage import Stage

log = logging.getLogger(__name__)
DELIVERIES = 4  # WeChat's first and its repeats, and one more so that a fault in the last is not blamed on us


@dataclass(frozen=True)
class Message:
    """`makes` are titles of tasks that must come of it, once each; `takes` are titles that must be gone."""

    who: int
    text: str
    makes: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    seconds: float = 0  # of a voice message; `text` is what the recogniser hears
    recognition: str = ""  # WeChat's own words beside it


@dataclass
class Step:
    name: str
    act: Callable[["Cast"], None]
    message: Message | None = None


@dataclass
class Scenario:
    name: str
    steps: list[Step]
    settings: dict[str, Any] = field(default_factory=dict)
    fails: bool = False  # a batch ends with a person even without a fault
    unknown: bool = False  # so does a message
    spends: bool = False  # a claim fails without a fault: two more, and none is left
    unsure: bool = False  # what its messages make is not certain in advance
    erased: bool = False  # what was said is deleted again
    rare: bool = False  # left out of the quick part
    apart: str = ""  # the address that is set: agent or tools run in a process of their own


class Cast:
    """Followers, their phones and the workers, in whatever process plays."""

    def __init__(self, stage: Stage, run: int) -> None:
        self.stage, self.run = stage, run
        self.position = 0

    def openid(self, who: int) -> str:
        return f"o-proof-{self.run:08d}-{who}"

    def play(self, steps: list[Step], first: int = 0) -> None:
        for position, step in enumerate(steps[first:], first):
            self.position = position
            self.stage.board[PROGRESS] = position
            step.act(self)
        self.stage.board[PROGRESS] = len(steps)

    def acknowledged(self, position: int) -> bool:
        return bool(self.stage.board[ACKED + position])

    def key(self, position: int) -> int:
        return 24_300_000_000_000_000 + self.run * 1000 + position

    def deliver(self, message: Message) -> None:
        """As WeChat does it: again after a moment, when the answer was none."""
        from tests.builders import post, xml

        if message.seconds:
            media = {"MsgType": "voice", "MediaId": f"media-{self.key(self.position)}", "Format": "amr"}
            if message.recognition:
                media["Recognition"] = message.recognition
            body = xml(self.openid(message.who), msg_id=self.key(self.position), **media)
        else:
            body = xml(self.openid(message.who), message.text, msg_id=self.key(self.position))
        for _ in range(DELIVERIES):
            answer = post(body, client=self.stage.client)
            close_old_connections()
            if answer.status_code == 200:
                self.shown(message.who, answer.content.decode())
                self.stage.board[ACKED + self.position] = 1
                return
        log.error("not acknowledged")

    def shown(self, who: int, body: str) -> None:
        """A passive answer stands on the phone, once for all deliveries of its message."""
        if "<Content>" in body:
            text = body.split("<Content><![CDATA[")[1].split("]]></Content>")[0]
            world = self.stage.world
            world.ask(world.wechat, "passive", openid=self.openid(who), key=self.key(self.position), text=text)

    def event(self, who: int, **fields: Any) -> None:
        from tests.builders import post, xml

        for _ in range(DELIVERIES):
            if post(xml(self.openid(who), MsgType="event", **fields), client=self.stage.client).status_code == 200:
                return

    def unreadable(self) -> None:
        """Sealed, so surely from WeChat, and no message that anybody could read."""
        from django.conf import settings

        from tests.builders import post, sealed

        settings.WECHAT_AES_KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
        try:
            body, signed = sealed("<xml><what>")
            post(body, signed=signed, client=self.stage.client)
        finally:
            settings.WECHAT_AES_KEY = ""

    def guarded(self, task: Callable[[], Any]) -> bool:
        """As Celery runs a task: what it raises is logged, a broken connection is replaced, the next one comes."""
        try:
            return bool(task())
        except Exception:  # noqa: BLE001 - see above
            log.warning("task failed", exc_info=True)
            return True
        finally:
            close_old_connections()

    def work(self, rounds: int = 25) -> None:
        """Everything that is due now, as workers and clocks do it."""
        from agent.questions import expire_next
        from agent.worker import run_next
        from reminders.scan import scan_next
        from webhook.delivery import deliver_next
        from webhook.sweep import submit_quiet, sweep
        from webhook.wechat import WeChat

        wechat = WeChat()
        verbs: list[Callable[[], Any]] = [run_next, scan_next, lambda: deliver_next(wechat), expire_next, *more_verbs()]
        self.guarded(sweep)
        self.guarded(submit_quiet)
        for _ in range(rounds):
            if not any([self.guarded(verb) for verb in verbs]):
                return

    def forward(self, **amount: float) -> None:
        self.stage.forward(**amount)

    def overtaken(self) -> None:
        """A sender hears nothing until its lease is over and the sweep has given it up; then the answer comes."""
        import threading

        from django.db import connection

        from webhook.sweep import sweep

        def meanwhile() -> None:
            world = self.stage.world
            for _ in range(500):
                if world.ask(world.wechat, "holding")["n"]:
                    break
                time.sleep(0.01)
            self.forward(minutes=2)
            self.guarded(sweep)
            world.ask(world.wechat, "let_go")
            connection.close()

        self.stage.world.ask(self.stage.world.wechat, "hold")
        thread = threading.Thread(target=meanwhile, daemon=True)
        thread.start()
        self.work()
        thread.join(20)


def more_verbs() -> list[Callable[[], Any]]:
    from django.conf import settings

    from agent.waiting import tell_next
    from reminders.digest import digest_next
    from webhook.forgetting import erase_next

    verbs: list[Callable[[], Any]] = [digest_next, erase_next, tell_next]
    if settings.TENCENT_SECRET_ID:
        from transcription.worker import hear_next, recogniser
        from webhook.media import Media
        from webhook.wechat import WeChat

        verbs.append(lambda: hear_next(Media(WeChat()), recogniser()))
    return verbs


def says(text: str, *, who: int = 0, makes: tuple[str, ...] = (), takes: tuple[str, ...] = ()) -> Step:
    message = Message(who, text, makes, takes)
    return Step(f"says {text}", lambda cast: cast.deliver(message), message)


def works(seconds: float = 4) -> Step:
    """The quiet time goes by, and all that is due is done."""

    def act(cast: Cast) -> None:
        cast.forward(seconds=seconds)
        cast.work()

    return Step("workers work", act)


def speaks(
    words: str, *, seconds: float = 2, lost: bool = False, recognition: str = "", makes: tuple[str, ...] = ()
) -> Step:
    """A voice message. `lost`: WeChat does not have its recording any more."""
    message = Message(0, words, makes, seconds=seconds, recognition=recognition)

    def act(cast: Cast) -> None:
        world = cast.stage.world
        world.ask(world.asr, "hears", words=words)
        if not lost:
            world.ask(world.wechat, "sound", media_id=f"media-{cast.key(cast.position)}", seconds=seconds)
        cast.deliver(message)

    return Step(f"speaks {words}", act, message)


def waits(**amount: float) -> Step:
    return Step("time goes by", lambda cast: cast.forward(**amount))


def scripted(path: str, *answers: dict[str, Any]) -> Step:
    def act(cast: Cast) -> None:
        world = cast.stage.world
        world.ask(world.wechat, "script", path=path, answers=list(answers))

    return Step(f"{path} will answer {answers}", act)


def model_says(*answers: dict[str, Any]) -> Step:
    return Step("the model will answer", lambda c: c.stage.world.ask(c.stage.world.model, "script", answers=answers))


def does(name: str, act: Callable[[Cast], Any]) -> Step:
    return Step(name, lambda cast: cast.guarded(lambda: act(cast)) and None)

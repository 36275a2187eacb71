"""The demo's conversation: what is said, and what must come back. Played through the real webhook."""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from webhook.sandbox.phones import Entry
from webhook.sandbox.server import Sandbox

PATIENCE = 20.0


@dataclass(frozen=True)
class Scene:
    """`says` '' when something must come by itself. Every one of `hears` must stand in what comes. `picks` is an
    option of the question before: the follower answers with the number that stands in front of it. `after`: seconds
    to let pass first."""

    says: str
    hears: tuple[str, ...]
    why: str
    picks: str = ""
    after: float = 0.0


SCENES = (
    Scene(
        "后天下午三点和客户开会，后天上午十点交报告",
        ("记下了 2 件", "15:00 和客户开会", "10:00 交报告"),
        "一句话，两件事",
    ),
    Scene("未来三天有什么安排", ("共 2 件", "和客户开会", "交报告"), "问安排"),
    Scene("把和客户开会改到后天下午五点", ("和客户开会 改好了", "15:00 → ", "17:00"), "改时间"),
    Scene("交报告完成了", ("完成：交报告",), "做完一件"),
    Scene("后天上午九点部门开会", ("记下了：", "09:00 部门开会"), "再记一件，名字相近"),
    Scene("取消开会", ("要删哪一件", "1. ", "2. ", "和客户开会", "部门开会"), "说不清，先问"),
    Scene("", ("删掉了：部门开会",), "用数字回答", picks="部门开会"),
    Scene("撤销", ("撤销了", "部门开会"), "说错了，撤销"),
    Scene("5秒后提醒我喝水", ("记下了：", "喝水"), "几秒后提醒"),
)
RINGS = Scene("", ("日程提醒", "喝水"), "到点了，提醒自己来")
RINGS_IN_TEXT = Scene("", ("⏰ 喝水",), "到点了，提醒自己来")
RINGS_LATER = Scene("在吗", ("⏰ 喝水",), "账号不能主动发：提醒跟着下一句话来", after=8.0)
ENDINGS = {"service": RINGS, "test": RINGS, "subscription": RINGS_IN_TEXT, "unverified": RINGS_LATER}
WELCOME = Scene("", ("日程助手", "撤销"), "关注后的欢迎")


class Unexpected(Exception):
    """A line did not come true: the message says what was expected and what came."""

    def __init__(self, scene: Scene, missing: Sequence[str], came: str) -> None:
        wanted = "、".join(f"“{text}”" for text in missing)
        super().__init__(f"{scene.why}：说了“{scene.says}”，应当听到 {wanted}；来的是：{came or '（什么也没有）'}")


@dataclass
class Player:
    sandbox: Sandbox
    openid: str
    patience: float = PATIENCE
    kind: str = "service"
    seen: int = 0

    def play(self) -> Iterator[tuple[Scene, list[Entry]]]:
        """Each scene with what came back. Raises Unexpected."""
        self.sandbox.follow(self.openid)
        yield WELCOME, self._hear(WELCOME)
        came: list[Entry] = []
        for scene in (*SCENES, ENDINGS[self.kind]):
            threading.Event().wait(scene.after)
            said = replace(scene, says=_number(scene.picks, words(came))) if scene.picks else scene
            if said.says:
                self.seen = self.sandbox.say(self.openid, said.says)
            came = self._hear(said)
            yield said, came

    def _hear(self, scene: Scene) -> list[Entry]:
        deadline = time.monotonic() + self.patience
        came: list[Entry] = []
        while missing := _missing(scene, came):
            new = self.sandbox.wait(self.openid, after=self.seen, seconds=deadline - time.monotonic())
            if not new:
                raise Unexpected(scene, missing, words(came))
            self.seen = new[-1].id
            came += new
        return came


def words(entries: Sequence[Entry]) -> str:
    return "\n".join(f"【{entry.title}】\n{entry.text}" if entry.title else entry.text for entry in entries)


def _number(option: str, question: str) -> str:
    return next(line.partition(".")[0] for line in question.splitlines() if option in line)


def _missing(scene: Scene, came: Sequence[Entry]) -> list[str]:
    text = words(came)
    return [part for part in scene.hears if part not in text]

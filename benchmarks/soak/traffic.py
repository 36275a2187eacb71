"""What a thousand followers write in an hour, drawn from a seed: the same number, the same hour."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

VERBS = ("整理", "检查", "准备", "打印", "寄出", "核对", "归还", "更新")
THINGS = ("报销单", "合同", "护照", "行李", "发票", "简历", "照片", "说明书", "账本", "海报", "样品", "钥匙")
WHENS = ("明天上午九点", "周五下午三点", "后天晚上八点", "下周一上午十点", "今晚九点半", "")
ASKS = ("今天有什么安排", "这周有什么安排", "明天有什么事")
TALK = ("你好", "谢谢你", "在吗")
UNREAD = ("image", "location", "link")


@dataclass(order=True)
class Turn:
    """One message at `at` seconds of the hour. `plans`: the title that must stand in the plan exactly once."""

    at: float
    follower: str = field(compare=False)
    text: str = field(compare=False)
    kind: str = field(compare=False, default="text")
    plans: str = field(compare=False, default="")
    again: float = field(compare=False, default=-1)  # seconds until WeChat brings it once more; 0: at the same moment
    number: int = field(compare=False, default=0)


def hour(*, followers: int, seconds: float, seed: int, voice: bool) -> list[Turn]:
    draw = random.Random(seed)
    numbers = count(24300000000000001)
    turns = [turn for n in range(followers) for turn in _one(f"o-soak-{n:020d}", seconds, draw, voice)]
    for turn in sorted(turns):
        turn.number = next(numbers)
    return sorted(turns)


def _one(openid: str, seconds: float, draw: random.Random, voice: bool) -> Iterator[Turn]:
    titles = [verb + thing for verb in VERBS for thing in THINGS]
    draw.shuffle(titles)
    known: list[str] = []
    at = draw.uniform(0, seconds / 2)
    for _ in range(draw.randint(1, 7)):
        turn = _turn(Turn(at, openid, ""), titles, known, draw, voice)
        turn.again = draw.choices([-1, 5, 0], [85, 10, 5])[0]
        yield turn
        at += draw.choice([draw.uniform(1, 4), draw.uniform(30, 600)])
        if at > seconds:
            return


def _turn(turn: Turn, titles: list[str], known: list[str], draw: random.Random, voice: bool) -> Turn:
    kind = draw.choices(["plan", "ring", "two", "done", "move", "ask", "talk", "unread"], [40, 12, 8, 10, 8, 12, 6, 4])[0]
    if kind in ("done", "move") and not known:
        kind = "plan"
    match kind:
        case "plan" | "two":
            turn.plans = titles.pop()
            turn.text = f"{draw.choice(WHENS)}{turn.plans}"
        case "ring":
            turn.plans = titles.pop()
            turn.text = f"{draw.randint(5, 20)}分钟后提醒我{turn.plans}"
        case "done":
            turn.text = f"{known.pop()}做完了"
        case "move":
            turn.text = f"把{draw.choice(known)}改到后天下午四点"
        case "ask":
            turn.text = draw.choice(ASKS)
        case "talk":
            turn.text = draw.choice(TALK)
        case "unread":
            turn.kind = draw.choice(UNREAD)
    if turn.plans:
        known.append(turn.plans)
    if voice and turn.text and draw.random() < 0.1:
        turn.kind = "voice"
    return turn

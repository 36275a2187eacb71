"""Words that this follower is likely to say: the titles of the open tasks. Nothing of others, nothing that is done."""

import re

from planner.models import Follower, Task

MOST = 128
LONGEST = 10  # Chinese characters; Tencent refuses longer ones
WEIGHT = 5  # of 1 to 10; 11 and 100 would force the word
TASKS = 60
_PIECES = re.compile(r"[0-9A-Za-z\u4e00-\u9fff]+")


def of(follower: Follower) -> str:
    """`word|weight,…` as Tencent takes it, '' without any."""
    titles = Task.objects.filter(follower=follower, status=Task.OPEN).order_by("-id").values_list("title", flat=True)
    words = dict.fromkeys(word for title in titles[:TASKS] for word in _words(title))
    return ",".join(f"{word}|{WEIGHT}" for word in list(words)[:MOST])


def _words(title: str) -> list[str]:
    """A long title's pieces; a piece that is too long or a single sign is none."""
    return [piece for piece in _PIECES.findall(title) if 2 <= len(piece) <= LONGEST]

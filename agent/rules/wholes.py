"""What only a whole message can be: a literal task, a correction, or an order that is not for us."""

import re
from collections.abc import Sequence

from agent.analysis import Clarify, Create, Target, Update
from agent.rules import changes, clause, creates, endings, titles
from agent.rules.clause import Clause
from agent.rules.creates import Shared
from agent.rules.words import EVERYONE, OVERRIDE, THINGS

_LITERAL = re.compile(
    rf"^(?:请|帮我|麻烦)*(?:(?:新建|添加|创建|新增|记录?|加|建)(?:一?[个条项])?(?:新的?)?(?:{THINGS})?|任务|待办(?:事项)?|todo)\s*:"
    r"\s*(?P<rest>.+)$",
    re.DOTALL,
)
_CORRECTION = re.compile(
    r"^(?:(?:我?说错了|不对|错了|搞错了|更正)[,\s!。]*)?(?:不是(?P<old>[^,]+?)[,\s]*(?:而|应该)?是(?P<new>[^,]+)"
    r"|(?:应该)?是(?P<new2>[^,]+?)[,\s]*不是(?P<old2>[^,]+))$"
)
_ADMITTED = re.compile("我?说错|不对|错了|搞错|更正")


def literal(whole: Clause) -> Sequence[Create | Clarify] | None:
    """«新建任务：…»: whatever follows is a title, an order least of all."""
    match = _LITERAL.match(whole.flat)
    if not match:
        return None
    rest = whole.cut(match.start("rest"), match.end("rest"))
    if OVERRIDE.search(rest.flat):
        return [Create(title=rest.text[: titles.LONGEST])]
    parts = [rest] if endings.delete(rest) or EVERYONE.search(rest.flat) else clause.clauses(rest)
    shared, made = Shared(), list[Create | Clarify]()
    for part in parts:
        made += creates.create(part, shared, told=True) or []
    return made


def correction(whole: Clause) -> Update | None:
    """«不是周三，是周四»; «说错了，是给李姐打电话不是给李杰»."""
    match = _CORRECTION.match(whole.flat.strip(" 。!"))
    if not match:
        return None
    new, old = ("new", "old") if match["new"] else ("new2", "old2")
    right = whole.cut(match.start(new), match.end(new))
    wrong = whole.cut(match.start(old), match.end(old))
    if right.moments and wrong.moments:
        return Update(target=Target(), changes=changes.moved_to(right.moments[0], Target()))
    if right.times or wrong.times or not _ADMITTED.match(whole.flat):
        return None
    return Update(target=Target(text=wrong.text), changes=changes.changes(title=right.text))


def not_for_us(flat: str) -> bool:
    """Orders to the system, and what belongs to other people: only text here."""
    return bool(OVERRIDE.search(flat) or EVERYONE.search(flat))

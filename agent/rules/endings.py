"""Tasks that are done, open again, or no longer wanted; and taking the last change back."""

import re
from collections.abc import Callable

from agent.analysis import Clarify, Complete, Delete, Reopen, Undo
from agent.rules.clause import Clause
from agent.rules.targets import Named, all_named, named, with_verb
from agent.rules.words import ALL, EVERYONE, POINTING, REMIND, THINGS, VERB

Ending = Complete | Reopen | Delete | Undo | Clarify

_END = r"(?:了|啦|咯|喽|吧|啊|哦|呢|!|。|\s|✅)*$"
_UNDO = re.compile(
    rf"(?:撤销|撤回|undo|恢复上一步|回退|退回|还原)(?:一下|上一[步个条]|刚才的?|刚刚的?|操作|上次的?|修改|改动|{POINTING})*{_END}"
    r"|恢复(?:一下)?(?:刚才|刚刚|上次)?(?:删除|删掉|删|取消)掉?的?.{0,6}"
    rf"|(?:刚才|刚刚|上一[条个])的?(?:{POINTING}|操作|修改|改动|话)?(?:不要|不算|取消|作废|撤销|撤回|算了|错了)(?:掉)?{_END}",
    re.IGNORECASE,
)
_DROP = "取消掉?|删除掉?|删掉|删了|删|去掉|移除|撤掉|清空|清除|清掉"
_DROP_FIRST = re.compile(rf"^(?:请|帮我|麻烦|给我|再|先|把)*(?:{_DROP}|不要)(?P<target>.+?){_END}")
_DROP_LAST = re.compile(rf"^(?:把|将)?(?P<target>.+?)(?:给我|帮我|都|已经|也)*(?:{_DROP}|作废)(?:掉|一下)?{_END}")
_NOT_NEEDED = re.compile(
    "^(?P<before>(?:我|先)?)(?P<negation>不用|不必|不需要|不想|不)"
    "(?P<target>(?!要紧|错|行|好|对|知道|客气|是|会|可以|能|懂|一样|算|够|同意|舒服).+?)了(?:吧|啊|哦)?$"
)
_NO_LONGER = re.compile(
    "^(?P<target>.+?)(?:不用了|不要了|不去了|不办了|不做了|不需要了|不开了|用不着了|取消了)(?:吧|啊|哦)?$"
)
_CLEAR = re.compile(rf"^(?:请|帮我|把)*(?:清空|清除|清掉)(?:我的|一下|{ALL}|的)*(?:{THINGS}|列表|清单|日历)?{_END}")

_SAID = "(?:了|啦|咯|喽)"
_ADVERBS = "(?:已经|都|也|刚刚?|全部?|就)*"
_DONE_LAST = re.compile(
    rf"^(?:我)?(?P<target>.+?){_ADVERBS}(?P<verb>{VERB})?(?:完成|完毕|完|好|掉|过|妥)(?:{_SAID}|[啊哦呢吧!。\s])+$"
    rf"|^(?P<target2>.+?)(?:已经|已)(?:完成|搞定|办妥){_END}"
)
_DONE_SHORT = re.compile(rf"^(?P<target>.+?){_ADVERBS}(?P<verb>{VERB}){_SAID}[哦啊呀!。\s]*$")
_DONE_FIRST = re.compile(
    rf"^(?:我)?{_ADVERBS}已?(?:(?:完成|搞定|做完|办完|弄完|忙完)了?(?P<target>(?!率|度|时间|情况|了).+?)"
    rf"|(?P<verb>{VERB})(?:完|好|过|掉)?了(?P<target2>[^了].*?)){_END}"
    rf"|^(?:我)?{_ADVERBS}(?P<verb2>{VERB})完(?P<target3>[^了].*?)了{_END}"
)
_MARKED = "(?:标记?|设|改|记)(?:为|成)(?:已?完成|做完了?)"
_DONE_SET = re.compile(
    rf"^(?:把|将)?(?P<target>.+?)(?:打卡|打勾|勾掉|划掉|搞定|{_MARKED}){_END}|^(?:打卡|打勾)[:\s]*(?P<target2>.+?){_END}"
)
_ONLY_DONE = re.compile(rf"^(?:已经|我)?(?:完成|做完|搞定|做好|办好|弄好|办完|弄完){_SAID}+{_END}")
_ALL_DONE = re.compile(rf"^(?:我|任务)?(?:全部|全都|都)(?:已经)?(?:完成|做完|搞定|办完|弄完){_SAID}?{_END}")
_NOT_DONE = re.compile(
    rf"^(?:重新打开|重新开启|恢复)(?P<target>.+?){_END}"
    rf"|^(?:把)?(?P<target2>.+?)(?:还没|没有?|其实没|并没有?)(?:(?P<verb>{VERB})|做|弄|搞)?(?:完成?|好)(?:呢|啊|,.*)?$"
    rf"|^(?:把)?(?P<target3>.+?)(?:重新打开|重新开启|标?记?为?未完成|恢复未完成){_END}"
)
_NO_DEED = re.compile(
    "吗$|[?]|没有?$|除了|如果|要是|的话|怎么|什么|觉得|累|饿|困|天[黑亮气冷热]|下雨|终于|我(?:下班|到家|吃|睡|起床)|知道|明白"
    "|好久|不好"
)


def undo(flat: str) -> Undo | None:
    return Undo() if _UNDO.fullmatch(flat.strip(" ,.。!")) else None


def delete(clause: Clause) -> list[Ending] | None:
    flat = clause.flat
    if _protected(flat):
        return None
    if _CLEAR.match(flat):
        return [Delete(target=named(clause.cut(0, 0)).target.model_copy(update={"every": True}))]
    if told := _not_needed(clause):
        return [_deleted(told, clause)]
    for pattern in (_DROP_FIRST, _NO_LONGER, _DROP_LAST):
        match = pattern.match(flat)
        if match and match["target"].strip():
            part = clause.cut(match.start("target"), match.end("target"))
            return [_deleted(told, clause) for told in all_named(part)]
    return None


def _not_needed(clause: Clause) -> Named | None:
    """«不用买牛奶了», «明天不去健身了»: the time may stand before the «不»."""
    first = clause.spans[0][1] if clause.spans and clause.spans[0][0] == 0 else 0
    match = _NOT_NEEDED.match(clause.flat[first:].lstrip())
    if not match:
        return None
    gap = len(clause.flat[first:]) - len(clause.flat[first:].lstrip())
    begin = first + gap + match.start("target")
    whole = clause.cut(0, first + gap + match.end("target"))
    return named(whole.without(first, begin))


def _protected(flat: str) -> bool:
    """Other people's tasks, and a to-do that is about cancelling («提醒我取消订阅»)."""
    return bool(EVERYONE.search(flat) or re.search(rf"{REMIND}我|记得|别忘|吗$|\?$", flat))


def _deleted(told: Named, clause: Clause) -> Ending:
    if told.generic and not told.target.every and told.target.start is None:
        pending = Delete(target=told.target).model_dump(mode="json")
        return Clarify(pending=pending, missing="target", question="要删除哪一个？说名字就行。")
    return Delete(target=told.target)


def complete(clause: Clause) -> list[Ending] | None:
    flat = clause.flat
    if _ALL_DONE.match(flat):
        return [Complete(target=named(clause.cut(0, 0)).target.model_copy(update={"every": True}))]
    if _ONLY_DONE.match(flat):
        return [Complete(target=named(clause.cut(0, 0)).target)]
    if _NO_DEED.search(flat) or _planned(clause) or re.search(rf"{REMIND}我", flat):
        return None
    return _matched(clause, (_DONE_SET, _DONE_FIRST, _DONE_LAST, _DONE_SHORT), lambda told: Complete(target=told))


def _planned(clause: Clause) -> bool:
    """A time ahead, or a repeat: what is said to be done then is still to do."""
    return any(
        when.kind == "recurrence" or (when.start and when.start > clause.sent_at) for when in clause.moments
    )


def reopen(clause: Clause) -> list[Ending] | None:
    if re.search(r"哪些|什么|[?]|吗$|有几", clause.flat):
        return None
    return _matched(clause, (_NOT_DONE,), lambda told: Reopen(target=told))


def _matched(
    clause: Clause, patterns: tuple[re.Pattern[str], ...], make: Callable[..., Ending]
) -> list[Ending] | None:
    for pattern in patterns:
        match = pattern.match(clause.flat)
        group = next((name for name in ("target", "target2", "target3") if match and _has(match, name)), None)
        if match and group:
            verb = next((match[name] for name in ("verb", "verb2") if _has(match, name)), None)
            part = clause.cut(match.start(group), match.end(group))
            found = [make(_verbed(told, verb)) for told in all_named(part)]
            return found or None
    return None


def _has(match: re.Match[str], name: str) -> bool:
    return name in match.re.groupindex and bool((match[name] or "").strip())


def _verbed(told: Named, verb: str | None) -> object:
    target = told.target
    if target.position is not None or not target.text:
        return target
    return target.model_copy(update={"text": with_verb(target.text, verb)})

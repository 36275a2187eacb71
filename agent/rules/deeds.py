"""Tasks that are done, and those that are open again."""

import re
from collections.abc import Callable

from agent.analysis import Complete, Reopen, Target
from agent.rules.clause import Clause
from agent.rules.targets import Named, all_named, named, with_verb
from agent.rules.words import REMIND, VERB
from planner.when.text import plain

Deed = Complete | Reopen

_END = r"(?:了|啦|咯|喽|吧|啊|哦|呢|哈|!|。|\s)*$"
_SAID = "(?:了|啦|咯|喽)"
_ADVERBS = "(?:已经|都|也|刚刚?|刚才|全部?|就|终于|总算|我)*"
_ACHIEVED = "(?:上去|过去|出去|回来|下来|到手|到|成功|成|上|走|清|光|出|来|齐)"
_DONE_LAST = re.compile(
    rf"^(?P<target3>.+?)(?:已经|都|也)?(?<![上出下进回拿过])去(?:过)?{_SAID}{_END}"
    rf"|^(?:我)?(?P<target>.+?){_ADVERBS}(?:(?P<verb>{VERB}|干|上(?=完)|听(?=完))?(?:完成|完毕|完|好|掉|过|妥)|(?P<verb2>{VERB}){_ACHIEVED}|(?P<verb3>{VERB})(?:给|到|去|进|回)[^了]{{1,8}})"
    rf"(?:{_SAID}|[啊哦呢吧哈!。\s])+$"
    rf"|^(?P<target2>.+?)(?:已经|已|都|也)?(?:完成|搞定|办妥|解决|结束){_END}"
    rf"|^(?P<target4>.+?)[,:\s]*(?:done|finished|完成|ok了|√)[!。\s]*$", re.IGNORECASE
)
_DONE_SHORT = re.compile(rf"^(?P<target>.+?){_ADVERBS}(?P<verb>{VERB}){_SAID}[哦啊呀!。\s]*$")
_DONE_FIRST = re.compile(
    rf"^(?:我)?{_ADVERBS}已?(?:(?:完成|搞定|做完|办完|弄完|忙完)了?(?P<target>(?!率|度|时间|情况|了).+?)"
    rf"|(?P<verb>{VERB})(?:完|好|过|掉)?了(?P<target2>[^了].*?)){_END}"
    rf"|^(?:我)?{_ADVERBS}(?P<verb2>{VERB})完(?P<target3>[^了].*?)了{_END}"
    rf"|^(?:我)?(?:刚刚?|刚才|已经)(?P<verb3>{VERB})(?:完|好|过)(?P<target4>[^了].*?){_END}", re.IGNORECASE
)
_MARKED = "(?:标记?|设|改|记)(?:为|成)(?:已?完成|做完了?)"
_DONE_WITH = re.compile(
    rf"^(?:我|已经|刚刚?|刚才|也|都)*(?P<with>(?:给|跟|和|与|陪|替|去).+?)(?:过|完|好)(?P<what>[^了]{{0,12}}?)(?:{_SAID}|$){_END}"
)
_DONE_TAKEN = re.compile(
    rf"^(?:我(?:已经|刚刚?|刚才)?|已经|刚刚?|刚才)(?:已经|都|也)?把(?P<thing>.+?)(?:都|也|已经|给)*(?P<verb3>{VERB})(?:给|到|去|进|成|完|好|掉|上|出去)?[^了]{{0,10}}了?{_END}"
)
_DONE_ALREADY = re.compile(rf"^(?P<target>.+?)(?:已经?|均已)(?P<verb>{VERB})(?:[给到].{{1,8}})?$")
_NEARLY = re.compile(rf"(?:快|马上|差点|就|将|要)(?:要|就)?(?:{VERB})?(?:完|好|没|光)了|快要|差不多(?:要|快)|(?:快(?![递餐件乐捷速手])|就要).{{0,3}}了$")
_DONE_SET = re.compile(
    rf"^(?:请|帮我|麻烦你?)*(?:把|将)?(?P<target>.+?)(?:帮我|给我|替我)?(?:打卡|打勾|打个勾|勾掉|勾上|划掉|划去|搞定|{_MARKED}){_END}"
    rf"|^(?:打卡|打勾|勾掉)[:\s]*(?P<target2>.+?){_END}"
)
_FINISHED = "(?:完成|做完|搞定|做好|办好|弄好|办完|弄完|忙完|处理完|处理好|吃过|喝过|吃|喝|做)"
_ONLY_DONE = re.compile(
    rf"^(?:已经|我|刚刚?|都)*(?:{_FINISHED}{_SAID}+|已?完成|做过了|done|finished|打卡(?:成功)?|已打卡|√){_END}", re.IGNORECASE
)
_VERB_DONE = re.compile(rf"^(?:我|已经|刚刚?|都|也)*(?P<verb>{VERB}|关|锁)(?:好|完|过|掉|到|上)?{_SAID}{_END}")
_SAID_DONE = re.compile(f"(?:我|已经|刚刚?|都|也)*(?P<thing>[^了吗?,不没别]{{1,8}}?)(?:完|好|过|掉)?{_SAID}(?:啊|哦|哈|呀)*")
_ALL_DONE = re.compile(rf"^(?:我|任务)?(?:全部|全都|都)(?:已经)?(?:完成|做完|干完|做好|搞定|办完|弄完|忙完){_SAID}?{_END}")
_NOT_DONE = re.compile(
    rf"^(?:重新打开|重新开启|恢复)(?P<target>.+?){_END}"
    rf"|^(?:把)?(?P<target2>.+?)(?:其实|好像|应该|还|并)*(?:没有?)(?:(?P<verb>{VERB})|做|弄|搞)?(?:完成?|好)(?:呢|啊|,.*)?$"
    rf"|^(?:把)?(?P<target3>.+?)(?:重新打开|重新开启|(?:恢复|改回?|标回?|重新)?(?:成|为|到)?(?:标?记?为?|改成|改为)?未完成|恢复未完成){_END}"
)
_NO_DEED = re.compile(
    "该.{1,4}了$|吗$|[?]|没有?$|务必|赶紧|抓紧|必须|记得|取消|不用|不去|不想|(?:要|得|必须|一定|争取|尽快|计划|打算|想)完成|如果|要是|的话|怎么|什么|觉得|累|饿|困(?!难)|天[黑亮气冷热]|下雨|我(?:下班|到家|睡|起床)了|知道|明白"
    "|好久|[好真][撑饱爽香累冷热险痛疼]|不好|来不及|太好|好看|好吃|好多|很好|最好|更好|还好|正好|刚好|只好|不过|通过|经过|难过|走过|路过|^(?:好|上|到)|下班|放假|迟到|收到|看到|听到|想到|感到|遇到|碰到|早上|晚上|路上|马上|身上|过年|过节|搬到|爱上"
)
# «把快递寄了» is an order, «我把快递寄了» a report; «太难抢了» is neither.
_TO_DO = re.compile("^(?!.*(?:我|已经|已|刚刚?|刚才|都|终于|总算)把)(?:.{0,4}把).*了$|太[^了]{1,5}了$|好难|真难")
_DONE = (_DONE_TAKEN, _DONE_SET, _DONE_FIRST, _DONE_LAST, _DONE_SHORT, _DONE_ALREADY)
_GROUPS = ("thing", "target", "target2", "target3", "target4")


def complete(clause: Clause) -> list[Deed] | None:
    flat = clause.flat
    if _ALL_DONE.match(flat):
        return [Complete(target=Target(every=True))]
    if _ONLY_DONE.match(flat):
        return [Complete(target=Target())]
    if alone := _VERB_DONE.match(flat):
        return [Complete(target=Target(text=alone["verb"]))]
    bare = clause.rest.flat.strip()
    if _NO_DEED.search(bare) or _TO_DO.search(bare) or _NEARLY.search(bare) or _planned(clause) or re.search(rf"{REMIND}我", flat):
        return None
    return _done_with(clause) or _matched(clause, _DONE, lambda told: Complete(target=told))


def may_be_it(flat: str) -> bool:
    return bool(_SAID_DONE.fullmatch(flat.strip(" 。!")))


def it(flat: str, title: str) -> Complete | None:
    """«出门了», said when that has just rung."""
    match = _SAID_DONE.fullmatch(flat.strip(" 。!"))
    name = plain(title)
    if match is None or not (match["thing"] in name or name in match["thing"]):
        return None
    return Complete(target=Target())


def _done_with(clause: Clause) -> list[Deed] | None:
    """«跟李总开过会了»: the words around the «过» are the name."""
    match = _DONE_WITH.match(clause.flat)
    if not match:
        return None
    text = clause.text[match.start("with") : match.end("with")] + clause.text[match.start("what") : match.end("what")]
    told = named(clause.cut(match.start("with"), match.end("what"))).target
    return [Complete(target=told.model_copy(update={"text": text}))]


def _planned(clause: Clause) -> bool:
    """A time ahead, or a repeat: what is said to be done then is still to do."""
    return any(
        when.kind == "recurrence" or (when.start and when.start > clause.sent_at) for when in clause.moments
    )


def reopen(clause: Clause) -> list[Deed] | None:
    if re.search(r"哪些|什么|[?]|吗$|有几", clause.flat):
        return None
    return _matched(clause, (_NOT_DONE,), lambda told: Reopen(target=told))


def _matched(
    clause: Clause, patterns: tuple[re.Pattern[str], ...], make: Callable[..., Deed]
) -> list[Deed] | None:
    for pattern in patterns:
        match = pattern.match(clause.flat)
        group = next((name for name in _GROUPS if match and _has(match, name)), None)
        if match and group and match[group].endswith(("不", "没", "别")):
            return None
        if match and group:
            verb = next((match[name] for name in ("verb", "verb2", "verb3") if _has(match, name)), None)
            part = clause.cut(match.start(group), match.end(group))
            both = "都" in clause.flat[match.end(group) :] or "全" in clause.flat[match.end(group) :]
            found = [make(_verbed(told, verb, every=both)) for told in all_named(part, both=both)]
            return found or None
    return None


def _has(match: re.Match[str], name: str) -> bool:
    return name in match.re.groupindex and bool((match[name] or "").strip())


def _verbed(told: Named, verb: str | None, *, every: bool) -> object:
    """«今天的都做完了» means all of the day."""
    target = told.target
    if every and not target.text and target.position is None:
        return target.model_copy(update={"every": True})
    if target.position is not None or not target.text:
        return target
    # «报告交了交了», «心得写好交了»
    bare = re.sub(rf"(?<=..)(?:(?:{VERB})(?:完|好|掉|了)|{_SAID}|打|交|做)+$", "", target.text)
    return target.model_copy(update={"text": with_verb(bare, verb)})

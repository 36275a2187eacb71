"""Tasks that are no longer wanted, and taking the last change back."""

import re
from dataclasses import replace

from agent.analysis import Delete, Target, Undo
from agent.rules.clause import Clause
from agent.rules.targets import Named, all_named, named
from agent.rules.words import ADMITTED, ALL, EVERYONE, POINTING, REMIND, THINGS, VERB

_END = r"(?:了|啦|咯|喽|吧|啊|哦|呢|!|。|\s|✅)*$"
_UNDO = re.compile(
    rf"(?:{ADMITTED}[,\s]*)?(?:我要|帮我|请|给我)*(?:撤销|撤回|撤消|undo|恢复上一步|返回上一步|回到上一步|回退|退回|还原|恢复原[样状]|恢复(?:成|到)?原来(?:的)?(?:样子|时间|安排)?)"
    rf"(?:一下|上一[步个条次]|刚才的?|刚刚的?|操作|动作|上次的?|修改|改动|更改|{POINTING}|吧)*{_END}"
    rf"|恢复(?:一下|回来|吧)*{_END}"
    r"|恢复(?:一下)?(?:刚才|刚刚|上次)?(?:删除|删掉|删|取消)掉?的?.{0,6}"
    rf"|(?:刚才|刚刚|上一[条个])的?(?:{POINTING}|操作|修改|改动|话)?(?:不要|不算数?|取消|作废|撤销|撤回|算了|错了)(?:掉)?{_END}"
    rf"|(?:取消|删除|去掉)(?:掉|一下)?(?:刚才|刚刚|上一[步次个]|上次)的?(?:操作|修改|改动|更改|动作){_END}"
    rf"|(?:我)?(?:反悔|后悔)了?{_END}|(?:改|恢复|变)回(?:去|来|原来的?(?:样子)?|之前的?(?:样子)?){_END}",
    re.IGNORECASE,
)
_DROP = "取消掉?|删除掉?|删掉|删了|删|去掉|移除|撤掉|清空|清除|清掉|划掉(?=那|这|第)|(?:cancel|delete|remove)掉?"
_DROP_FIRST = re.compile(rf"^(?:请|帮我|麻烦你?|给我|替我|再|先|把|你|请你)*(?:{_DROP}|不要)(?:一下)?(?P<target>.+?){_END}", re.IGNORECASE)
_DROP_LAST = re.compile(rf"^(?:请|帮我|麻烦你?|给我)*(?:把|将)?(?P<target>.+?)(?:给我|帮我|都|已经|也|就|先|被)*(?:(?:{_DROP}|作废)(?:掉|一下|一次)?{_END}|(?:黄|泡汤|作罢|告吹|吹|免)了{_END}|(?<=[会约局饭课聚])(?:帮我|给我|都|也)*[推辞](?:了|掉){_END}|(?<=[课班会练动赛])(?:都|也|全)?停了{_END})|^(?:请|帮我)*(?:把|将)(?P<target3>.+?)(?:(?:[那这]个|的?提醒|的?闹钟)(?:给|都|也|先)*(?:关|撤)|(?:[那这]个|的?提醒|的?闹钟)?(?:给|都|也|先)*(?<!把车)停)(?:了|掉|一下)+{_END}|^(?P<target2>[^把]+?(?:课|班|票|团|酒店|房|预约|会员))(?:也|都|给)?退(?:掉|订)?了{_END}")
_NOT_NEEDED = re.compile(
    "^(?P<before>(?:我|先|以后|今后|往后)?)(?P<negation>不用|不必|不需要|不想|不|别(?=再?(?:提醒|叫|喊)我))"
    "(?P<target>(?!要紧|.*(?:有事|没空|[去来]不了)|错|行|好|对|知道|客气|是|会|可以|能|懂|一样|算|够|同意|舒服).+?)(?:了|(?<=[开上].[会课])|(?<=[开上][会课]))(?:吧|啊|哦)?$"
)
_NOT_RUNG = re.compile(f"(?:不用|不必|不需要|别)(?:再)?{REMIND}我(?=.)")  # «明天不用叫我起床了»: that one turn
_NAMED = re.compile(rf"(?:就|都|先|也)*(?:不用|不必|不需要|别)(?:再)?{REMIND}我(?P<target>.+?)(?:了|吧|啊|哦)*$")
_FROM_NOW_ON = ("以后", "今后", "往后")
_NO_LONGER = re.compile(
    rf"^(?P<target>.+?)(?:请个?假)?(?:就|也|都)?(?:不(?:{VERB}|用|要|去|办|做|需要|开|看|吃|学|搞|弄|约|参加|跑|打|买|聚|练|想去|见|考虑|上|录|拍|交|订|租|考|面|写|管|补|送|接|寄|拿|取|谈|聊|修|练|搬|洗|试|签|读|背|拜访)了|不(?:用|需要|想|必)(?:再)?(?:去|来|管|{VERB})了|(?<=..)(?<![睁打走离分拉推想解赶追跟考爬比合配谈出进回过下起挤抬])不(?:开|去|上|办|约|聚|参加)$|用不着了|算了|拉倒|先?不管了|先放一?放|先放着|取消了(?:[,\s]*不?用?(?:去|来|管)了)?)(?:吧|啊|哦|哈|呢)?$"
)
_UNABLE = re.compile(
    r"^(?P<target>.+?)(?:我们?|真的?|可能|估计|恐怕|应该|怕是|是)*(?:去|来|参加|赶|开|上|吃|见)不(?:了|成)(?:了|啦|吧|啊)*$"
    r"|^(?:.*(?:有事|没空|来不及|加班|出差|值班)[,\s]*)?(?:我们?|可能|估计|恐怕|应该|是)*(?:去|来|参加|赶|开|上|吃|见)不(?:了|成)(?P<target2>[^了].*?)(?:了|啦|吧|啊)*$"
)
_NEVER = re.compile(rf"(?:算了|唉|哎)?[,\s]*(?:{POINTING})?(?:都|就|也)?(?:不要|不用|不需要|取消|删)(?:掉)?了?(?:吧|啊|哦)?|(?:算了|唉|哎)[,\s]*(?:就|也)?不(?:{VERB}|去|来|干|想去|参加)了(?:吧|啊|哦)?|停了吧|停掉吧?|停止吧?")
_CLEAR = re.compile(rf"^(?:请|帮我|把)*(?:清空|清除|清掉)(?:我的|一下|{ALL}|的)*(?:{THINGS}|列表|清单|日历)?{_END}")


def undo(flat: str) -> Undo | None:
    return Undo() if _UNDO.fullmatch(flat.strip(" ,.。!")) else None


def delete(clause: Clause) -> list[Delete] | None:
    flat = clause.flat
    if clause.moments and _NOT_RUNG.search(flat) and (told := _not_rung(clause) or _not_needed(clause)):
        return [_deleted(told)]
    if _protected(flat):
        return None
    if _NEVER.fullmatch(flat.strip(" 。!")):
        return [Delete(target=Target(every="都" in flat))]
    if _CLEAR.match(flat):
        return [Delete(target=Target(every=True))]
    if told := _not_needed(clause):
        return [_deleted(told)]
    for pattern in (_DROP_FIRST, _NO_LONGER, _UNABLE, _DROP_LAST):
        match = pattern.match(flat)
        group = next((name for name in match.groupdict() if match[name]), "") if match else ""
        if match and group and match[group].strip() and not match[group].endswith(("不", "别", "没")):
            part = clause.cut(match.start(group), match.end(group))
            behind, all_told = flat[match.end(group) :], all_named(part, both="都" in flat)
            if re.search("都|全", behind):
                all_told = [_of_the_day(told) for told in all_told]
            if once := re.search("一次|停", behind):  # «周会取消一次», «把跑步停了»
                which = {"series": once[0] == "停"}
                all_told = [replace(told, target=told.target.model_copy(update=which)) for told in all_told]
            return [_deleted(told) for told in all_told]
    return None


def _behind_time(clause: Clause) -> int:
    """Where a time that stands in front ends, else 0."""
    return clause.spans[0][1] if clause.spans and clause.spans[0][0] == 0 else 0


def _not_rung(clause: Clause) -> Named | None:
    """«明天就别提醒我吃药了», «周末不用叫我起床»."""
    first = _behind_time(clause)
    match = _NAMED.match(clause.flat, first)
    return named(clause.without(first, match.start("target")).cut(0, first + len(match["target"]))) if match and first else None


def _of_the_day(told: Named) -> Named:
    """«后天的都不要了»."""
    target = told.target
    named_alone = not target.text and target.start is not None
    return Named(target.model_copy(update={"every": True})) if named_alone else told


def _not_needed(clause: Clause) -> Named | None:
    """«不用买牛奶了», «明天不去健身了»: the time may stand before the «不»."""
    first = _behind_time(clause)
    match = _NOT_NEEDED.match(clause.flat[first:].lstrip())
    if not match or re.fullmatch(f"再?{REMIND}我们?", match["target"]):
        return None
    gap = len(clause.flat[first:]) - len(clause.flat[first:].lstrip())
    begin = first + gap + match.start("target")
    whole = clause.cut(0, first + gap + match.end("target"))
    told = named(whole.without(first, begin))
    bare = told.target.text in ("去", "来", "做", "弄", "参加", "管")  # «周六不去了»
    text = "" if bare else re.sub(f"^(?:再)?{REMIND}我", "", told.target.text)
    target = told.target.model_copy(update={"text": text})
    return Named(target.model_copy(update={"series": True} if match["before"] in _FROM_NOW_ON else {}), told.generic)


def _protected(flat: str) -> bool:
    """Other people's tasks, and a to-do that is about cancelling («提醒我取消订阅»)."""
    return bool(EVERYONE.search(flat) or re.search(rf"{REMIND}我|记得|别忘|吗$|\?$", flat))


def _deleted(told: Named) -> Delete:
    """«删除任务» names none, and which one is asked."""
    nothing = told.generic and not told.target.every and told.target.start is None
    return Delete(target=told.target.model_copy(update={"unnamed": True}) if nothing else told.target)

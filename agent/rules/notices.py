"""A notice that the follower forwards: «时间：… 地点：… 主题：…», «【通知】…请准时参加»."""

import re
from collections.abc import Iterator
from dataclasses import replace

from agent.analysis import Create
from agent.rules import creates, titles
from agent.rules.clause import Clause
from planner.when import When

_WHEN = "(?:会议|活动|考试|上课|培训|集合|出发|开始|举办|召开|面试|截止|预约|就诊)?(?:时间|日期)"
_WHAT = "(?:会议|活动|培训|考试|讲座|课程)?(?:主题|名称|内容|议题|事项|事由|标题|科目)"
_WHERE = "(?:会议|活动|集合|考试|面试|上课)?(?:地点|地址|位置|会议室|会议号|会议ID|会议链接|链接|密码|参会人员?|参加人员?|联系人|联系电话|电话|备注|要求|讲师|主讲人?|主持人?|对象|车次|座位|就诊科室|医生|费用|着装)"
_LINE = re.compile(rf"^[\s●◆■▶*#-]*(?P<label>{_WHEN}|{_WHAT}|{_WHERE})\s*[:：]\s*(?P<value>.+)$", re.MULTILINE | re.IGNORECASE)
_IS_WHEN, _IS_WHAT = re.compile(f"^{_WHEN}$"), re.compile(f"^{_WHAT}$")
_HEAD = re.compile(r"^\s*[\[【「](?P<kind>[^\]】」]{1,16})[\]】」]\s*")
_GENERIC = re.compile("(?:温馨|重要|紧急)?(?:通知|提醒|提示|公告|会议通知|活动通知|通告|预告|邀请函?)+")
_FORMAL = re.compile("请.{0,6}(?:准时|按时|届时|务必)|敬请|特此通知|各位|尊敬的|您好|您的|您预[订约]|全体|请相关|请于|通知[:：\n]|的通知|兹定于|定于")
_CLOSING = re.compile("^(?:请|敬请|望|务必)?.{0,8}(?:准时|按时|届时)?(?:参加|出席|到场|到会|参会|签到|知悉|周知|领取|悉知)[。!！]?$|^(?:谢谢|收到请回复|特此通知)")
_ADDRESS = re.compile("^(?:各位|尊敬的|亲爱的|全体).{0,12}(?:[:：,]|$)|^(?:大家|你|您)好[!！,]?$")


def notice(whole: Clause) -> list[Create] | None:
    """One task, all that the notice says beside its time and title in the notes. None where it is no notice."""
    lines = list(_LINE.finditer(whole.flat))
    timed = next((line for line in lines if _IS_WHEN.match(line["label"])), None)
    if timed is not None:
        return _by_lines(whole, lines, timed)
    head = _HEAD.match(whole.flat)
    if not (head or _FORMAL.search(whole.flat)) or len(whole.moments) == 0:
        return None
    return _running(whole.cut(head.end(), len(whole.text)) if head else whole, head["kind"] if head else "")


def _by_lines(whole: Clause, lines: list[re.Match[str]], timed: re.Match[str]) -> list[Create] | None:
    when = _main(whole.cut(timed.start("value"), timed.end("value")))
    if when is None:
        return None
    what = next((line for line in lines if _IS_WHAT.match(line["label"])), None)
    first = whole.flat[: lines[0].start()].strip()
    name = whole.text[what.start("value") : what.end("value")] if what else _heading(first) or "日程"
    kept = [line for line in lines if line not in (timed, what)]
    notes = [whole.text[line.start() : line.end()].strip() for line in kept]
    return [Create(title=titles.trimmed(name) or name[: titles.LONGEST], notes="；".join(notes), **creates.timed(when))]


def _heading(text: str) -> str:
    """«关于召开季度总结会的通知» is «季度总结会»."""
    line = next((line for line in text.splitlines() if line.strip() and not _ADDRESS.match(line.strip())), "")
    bare = re.sub(r"^(?:关于)?(?:召开|举办|举行|开展|组织)?|的?(?:通知|公告|提醒|邀请函?)$", "", _HEAD.sub("", line).strip(" :,。!"))
    return bare or _HEAD.sub("", line).strip(" :,。!")


def _main(part: Clause) -> When | None:
    whens = [when for when in part.moments if when.kind != "recurrence"]
    return next((when for when in whens if when.has_clock), next(iter(whens), None))


def _running(text: Clause, kind: str) -> list[Create] | None:
    """A notice in sentences: the clause with the time is the task."""
    parts = [part for part in _sentences(text) if part.text]
    timed = next((part for part in parts if part.moments), None)
    when = _main(timed) if timed else None
    if timed is None or when is None or when.start is None or (when.end or when.start) <= text.sent_at:
        return None
    name = _name(timed) or _heading(parts[0].flat)
    if not name:
        return None
    others = [part.text for part in parts if part is not timed and not _CLOSING.match(part.flat) and not _ADDRESS.match(part.flat)]
    source = f"【{kind}】" if kind and not _GENERIC.fullmatch(kind) else ""
    notes = "；".join(text for text in [source + "，".join(others)] if text and text not in name)
    return [Create(title=name, notes=notes[:2000], **creates.timed(when, timed.length))]


def _sentences(text: Clause) -> Iterator[Clause]:
    place = 0
    for match in re.finditer(r"[,，。;；!！\n]+", text.flat):
        if not any(told.start < match.end() and match.start() < told.end for told in text.times):
            yield text.cut(place, match.start())
            place = match.end()
    yield text.cut(place, len(text.text))


def _name(part: Clause) -> str:
    whole = replace(part, times=tuple(told for told in part.times if isinstance(told.when, When)))
    name = titles.title(whole)
    name = re.sub("^(?:兹?定于?|开?您(?:已购|已成功)?(?:预[订约])?的?|请(?:您|各位|全体.{0,4}?)?(?:于|在)?|将于?|我[司们校部]将?)|(?:请|,)?(?:准时|按时)(?:参加|出席|到场)$|(?:已确认|已?预约成功|已成功)$", "", name)
    return titles.trimmed(re.sub(r"\(\s*\)", "", name))

"""Cuts a message into clauses, each with the time expressions and leads that stand in it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import TypeVar
from zoneinfo import ZoneInfo

from django.utils.functional import cached_property

from agent.rules import names, openings, slips
from agent.rules.words import ERRAND, TODO, VERB
from planner.when import Found, Lead, Refused, When, find, leads
from planner.when.text import plain

_PICTURES = re.compile("[\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]+")
_FACES = re.compile(r"\[[\u4e00-\u9fff]{1,4}\]")
_MARKUP = re.compile(r"^\s*(?:</|<\w+>|\{.*\}\s*$).*$", re.MULTILINE)
_BULLET = re.compile(
    r"(?:^|(?<=[\s:：,，;；。]))(?:\d{1,2}\s?[.、)）](?!\d)|[(（]\d{1,2}[)）]|[①-⑳]|[•·*▪◦]|-(?!\s*\d{1,2}[:点])|[一二三四五六七八九十]、(?=[^一二三四五六七八九十]))\s*(?=\S)"
)
_NUMBERED = re.compile(r"(?:^|(?<=[\s:：,，;；。]))([1-9])\s?[.、)）](?=\s?\S)")
_TICKED = re.compile(r"^\s*(?:[✅✔☑√]\ufe0f?|\[[xX√]\])\s*")
_CORRECTED = re.compile(
    r"[,\s]*(?:(?:啊|哦|呃|额|噢)?[,\s]*(?:不对|说错了?|搞错了?|错了)|(?:啊|哦|呃|额|噢)[,\s]*不是?|不是(?=[,\s是]))[,\s]*(?:应该)?是?[,\s]*"
)
_PARTICLES = re.compile(r"(?:(?<=[^,\s说道])[,\s]*(?:多?谢谢?[你您啦了]*|拜托了?|辛苦了|麻烦了)|(?<=[^哈\s,花借])[哈哟噢喔呗哒]+|(?<=[了吧的掉])[啊哦呀嘛呢]+)[~!。.]*$")
_PONDERED = re.compile(r"[吧啊,\s]*(?:几点|哪天|几号|周几|什么时候)(?:来着|的)?[,\s]*(?:哦|噢|啊|嗯|对了?|是)*[,\s]*")
_RATHER = re.compile(r"[,\s]*(?:而)?不是")
_SETTING_OUT = "".join(f"(?<!{words})" for words in ("回家", "下班", "出门", "路上", "时候", "后", "前", "时", "到家", "起床"))
_NEXT_DAY = "(?:[今明后]天(?!的)|[下这本]周(?![的次])|下个?月(?!的)|(?:周|星期|礼拜)[一二三四五六日](?!的))"
_BREAKS = (
    r"(?<!备注)(?<!备注一下)[,。;!\n]+",
    r"\s*(?:然后|还有(?!什么|啥|哪|多少|几|没|吗|事|安排|任务|会|别的|其他|其它|空|时间|课|约)|另外|接着|此外|以及)(?:再|还)?",
    r"再(?=加一?[个条]|帮我|把)",
    r"(?<=[^,\s])(?=到时候?(?:再|记得|别忘|提醒|叫))",
    r"(?<=[天点时])(?=时间(?:还是|不变|照旧))",
    # «周末有雨把爬山改到下周»: the order begins with its thing
    r"(?<=[^,\s我帮请给先就要得想再也都能便带])(?=把[^,。把]{1,12}(?:改到|改成|挪到|换到|推迟|推到|取消|删掉))",
    r"(?<=安排事)(?=我)",
    rf"(?<=\S){_SETTING_OUT}\s*(?=记得(?!住)|(?:千万)?别忘)",
    r"(?<=\S)\s*(?=顺便|顺带)",
    r"\s*[哦啊噢诶]对了[,\s]*",
    # «饭做好了明天买菜», «作业交了练琴也练了», «改完了吧发给我», «…吗明天…», «不去了帮我…»: one thing is over, another begins
    rf"(?<=了)(?<![约定订说到为除买改换选排有加记设忘]了)(?<![约说定讲量]好了)(?={_NEXT_DAY}.{{2}})",
    r"(?<=了)(?=[^,。了\s]{1,8}(?:也|都)[^,。了]{1,3}了)",
    r"(?<=了吧)(?=[^\s,。!~]{3})",
    r"(?<=吗)(?=[今明后下这本周星礼晚早上中])",
    r"(?<=了)(?=不用(?!了)|不要(?!了)|别(?![的人处样])|帮我|麻烦|改[成到天])",
    # «取消吧我要出差»: the reason is nothing to do
    r"(?:(?<=取消吧)|(?<=删了吧)|(?<=取消了)|(?<=不要了))(?:我|因为|他|她)[^,。;!\n]{0,12}(?=$|[,。;!\n])",
    r"(?<=[^\sA-Za-z])\s{2,}",
    r"\s+(?=地点|地址|备注|会议号)",
    r"(?<=[事务办排划程单做买的项件])\s*:\s*",
    r":\s*\n",
)
_BREAK = re.compile("|".join(_BREAKS))
_ASKED_KINDLY = re.compile(
    "^(?:(?:请问)?(?:你|您)?(?:能不能|可不可以|可否|能否|能|可以)(?=请|麻烦|帮|给我|替我|把|提醒|记|取消|删|设|改|加|安排))?"
    r"(?P<rest>.*?)[,\s]*(?P<tail>(?:可以|行|好|成|能)(?:吗|么|不|嘛)[?\s]*|(?:好不好|行不行|可不可以)[?\s]*|[吗么][?\s]*)?$",
    re.DOTALL,
)
_RING_OF_IT = re.compile("(?<!提)(?:前|头)[一两二三]?[天晚](?=.{0,12}(?:提醒|叫|喊))|当[天晚](?=.{0,8}(?:提醒|叫|喊))|提前[^,。]{1,6}?(?:再|都|也|就)?(?:提醒|通知|[叫喊])我")
_TIED = re.compile("(?:顺便|顺带|再就是|还有就是|对了|哦对了?|另外)[,\\s]*(?:再|也|还)?(?=取消|删|把|将|提醒|改|记|加|查|看[看一下]|推迟|帮|给我)")
_KIND_TAIL = re.compile("可以|行|好|成|能|可不")
_SAID_FIRST = re.compile(r"(?:我\s*)?(?:提醒|叫|喊|通知|告诉)(?:我|一下)*")

_PHRASE = re.compile("的?[早中晚夜白]班的?|(?:我们?|要|得|还|也|会|需要|约好?)*(?:和|跟|与|同|给|陪|在|约了?|请)(?P<whom>[^,。]{1,12}?)(?:约了?|约好了?)?|(?:早起|早点|一起|抽空|先|还是|就|再|必须|务必|一定|准时|要|得|我)+")
_OF_IT = re.compile(f"(?:我们?|要|得|去|来|帮|提醒|叫|记得|别忘了?|就|再|先)*(?:{ERRAND})(?:一下|好)?")  # «做下周计划»
_DONE_BY_ITSELF = re.compile(f".{{0,6}}(?:去|到|飞|回|来)(?!.*(?:{ERRAND})$).{{2,}}")  # «要去趟南京»
_THING = re.compile("[^我你,。了吧]{2,12}$")
_TAKEN_UP = re.compile(f"(?:千万|一定)?(?:记得|别忘了?)(?:要|得)?(?:{VERB})(?:掉|完|好|了|一下)?[吧啊哦]?")
_LEFT_TO_US = re.compile("你?[帮给替]我(?:盯|看|记|留意)着点?儿?")
_AT_PLACE = re.compile("在[^,。\\d一二三四五六七八九十]{2,12}")
_BEGUN = re.compile("(?:就|要|才|准时|开始)*(?:开始|开场|开席|开餐|入席|开讲|开考|开赛|开|集合|出发|到场|入场|起飞|发车|登机|见面?|碰头)?(?:在[^,。]{2,12})?[\\s。了吧啊哦!]*")

_Placed = TypeVar("_Placed", Found, Lead)


@dataclass(frozen=True)
class Clause:
    """`flat` is `text` half-width and simplified, of the same length. Places are offsets into both."""

    text: str
    flat: str
    times: tuple[Found, ...]
    leads: tuple[Lead, ...]
    sent_at: datetime

    def cut(self, start: int, end: int) -> "Clause":
        """The part from `start` to `end`, trimmed, with what stands wholly in it."""
        start += len(self.text[start:end]) - len(self.text[start:end].lstrip())
        end = start + len(self.text[start:end].rstrip())
        return Clause(
            self.text[start:end],
            self.flat[start:end],
            tuple([_moved(told, start) for told in self.times if start <= told.start and told.end <= end]),
            tuple([_moved(told, start) for told in self.leads if start <= told.start and told.end <= end]),
            self.sent_at,
        )

    def without(self, start: int, end: int) -> "Clause":
        """The rest, when a part is taken out of the middle."""
        return replace(
            self,
            text=self.text[:start] + self.text[end:],
            flat=self.flat[:start] + self.flat[end:],
            times=tuple(_closed(told, start, end) for told in self.times if told.end <= start or told.start >= end),
            leads=tuple(_closed(told, start, end) for told in self.leads if told.end <= start or told.start >= end),
        )

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where times and leads stand; several days of one list share a place."""
        return sorted({(told.start, told.end) for told in self.times} | {(told.start, told.end) for told in self.leads})

    @cached_property
    def rest(self) -> "Clause":
        """Without any time or lead."""
        text, flat, place = "", "", 0
        for start, end in [*self.spans, (len(self.text), 0)]:
            text, flat, place = text + self.text[place:start], flat + self.flat[place:start], end
        return Clause(text, flat, (), (), self.sent_at)

    @cached_property
    def moments(self) -> list[When]:
        """The times that are points in the calendar, not lengths."""
        return [told.when for told in self.times if isinstance(told.when, When) and told.when.kind != "duration"]

    @property
    def refused(self) -> Refused | None:
        return next((told.when for told in self.times if isinstance(told.when, Refused)), None)

    @property
    def length(self) -> When | None:
        lengths = (told.when for told in self.times if isinstance(told.when, When))
        return next((when for when in lengths if when.kind == "duration"), None)


def _moved(told: _Placed, by: int) -> _Placed:
    return replace(told, start=told.start - by, end=told.end - by) if by else told


def _closed(told: _Placed, start: int, end: int) -> _Placed:
    return _moved(told, end - start) if told.start >= end else told


@lru_cache(maxsize=8)  # a short one is looked at for what it goes on with before it is analysed
def message(text: str, sent_at: datetime, zone: ZoneInfo) -> Clause:
    """A whole message, without pictures and markup."""
    clean = slips.mended(_cleaned(text))
    found, flat = find(clean, sent_at, zone), plain(clean)
    named = names.places(flat)
    found_leads = tuple(lead for lead in leads(clean) if not any(_day_of_it(told, lead) for told in found))
    times = tuple(
        told for told in found if not _in_lead(told, found_leads) and not names.holds(named, told.start, told.end)
    )
    return Clause(clean, flat, times, found_leads, sent_at)


def _day_of_it(told: Found, lead: Lead) -> bool:
    """«圣诞节前一天» is a day."""
    return told.start < lead.start and lead.end <= told.end


def _cleaned(text: str) -> str:
    """Every point of a list begins a line of its own; a ticked one is said to be done."""
    ticked = "\n".join(_TICKED.sub("已完成", line) for line in text.splitlines()) if _TICKED.match(text) else text
    bare = _MARKUP.sub("", _FACES.sub("", _PICTURES.sub(" ", ticked)))
    if len(set(_NUMBERED.findall(bare)) & {"1", "2"}) == 2:
        bare = _NUMBERED.sub("\n", bare)
    return _BULLET.sub("\n", bare).strip()


def _in_lead(told: Found, found: tuple[Lead, ...]) -> bool:
    return any(lead.start < told.end and told.start < lead.end for lead in found)


def corrected(clause: Clause) -> Clause:
    """Without the time that the follower took back: «九点，啊不对，十点», «四点，不是三点»."""
    for first, second in zip(clause.times, clause.times[1:], strict=False):
        if first.end < second.start and _CORRECTED.fullmatch(clause.flat, first.end, second.start):
            return corrected(clause.without(first.start, second.start))
        if first.end < second.start and _PONDERED.fullmatch(clause.flat, first.end, second.start):
            return corrected(clause.without(first.end, second.start))
        if first.end < second.start and _RATHER.fullmatch(clause.flat, first.end, second.start):
            return corrected(clause.without(first.end, second.end))
    return clause


def unasked(clause: Clause) -> Clause:
    """«能不能帮我把聚餐取消掉吗»: an order, put as a question."""
    match = _ASKED_KINDLY.match(clause.flat)
    if not match or not (match.start("rest") or (match["tail"] and _KIND_TAIL.match(match["tail"]))):
        return clause
    return clause.cut(match.start("rest"), match.end("rest"))


def clauses(whole: Clause) -> Iterator[Clause]:
    """Breaks at punctuation and joining words that stand in no time expression."""
    place = 0
    for match in _BREAK.finditer(whole.flat):
        if any(told.start < match.end() and match.start() < told.end for told in whole.times):
            continue
        if not match[0] and match.start() > place and _is_topic(whole, place, match.start()):
            continue
        yield from _with_ring(_fronted(unasked(_headless(whole.cut(place, match.start())))))
        place = match.end()
    yield from _with_ring(_fronted(unasked(_headless(whole.cut(place, len(whole.text))))))


def _is_topic(whole: Clause, start: int, end: int) -> bool:
    """«冰箱里的鱼别忘了明天吃掉»: nothing is said of it yet."""
    before, after = whole.cut(start, end), whole.cut(end, len(whole.text))
    if before.spans or not after.times or not _TAKEN_UP.fullmatch(after.rest.flat):
        return False
    return bool(_THING.match(before.flat)) and not TODO.search(before.flat)


def _with_ring(clause: Clause) -> Iterator[Clause]:
    """«周五体检前一天晚上提醒我»: the day of the ring is that of the thing."""
    match = _RING_OF_IT.search(clause.flat, 3)
    if match and clause.cut(0, match.start()).moments and clause.cut(0, match.start()).rest.flat.strip(" 的"):
        yield clause.cut(0, match.start())
        clause = clause.cut(match.start(), len(clause.text))
    yield clause


def _fronted(clause: Clause) -> Clause:
    """«不用叫我了明天»: the time that was said last stands first."""
    last = clause.times[-1] if clause.times else None
    if last is None or last.end < len(clause.flat.rstrip(" 。!吧啊哦")) or not clause.flat[: last.start].endswith(("了", "吧")):
        return clause
    rest, told = clause.cut(0, last.start), clause.cut(last.start, last.end)
    if rest.times:
        return clause
    size = len(told.text)
    leads = tuple(_moved(lead, -size) for lead in rest.leads)
    return replace(told, text=told.text + rest.text, flat=told.flat + rest.flat, leads=leads)


def _headless(clause: Clause) -> Clause:
    """Without what leads up to the point, and the word that ties an order to the one before."""
    if particles := _PARTICLES.search(clause.flat):
        clause = clause.cut(0, particles.start())
    if place := openings.behind(clause.flat):
        clause = clause.cut(place, len(clause.text))
    head = _TIED.match(clause.flat)
    return clause.cut(head.end(), len(clause.text)) if head else clause


def segments(clause: Clause) -> Iterator[Clause]:
    """«两点开会四点去机场»: a second time after other words begins a second thing."""
    place, before = 0, None
    for told in clause.times:
        between = clause.flat[before.end : told.start].strip(" 吧啊呢就那") if before else ""
        if before and not same_thing(clause, before, told) and _begins(clause, told, between):
            yield clause.cut(place, told.start)
            place = told.start
        before = told
    yield clause.cut(place, len(clause.text))


def same_thing(clause: Clause, day: Found, clock: Found) -> bool:
    """«明天跟李总三点开会», «明天部门例会三点开始»: the clock of the day that was named, with words between."""
    if not isinstance(day.when, When) or not isinstance(clock.when, When):
        return False
    if day.when.has_clock or day.when.rrule or clock.when.has_day or not (clock.when.has_clock or clock.when.point):
        return False
    between = clause.flat[day.end : clock.start]
    if re.fullmatch(r"[\s:,吧啊呢就那]*", between):
        return not day.when.point
    if day.when.point and _LEFT_TO_US.fullmatch(between) and day.when.end and clock.when.start:
        return clock.when.start <= day.when.end
    if _within_part(day.when, clock.when) and _BEGUN.fullmatch(clause.flat[clock.end :]):
        return True
    if day.when.point:  # «后天下午的火车三点到站»
        return between.startswith("的") and not TODO.search(between)
    if between.startswith(("那天", "当天", "有")) and _AT_PLACE.fullmatch(clause.flat[clock.end :]):
        return True
    phrase = _PHRASE.fullmatch(between.strip(" ,"))
    return bool(_BEGUN.fullmatch(clause.flat[clock.end :]) or (phrase and not TODO.search(phrase["whom"] or "")))


def _within_part(part: When, clock: When) -> bool:
    """«明天中午跟老同学约在海底捞十二点半»: the clock lies in the part of the day that was named."""
    return bool(part.point and part.start and part.end and clock.start and part.start <= clock.start <= part.end)


def _begins(clause: Clause, told: Found, between: str) -> bool:
    if not isinstance(told.when, When) or told.when.kind == "duration":
        return False
    after = clause.flat[told.end :].strip()
    if re.search("(?:或者?|还是)$", between) or (_OF_IT.fullmatch(between) and not told.when.has_clock):
        return False
    of_it = after.startswith(("的", "之")) and not (told.when.has_clock and _DONE_BY_ITSELF.fullmatch(between))
    is_name = between.endswith(("把", "的", "给", "在", "到", "从")) or of_it
    return len(between) >= 2 and bool(after) and not is_name and not _SAID_FIRST.fullmatch(between)

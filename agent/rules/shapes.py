"""What a clause is by its shape alone: a filler, a heading, a time by itself, a to-do said as a reminder."""

import re

from agent.rules import creates, fitting, titles
from agent.rules.clause import Clause
from agent.rules.words import ADMITTED, REMIND, THINGS
from planner.when import When

_FILLER = re.compile(
    r"(?:@\S{1,12}|小?助手|小秘书|嗯|哦|噢|好|好的|对|对了|那个|就是|请|麻烦了?|mark一下|谢谢|多谢|拜托了?|辛苦了|你好|您好|hi|hello|在吗|那|然后呢"
    r"|帮我(?:记(?:一?[下上]来?|着|好|住)?|安排一?下?)|(?:帮我)?(?:记|加|安排|设|定)[两三四五几二]?(?:个|件|条|项)(?:事情?|任务|待办|提醒|日程|安排|闹钟)?|记一?下|别忘了|记得|提醒我?(?:一下)?|就这些|没了|以上|就这样|千万别忘了?|谢谢啦|啊|吧|呢|[\s?.~])*"
    rf"|{ADMITTED}(?:了|啊|哈)?",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"(?:我|的|要|需要|得|有|还|(?:做|办)的?|(?:买|去)的|如下|一共|[0-9一二两三四五六七八九十几]+[件个项条]|(?:{THINGS})|清单|列表|计划)*")
_KEPT_FREE = re.compile("(?:那天|有事|都|就|先)*(?:别|不要|不用|不)(?:再)?(?:给我|帮我)?(?:安排|排|约)(?:别的|其他|任何)?(?:事情?|活动?|人|东西|会议?|课)?(?:了|吧)?")
_LIST_HEADING = re.compile(rf"(?:我的?|要[做办买]的?|需要|(?:{THINGS})|清单|列表|如下|todo|to-?do list|[0-9一二两三四五六七八九十几]+[件个项条])+", re.IGNORECASE)
_AROUND_TIME = re.compile(r"(?:[\s,:的吧就是在开始起为止?嗯啊]|那就?|那[场趟班次]|时间(?=还|仍|是|定|就|$)|还是|仍然?是|都是?|定在?|约在?|结束|截止)*")
_WEATHER = re.compile(r"(?:好像|可能|预报|会|要|有|说|据说|都|两天)*(?:下?[雨雪]|降温|刮风|台风|大[雨风雪]|暴雨|高温|变天)(?:了|呢|哦)?")


_UNCHANGED = re.compile("(?:时间|地点|其他|其它|其余|别的|的)*(?:还是|都|还)?(?:不变|照旧|不动|不改|一样)(?:的|吧|了)?")


def filler(flat: str) -> bool:
    return bool(_FILLER.fullmatch(flat))


def list_heading(flat: str) -> bool:
    """«待办：» and nothing else."""
    return bool(_LIST_HEADING.fullmatch(flat.strip(" :")))


def only_time(part: Clause) -> bool:
    words = fitting.FROM.sub("", fitting.UNTIL.sub("", part.rest.flat.strip()))
    bare = bool(part.times) and part.length is None and not part.leads and not creates.feast(part.moments)
    return bare and _AROUND_TIME.fullmatch(words) is not None


def unchanged(part: Clause) -> bool:
    """«时间不变»: nothing to do."""
    return bool(_UNCHANGED.fullmatch(part.rest.flat.strip(" 。!")))


def heading(part: Clause) -> bool:
    """«明天要做的事：…», «今日待办：…»; «周五别给我安排事，…»."""
    if part.moments and _KEPT_FREE.fullmatch(part.rest.flat.strip(" ,。!")):
        return True
    if re.search(f"{REMIND}我", part.flat):  # «九点五十八提醒我», of what was said before
        return False
    return bool(part.moments) and not part.leads and _HEADING.fullmatch(part.rest.flat.strip(" ,:")) is not None


def weather(part: Clause) -> bool:
    """«明天要下雨，记得带伞»: the day of what follows."""
    return bool(part.moments) and _WEATHER.fullmatch(part.rest.flat.strip(" ,")) is not None


def one_day(when: When) -> bool:
    return when.kind in ("day", "instant", "deadline") or bool(when.point) or (when.kind == "span" and when.has_clock)


def ahead(when: When, part: Clause) -> bool:
    """Today or later."""
    return when.start is None or when.start.date() >= part.sent_at.astimezone(when.start.tzinfo).date()


def reminder_first(part: Clause) -> bool:
    """«提醒我取消订阅», «明天记得删掉旧文件»: a to-do, whatever it is about."""
    words = part.rest.flat.strip()
    if part.leads and not titles.title(part):
        return False  # «提前十分钟提醒我», of what was said before
    asked = re.match(rf"{REMIND}(?:一下)?我(?!有|还有)", titles.polite(words))
    return bool(asked or re.match("(?:请|帮我)*(?:记得|别忘)", words))

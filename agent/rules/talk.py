"""Small talk, thanks, help, the date and the clock: one friendly sentence, and nothing done."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from agent.rules.clause import Clause
from agent.rules.wording import talk
from agent.rules.words import POINTING, POSITION
from planner import texts
from planner.when import When

_HELLO = "你好|您好|hi|hello|嗨|哈[喽啰罗]|早上好|上午好|中午好|下午好|晚上好|早安|早|在吗|在不在|在么|有人吗|喂|在|你在吗|新年好|吃了吗|好久不见"
_WISH = "(?:周末|节日|新年|生日|中秋|国庆|五一|端午|元旦|圣诞|春节|新春)?节?(?:愉快|快乐)|恭喜发财|一路平安|祝你.{1,8}"
_THANKS = r"(?:非常|太|多|真是?)?(?:谢谢|多谢|感谢|谢了|谢|thanks?(?: a lot)?|thank you|thx|辛苦|麻烦|打扰)[你您啦了哦啊呀哈咯]*(?:的?(?:提醒|帮忙|帮助)我?)?"
_FINE = "好的?|嗯+|哦+|噢|ok|okay|行|可以|知道了?|收到|明白了?|了解|没事了?|对的?|是的?|嗯好的?|好嘞|好滴|好哒|得嘞|没问题|就这样|1"
_PRAISE = "不错|太好了?|你?(?:真|太|好)?(?:棒|赞|厉害|聪明|好用|贴心)|赞|牛|666+|真不错|干得好|爱你|哈+|嘻+|呵+|嘿+|哈哈哈+|good|nice|great|cool"
_ABILITY = "是谁|能做(?:些)?什么|会做什么|会(?:些)?什么|能干(?:什么|嘛|啥)|可以做什么|可以干嘛|有(?:什么|哪些|啥)功能|叫什么(?:名字)?|怎么用|是干什么的|是(?:不是)?(?:机器人|真人|人工|ai)(?:吗|啊|吧)?|几岁|哪来的|谁做的"
_HELP = rf"(?:使用)?帮助|帮忙|help|怎么用|如何使用|使用(?:说明|方法|教程|指南)|说明书?|功能(?:介绍|说明|列表)?|菜单|教程|指令|命令|你(?:{_ABILITY})|这?个?怎么用|怎么玩|新手(?:教程|指南)?|介绍一下(?:你自己)?|自我介绍"
_TABLE = [
    (rf"(?:{_HELLO})[呀啊哦呢吗哈~]*(?:[,\s]*(?:{_HELLO}))?", "hello"),
    (rf"(?:{_WISH})[呀啊哦哈]*", "wish"),
    (rf"(?:(?:{_FINE})[呀啊哦呢吧啦了]*[,\s]*)*{_THANKS}(?:[,\s]*{_THANKS})*", "thanks"),
    (rf"(?:(?:{_FINE})[呀啊哦呢吧啦了,\s]*)+", "fine"),
    (rf"(?:{_PRAISE})[呀啊哦呢吧啦了]*", "praise"),
    (r"(?:晚安|拜拜|再见|bye|回头见|睡了|我?先?(?:睡|忙|走|下|撤)了?|我去忙了?|明天见)[呀啊哦啦了吧]*", "bye"),
    (r"(?:好了|弄好|记好|处理好|搞定|完成|记下|设好)了?(?:吗|没|么|没有)", "hurry"),
    (r"(?:我?[想要]+|帮我|请)*(?:(?:取消|删除|删掉|删了|推迟)(?:一下)?|(?:修改|更改|改时间|改期|改)(?:一?[个条下])?(?:提醒|任务|安排|日程|待办|时间)?吧?)", "which"),
    (r"(?:请|帮我|麻烦)*(?:提醒我?|记|记录|安排|设置?|定|加|添加)(?:一?[个下条])?(?:提醒|闹钟|任务|日程|事情?|待办)?吧?", "what"),
    (rf"(?:算了|不用了?|没什么|没事|当我没说|不管了)[吧啦了]*(?:[,\s]*{_THANKS})?", "never_mind"),
    (rf"(?:{_HELP})[呀啊呢吗]*", "help"),
]
_TABLE += [
    (r"(?:不是|不对)[,\s]*(?:(?:这|那)[个条件])?[,\s]*(?:是|要|而是|应该是)?(?:另|别|其他)(?:外|的)?(?:那)?一?[个条件]?(?:的)?[了啊吧]*", "which_other"),
    (rf"(?:{POSITION.pattern.replace('(?P<nth>', '(?:').replace('(?P<bare>', '(?:')}|{POINTING})(?:呢|吧|啊)?", "what_about"),
]
_REPLIES = [(re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _TABLE]
_HOW = re.compile("(?:怎么|如何|怎样|咋|哪里|在哪儿?|能不能|可以)(?:样)?.*(?:取消|删|改|设置?|关|开|提醒|完成|重复|循环|撤销|用|添加|新建|标记|推迟|早报|免打扰|时区)")
_ABOUT = [
    (re.compile("免打扰|勿扰|打扰"), "how_quiet"),
    (re.compile("早报|晨报"), "how_digest"),
    (re.compile("时区"), "how_zone"),
    (re.compile("撤销|撤回|反悔"), "how_undo"),
    (re.compile("重复|循环|周期|每[天周月]"), "how_repeat"),
    (re.compile("提醒|闹钟"), "how_remind"),
    (re.compile("取消|删"), "how_delete"),
    (re.compile("改|推迟|延期|提前"), "how_move"),
    (re.compile("完成|标记|打勾"), "how_done"),
]
_ASKS_HOW = re.compile("^(?:请问|我想问(?:一?下)?)?(?:怎么(?!样|办|还|这么|那么|没|不)|如何|怎样|咋(?!样)|在哪儿?|哪里)|怎么(?:设置?|弄|改|用|操作|取消|删除?|关)[呢啊]?[?]*$")
_OFF_TOPIC = re.compile(
    "天气|气温|温度|下雨吗|有没有雨|[没不]下雨|(?:讲|说)个?(?:笑话|故事)|唱首?歌|放首?歌|播放|(?:多少|什么)(?:钱|价)|股[价票]|汇率|新闻|翻译一?下|写[首篇]诗|算一?下\\d"
    "|你(?:多大|几岁|是男|是女|结婚|有女朋友|有男朋友|会不会)|(?:收费|要钱|免费)吗?|导航|打车|点外卖|叫外卖"
)
_MOOD = re.compile("累死|好累|太累|累了|开心|心情|烦死|好烦|郁闷|难过|焦虑|压力|无聊|困死|好困|失眠|饿死|好饿|生病|感冒|头疼|加油|没意思|真不错|好热|好冷")
_CLOCK = re.compile(
    r"(?:请问)?(?:今天|现在|[依而宜]家|今儿|此刻|当前|几点|几号)?(?:是)?(?:几号|几月几号|星期几|周几|礼拜几|几点|几点钟|什么时间|什么日子|什么时候|日期|时间|农历几号)(?:了|啊|呀|来着)*|现在(?:的时间|时间)|今天的?日期"
)
_WHICH_DAY = re.compile(r"是?(?:(?:几月)?几号|星期几|周几|礼拜几|哪[一]?天|什么日子|什么时候)(?:来着|啊|呀|呢)*")
_ASKS = re.compile("^(?:请|你?[帮给]我|麻烦你?)*(?:看|查|算)(?:一?下|看|查)?|那天|这天|当天")
_COUNT_FIRST = re.compile(r"(?:距离?|离|到)?[,\s]*(?:还)?(?:有|剩|差)(?:几天|多少天|多久|多长时间)(?:了|啊|呀)*|(?:距离?|离|到)[,\s]*(?:还)?(?:多少天|几天|多久)")
_ENDS = " ,.。!?~、;:…"


def clock(flat: str, now: datetime, zone: ZoneInfo) -> str | None:
    """«现在几点»: the time of the message, in the follower's zone."""
    if not _CLOCK.fullmatch(flat.strip().strip(_ENDS)):
        return None
    return talk("clock", now=f"{texts.day(now, zone)} {now.astimezone(zone):%H:%M}")


def reply(flat: str) -> str | None:
    words = flat.strip().strip(_ENDS) or flat.strip()
    return next((talk(kind) for pattern, kind in _REPLIES if pattern.fullmatch(words)), None)


def wordless(text: str) -> str | None:
    """A picture, a face or a question mark: somebody is there."""
    bare = re.sub(r"\[[^\]]{1,6}\]", "", text)
    if re.search(r"\w", bare):
        return None
    return talk("hello" if "?" in text or "？" in text else "fine")


def how(flat: str) -> str | None:
    """«怎么取消提醒»: how to say it."""
    if not _ASKS_HOW.search(flat.strip(_ENDS)):
        return None
    return next((talk(kind) for pattern, kind in _ABOUT if pattern.search(flat)), None)


def calendar(clause: Clause, zone: ZoneInfo) -> str | None:
    """«离月底还有几天», «下周三是几号»."""
    when = next((when for when in clause.moments if when.kind != "recurrence"), None)
    words = _ASKS.sub("", clause.rest.flat.strip(" ?。!,的"))
    if when is None or when.start is None or len(clause.moments) != 1:
        return None
    if _COUNT_FIRST.fullmatch(words):
        days = (when.start.astimezone(zone).date() - clause.sent_at.astimezone(zone).date()).days
        return talk("countdown", words=when.words, day=_days(when, when.start, zone), days=days)
    if _WHICH_DAY.fullmatch(words) and when.kind in ("day", "span") and not when.has_clock:
        return talk("date", words=when.words, day=_days(when, when.start, zone))
    return None


def _days(when: When, start: datetime, zone: ZoneInfo) -> str:
    """A run of days by its first and last."""
    last = when.end - timedelta(seconds=1) if when.end and when.all_day else start
    first_day, last_day = texts.day(start, zone), texts.day(last, zone)
    return first_day if first_day == last_day else f"{first_day}到{last_day}"


def chatter(flat: str) -> str | None:
    """What is no plan whatever its words: moods, the weather, jokes."""
    if _OFF_TOPIC.search(flat):
        return talk("off_topic")
    return talk("mood") if _MOOD.search(flat) else None

"""Small talk, thanks and help: one friendly sentence, and nothing done."""

import re
from datetime import datetime

_HELLO = "你好|您好|好|hi|hello|嗨|哈[喽啰罗]|早上好|上午好|中午好|下午好|晚上好|早安|早|在吗|在不在|在么|有人吗|喂"
_THANKS = r"(?:谢谢|多谢|感谢|thanks?|thank you|thx|辛苦)[你您啦了哦啊呀]*"
_FINE = "好的?|嗯+|哦+|噢|ok|okay|行|可以|知道了?|收到|明白了?|了解|没事了?|对的?|是的?|不错|太好了?|真?棒|赞|厉害"
_ABILITY = "是谁|能做什么|会做什么|会什么|能干什么|能干嘛|可以做什么|有什么功能|叫什么|怎么用"
_HELP = rf"帮助|帮忙|help|怎么用|如何使用|使用说明|说明|功能|菜单|教程|你(?:{_ABILITY})|这?个?怎么用"
_TABLE = [
    (rf"(?:{_HELLO})[呀啊哦呢吗]*", "在呢，想记点什么？"),
    (rf"{_THANKS}(?:[,\s]*{_THANKS})*", "不客气，有事随时说。"),
    (rf"(?:{_FINE})[呀啊哦呢吧啦了]*(?:[,\s]*{_THANKS})?", "好的。"),
    (r"(?:晚安|拜拜|再见|bye|回头见|睡了)[呀啊哦啦了]*", "再见，到点我会提醒你。"),
    (r"(?:好了|弄好|记好|处理好|搞定|完成)了?(?:吗|没|么|没有)", "发来的都会马上处理，处理好我会回复你。"),
    (r"(?:取消|删除|删掉|完成|修改|更改|改时间|改期|推迟|提醒我?)(?:一下)?吧?", "哪一个？连名字一起说就行。"),
    (r"(?:算了|不用了|没什么)[吧啦了]*", "好的，那就先这样。"),
    (
        rf"(?:{_HELP})[呀啊呢吗]*",
        "直接说就行，例如“明天下午三点开会，提前10分钟提醒我”，也可以问“今天有什么安排”。",
    ),
]
_REPLIES = [(re.compile(pattern, re.IGNORECASE), reply) for pattern, reply in _TABLE]
_ENDS = " ,.。!?~、;:…"

ONLY_TEXT = "我只管你自己的日程，这个做不了。要记什么，直接说就行。"


_CLOCK = re.compile(r"(?:请问)?(?:今天|现在|今儿|此刻|当前)(?:是)?(?:几号|几月几号|星期几|周几|礼拜几|几点|几点钟|什么时间|什么日子|日期|时间)(?:了|啊|呀)*")


def clock(flat: str, now: datetime) -> str | None:
    """«现在几点»: the time of the message, in the follower's zone."""
    if not _CLOCK.fullmatch(flat.strip().strip(_ENDS)):
        return None
    return f"现在是{now.month}月{now.day}日 星期{'一二三四五六日'[now.weekday()]} {now:%H:%M}。"


def reply(flat: str) -> str | None:
    words = flat.strip().strip(_ENDS) or flat.strip()
    return next((answer for pattern, answer in _REPLIES if pattern.fullmatch(words)), None)

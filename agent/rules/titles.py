"""What is left of a clause as a title, once time words and the words to the account are taken out."""

import re

from agent.rules.clause import Clause
from agent.rules.words import REMIND, SAY_SO, THINGS, TODO, VERB, WHO
from planner.when.text import plain

LONGEST = 200

_FILLER = (
    r"先?你?[帮给替]我(?:盯|看|记|留意)着点?儿?|[\s,:、。;!~\-]|的(?!士)|[吧呢啊嗯呃哦额]|deadline(?:是|为)?|ddl(?:是|为)?|左右|前后|(?:各自?|分别)有一?[个场次]|[两三四]次(?=.)|平时(?=$|[给和陪去])|(?:please|pls|remind me (?:to)?|remember to|don'?t forget to|i (?:need|have|want) to)\s*|@\S{1,12}\s|#?(?:待办|todo)\s+|小?助手|hi\s|hello\s|那就(?:定|约|说)?(?:在|到)?(?=$|[要去在和跟])|那个|就是|好的?(?=[,\s])|请(?=帮|提醒|提示|记|叫|喊|你|您|给我|把|将|务必|准时|按时|于|在|安排|设|加|新|添|创|取消|删|$|[,:\s])|麻烦你?|帮忙|[帮替给]我(?![妈爸弟姐妹哥爷奶姥姨舅叔伯婶嫂女儿孩婆公媳爱老闺])|拜托"
    r"|我们?(?=$|[要想得会在和跟与把去来])|我(?:打算|准备|需要|还要|还得|记得)|(?:需要|想要?|得|要|打算)(?![求点件素到])"
    rf"|[也还](?={TODO.pattern})|[都各](?=在|{REMIND}我|{TODO.pattern})|起(?=戒|连)|起来(?=[先就再把去要]|{TODO.pattern})|有(?=[^,。有没个场次]{{0,6}}(?:课|会|赛|饭局|聚会|聚餐|婚礼|考试|面试|比赛|活动|培训|讲座|演出|手术|应酬)$)"
    r"|(?:还|再|又|也|先|就|都)(?=[要得有去来帮加把给])|(?:连着|连续|一连)[两二三四五六七八\d]天|找个?(?:时间|机会)(?=[把去跟和])|抽个?(?:时间|空)(?=[把去跟和])|(?:记得|记住|别忘[了记]?)[哈啊哦呀]?|那天(?=有)|(?:要不要?|不如|干脆|索性)(?=[先就去再])|你(?=$)|due的?|(?:要是|如果)?有(?:空|时间)的话就?|[在于从](?=$)|是(?!否|不是)|(?:待|等|过|一)会儿?(?!员|议)|以后(?=$)|往后(?=$)|今后|从今往后|一定要?|千万|务必|到时候?|有一?[个场次](?!人)|报了一?个"
)
_PERSON = "[他她它]|大家|同|学生|员工|客|病人|患者|孩子|宝|爷|奶|爸|妈|老|小|姐|哥|弟|妹|阿|事|功能|[\\u4e00-\\u9fff]{1,2}(?:总|哥|姐|老师)"
_REMIND = rf"把我(?:给)?[叫喊](?:醒|起来|起床)?(?=$|[要去,])|{REMIND}(?:一下|一声)?(?:我们?|一下|一声|大家){{1,3}}|{SAY_SO}|提醒(?=[,:\s]|$)|提醒(?={TODO.pattern}|(?!{_PERSON}).{{2}})"
_ADD = (
    r"(?:新建|新增|添加|增加|加上?|加入|创建|建立?|设置?|设定|定|订|安排|记录?|记下|登记|来)"
    rf"(?:(?:了?一下|一?[个条项件]|上|住|下)(?:新的?)?(?:{THINGS})?|(?:新的?)?{THINGS})(?:[,:\s]*(?:叫做?|是|为|内容是?))?"
    r"|(?:新建|添加|记录?)[:\s]+|记(?=提|买|交|办|还|去)|mark一?下|todo[:\s]*"
)
_HEAD = re.compile(rf"^(?:{_FILLER}|{_REMIND}|{_ADD})+", re.IGNORECASE)
_FILLER_HEAD = re.compile(rf"^(?:{_FILLER})+", re.IGNORECASE)
_ORDERED = re.compile(rf"^(?:{_FILLER})*(?:{_ADD})", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:[\s,。.!~、;:]|(?<=..)的?闹钟$|的时候|(?<=.)开始(?=$)|(?:再|记得|请|到时候?|都|各|也|准时|就|来)*"
    rf"(?:{REMIND}(?:一下|一声|一次|一遍)?我(?:一下|一声|一次|一遍)?|{SAY_SO})|(?:再|请|都|各|也)*提醒(?:一下|一声|一次|一遍)?"
    r"|(?:千万)?别忘(?:了|记)?|记得|你?可?别让我(?:给)?忘(?:了|记)?|你?[帮给替]我(?:记|加|安排|写)(?:一下|上|着|下|进去)?|(?<=[^等爱想找给陪看诉谢和跟])你|(?:帮我)?记一?下|记上|[吧啊哦呀哈哟嘛呢]|(?<![说声道讲句])(?:谢谢|多谢)[你您]?[了啦哈咯]*|拜托了?|的$)+$"
)
_PRE_TAIL = re.compile(rf"(?:(?:的事儿?)?{WHO}(?:说|讲|通知|要求)(?:是|的是)?|(?<!别)我?(?:给|都|又|差点儿?)*(?:搞|弄)?(?<!别)忘了|(?:千万)?(?:别忘(?:了|记)?|记得)|你?可?别让我(?:给)?忘(?:了|记)?|[是在于等]|再?过|再等|以后|今后|往后|从此|连着|连续|一连|时间|(?<=..)(?<!预)(?:定|约|安排|排)(?:在|到|了)|(?<=..)放在|大概|大约|差不多|估计|预计|deadline|ddl|截止|\b(?:at|on|by|in|for|from|this|next)\b|[\s,:])+$", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,、和跟及与或]*(?:还有)?")
_ORDER_ALONE = re.compile(r"(?:帮我|请|麻烦|给我|我想|我要)*(?:安排|新建|新增|添加|增加|加上?|加入|创建|建立?|设置?|设定|定|记录?|登记|来|预定|预约一下)(?:了?一下|一?个|个|下)?")
_MIDDLE = re.compile(rf"(?<=[^\s让请叫]){REMIND}(?:一下)?我(?:一下)?(?=\S)|(?<=\S)(?:要|得)?(?:记得|别忘了|不要忘了?|别忘记)(?=[^了记\s])")
_TAKEN = re.compile(rf"^把(?P<thing>[^给到在成进上把去来]{{1,12}}?)(?:都|全|也|再)*(?P<verb>{VERB})(?P<how>完|好|掉|一下)?了?$")
_ONCE = re.compile(r"(?<=^[\u4e00-\u9fff])一次(?=[\u4e00-\u9fff])")
_WAITS = re.compile(rf"^有一?[个份件本]?(?P<thing>[^有没要]{{1,8}})要(?P<verb>{VERB})$")
_STUMBLE = re.compile("(?<=[跟和与给找约])那个(?=[^，,。那的])")  # «跟那个张总吃饭», as it is spoken
_DUTY = re.compile(r"^(?:得|要|必须|需要|应该|该)")
_BARE_VERB = re.compile(rf"^(?:{VERB})(?:掉|完|好|了)?$")
_ANY_VERB = ("做", "弄", "办", "搞")
_UNWANTED = re.compile(rf"^(?:{THINGS}|也[是要]|一样|就[行好]|就可以|即可|一个|一下|这个|那个|我|那就|就是|只|不用|不要|以后都?|每次都?|[了啊吧呢的就是]+)$")


def title(clause: Clause) -> str:
    """'' when nothing is left. «报销单周五得交» is «交报销单»."""
    around = _around(clause)
    pieces = [around[0], *("" if _BETWEEN.fullmatch(text) else text for text in around[1:-1]), *around[1:][-1:]]
    if len(pieces) > 1 and _ORDER_ALONE.fullmatch(plain(pieces[0]).strip()):
        pieces[0] = ""
    pieces = [_headless(text) for text in pieces]
    pieces[:-1] = [_PRE_TAIL.sub("", piece) for piece in pieces[:-1]]
    if len(pieces) > 1 and pieces[0] and (verb := _bare_verb(pieces[-1])):
        doubled = verb in _ANY_VERB and TODO.match(plain(pieces[0]))  # «洗车明天做»
        pieces = [*([] if doubled else [verb]), *pieces[:-1]]
    return trimmed(_STUMBLE.sub("", _MIDDLE.sub("", _joined(pieces))))


def _around(clause: Clause) -> list[str]:
    """The text before, between and after times and leads."""
    places = [0, *(place for span in clause.spans for place in span), len(clause.text)]
    return [clause.text[start:end] for start, end in zip(places[::2], places[1::2], strict=True)]


def _headless(text: str) -> str:
    flat = plain(text)
    head = _HEAD.match(flat)
    return text[head.end() :].strip() if head else text.strip()


def _bare_verb(text: str) -> str | None:
    flat = plain(text).rstrip("。.!吧啊哦 ")
    duty = _DUTY.match(flat)
    rest = text[duty.end() if duty else 0 : len(flat)]
    return rest if _BARE_VERB.match(plain(rest)) else None


def _joined(pieces: list[str]) -> str:
    """With a space only between words that had one."""
    whole = ""
    for piece in filter(None, pieces):
        spaced = whole[-1:].isascii() and piece[:1].isascii() and whole[-1:].isalnum()
        whole += f" {piece}" if spaced else piece
    return whole


def trimmed(text: str) -> str:
    """Without the words to the account at both ends."""
    head = _HEAD.match(plain(text))
    text = text[head.end() :] if head else text
    tail = _TAIL.search(plain(text))
    text = _verb_first((text[: tail.start()] if tail else text).strip(" ,，。、:：;；!！~\n“”\""))
    return "" if _UNWANTED.match(plain(text)) else text[:LONGEST]


def _verb_first(text: str) -> str:
    """«把衣服晾了» is «晾衣服», «有快递要寄» «寄快递», «吃一次药» «吃药»."""
    text = _ONCE.sub("", text)
    if waits := _WAITS.match(plain(text)):
        return text[waits.start("verb") : waits.end("verb")] + text[waits.start("thing") : waits.end("thing")]
    match = _TAKEN.match(plain(text))
    if not match:
        return text
    thing = text[match.start("thing") : match.end("thing")]
    return f"{match['verb']}{'完' if match['how'] == '完' else ''}{thing}"


def polite(text: str) -> str:
    """Only the fillers off the front: «嗯那个帮我»."""
    head = _FILLER_HEAD.match(plain(text))
    return text[head.end() :] if head else text


def only_ordered(flat: str) -> bool:
    """«定一个», and no word of what."""
    return bool(flat.strip() and _ORDER_ALONE.fullmatch(flat.strip(" 。!吧的")))


def ordered(flat: str) -> bool:
    """Whether it says that something is to be put down: «加一个…», «记一下…»."""
    return bool(_ORDERED.match(flat))

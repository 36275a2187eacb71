"""What a keyboard or an ear got wrong in a time, put right in its place: «下武两点», «上午十典», «提型我»."""

import re

_HOUR = "[一二两三四五六七八九十]"
_NEXT = "去|来|到|开会|接|叫|提醒|集合|出发|见|上课|下班|跟|和|要|左右|准时"
_ALIKE = dict(zip("巴气期散伞武舞依良俩石旧把吧就久酒留流思死是", "八七七三三五五一两两十九八八九九九六六四四十", strict=True))
_SAFE, _SHAKY = "巴气期散伞武舞依良俩石旧", "把吧就久酒留流思死是"  # the latter make words with «点»
_SLIP = re.compile(
    rf"(?:(?<=[上下中]午)|(?<=[早晚]上)|(?<=[明今]早)|(?<=[明今]晚)|(?<=[今明后]天)|(?<=[周拜期][一二三四五六日天]))"
    rf"(?:(?P<hour>[{_SAFE}])(?=点)|(?P<shaky>[{_SHAKY}])(?=点(?:半|钟|整|[一三]刻|过|{_HOUR}|{_NEXT})))"
    rf"|(?<=中午)(?P<ten>是)(?=[一二]点)|(?<=[下这上]周)(?P<two>[而儿])(?=[要去上下早晚])|(?<=[下这上]周)(?P<three>[散伞])"
    rf"|(?<={_HOUR}点)(?P<half>[办版伴拌])(?={_NEXT})"
    rf"|(?<=[午上早晚天]{_HOUR})(?P<sharp>[典店电])(?=半|钟|整|[一三]刻|{_NEXT}|$)"
    rf"|(?<=[上下])(?P<noon>[武舞无物伍])(?={_HOUR}{{1,2}}[点:])"
    rf"|(?P<bright>[名鸣铭])(?=天(?:[上下早晚中]|{_HOUR}))|(?P<after>[候厚])(?=天(?:[上下早晚中]|{_HOUR}))"
    r"|(?<=[提题体])(?P<wake>[型行形])(?=我)|(?P<lift>[题体])(?=醒我)|(?<=星)(?P<term>[其欺])(?=[一二三四五六日天])|(?P<rite>[里理])(?=拜[一二三四五六日天])"
)
_RIGHT = {"ten": "十", "two": "二", "three": "三", "half": "半", "sharp": "点", "noon": "午", "bright": "明", "after": "后", "wake": "醒", "lift": "提", "term": "期", "rite": "礼"}


def mended(text: str) -> str:
    """Of the same length."""
    return _SLIP.sub(_put_right, text)


def _put_right(match: re.Match[str]) -> str:
    return _RIGHT.get(match.lastgroup or "") or _ALIKE[match[0]]

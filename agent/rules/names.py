"""Words that hold a weekday, a month or a feast and are no time: «星期五餐厅», «三月兔», «周一凡», «五号电池»."""

import re

_DAY = "(?:周|星期|礼拜)[一二三四五六日天]"
_MONTH = "(?:十[一二]?|[一二三四五六七八九])月"
_PLACE = "餐厅|饭店|酒吧|咖啡|书店|书吧|酒店|民宿|广场|公园|大厦|传媒|科技|文化|公司|超市|便利店|工作室|画廊|剧场|花园|路(?!上)|街"
_BRAND = "餐厅|酒吧|咖啡|书店|书吧|民宿|画廊|工作室"
_WITH = "和跟找给叫约问替陪与帮"
_TOGETHER = "吃饭|吃个饭|见面|聊|谈|打电话|打个电话|发邮件|发消息|发微信|写信|碰面|碰一下|开会|约饭|逛街|看电影|结婚|过生日|庆生|买|寄|送"
_GIVEN = "凡帆丰峰鹏航涵轩楠妮娜婷琪琳瑶倩雯彤芸豪坤翔宇诺洋雅菲莹"
_NAMES = re.compile(
    rf"(?<![下上这本])(?:{_DAY}|{_MONTH})(?:{_BRAND})|(?<=[去在])(?:{_DAY}|{_MONTH})(?:{_PLACE})"
    f"|{_MONTH}(?:兔|花|雪|天(?=演唱会|的|乐队))"
    f"|周[一二三四五六日][{_GIVEN}]"
    f"|(?<=[{_WITH}])(?:周[一二三四五六][\u4e00-\u9fff](?={_TOGETHER})|{_MONTH}(?={_TOGETHER}))"
    "|(?<=[李王张赵钱孙])[一二三四五六七八九](?=[一二三四五六七八九十两]?[十百千万块])"
    "|[一二三四五六七八九]+号(?=电池|楼|线|院|公馆|店|门|桌|车厢|机位|登机口|窗口|会议室|厅|仓|库|选手|球衣|染)"
    "|三八(?=红旗手|大盖)|五一(?=[十百千]块?|路)|双十(?=路|协定)|十一(?=[十百千]|郎|学校|路|楼|层|区|中)"
    "|[0-9]+号(?=电池|楼|线|门|桌|车厢|登机口|窗口|会议室|厅|店|院)"
)


def places(flat: str) -> list[tuple[int, int]]:
    return [match.span() for match in _NAMES.finditer(flat)]


def holds(named: list[tuple[int, int]], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in named)

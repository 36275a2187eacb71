"""What is only said, and plans nothing: «我讨厌周一», «明天终于放假了», «这个点了还在加班»."""

import re

from agent.rules.clause import Clause

_ORDERED = re.compile("提醒|记得|别忘|记一?下|帮我|记上|安排|叫我|喊我|待办|闹钟|务必|一定要")
_WHO = "(?:我们?|咱们?|他们?|她们?|老板|领导|同事|老婆|老公|孩子|家里|公司|学校|单位|部门|人家)"
_FEELING = re.compile(
    rf"{_WHO}(?:真|好|最|超|特别|很|都|其实|一直|就|也|还|有点)*(?:讨厌|喜欢|爱(?!人|心)|恨|害?怕|羡慕|期待|盼|想念|担心|后悔|受不了|舍不得|受够)"
    "|头疼|头大|心累|发愁|(?:讨厌|最?喜欢|最?怕)(?:周|星期|礼拜|早|加班|上班|开会|下雨)|受不了|舍不得|(?:好|超|真|很|特别)(?:期待|想家|想睡|想哭|想吃|烦|累|困|忙(?!完)|慌|难受|无聊)"
)
_TOLD = re.compile(
    "终于|居然|竟然|果然|难怪|怪不得|原来(?!的)|真是|真(?:快|慢|好|棒|美|香|难|贵|冷|热|烦|累|困|漂亮|热闹)(?!的)|真[^的是,实正]{1,2}(?:$|,)|过得(?!去)|真的(?:好|很|太|不|没)|好像|看来|据说|又是.+的一天|听说|感觉(?!统合)|恐怕|幸亏|幸好|可惜|差点|没想到|想不到|其实|反正"
    "|可能(?:会|不|没|就|又)|说不定|也许|大概率|还在(?!线)|正在|一直在(?!线)|(?:又|都|才|已经|就)(?:是|到|快|过)?(?:周|星期|礼拜|年底|月底|春节|国庆|五一|中秋|节)"
    "|太(?!太|阳|原|平|极|湖|古|仓|空)[^了,]{1,5}了|(?:好|真)(?!好|的|友|人|事|运)[^,的]{1,4}[啊呀]|得(?:要死|不行|很)|[忙累困热冷气急吵堵饿渴烦乐笑哭痛疼冻晒愁挤闷]得(?![上到买去交来])|不想(?:出门|动|起|上班|干活|说话|去上)|不知道|不确定|说不好"
    "|哪(?:儿|里)?都|仍然|照常|依旧|照旧|(?:一般|通常|总是|老是|从来|平时|向来)(?!情况|的)"
)
_WONDERED = re.compile(
    "(?:去|到)哪(?:儿|里)?(?![天个些])|(?:吃|穿|买|送|喝|看|干)(?:点|些)?(?:什么|啥)(?!时候)|比较好|更好|哪个好|要不要|该不该|有(?:没有|什么)推荐|怎么(?:过|玩|去)"
)
_HABIT = re.compile(r"^(?:我们|咱们|他们|她们|人家|你们)(?:公司|学校|单位|部门|家|老板|老师|班|小区)?[^,]{0,8}都.+")
_ONLY_ABOUT = re.compile("^(?:(?:就|又|都|已经|才)*(?:是|到|快到)?(?:周末|假期|放假|过年|过节|下班|夏天|冬天|春天|秋天)?[了啦]|.{0,3}(?:都|才|已经|快)?[\\d一二三四五六七八九十]+岁?了|.{0,4}(?:不用|不必|不需要|用不着).+|先这样吧?|再(?:弄|说|看|做|聊|议|讲|搞)[吧了]?)$")
_ENDS = " 。!,~"


def story(clause: Clause) -> bool:
    """«妈妈昨天打电话来了»: all of its times lie behind."""
    ends = [when.end or when.start for when in clause.moments]
    return bool(ends) and all(end is not None and end <= clause.sent_at for end in ends) and not _ORDERED.search(clause.flat)


def remark(flat: str, rest: str) -> bool:
    """`rest` is what stands beside the times. An order in it makes it none."""
    if _ORDERED.search(flat):
        return False
    words, bare = flat.strip(_ENDS), rest.strip(_ENDS)
    told = any(pattern.search(text) for pattern in (_FEELING, _TOLD, _HABIT, _WONDERED) for text in (words, bare))
    return told or (bare != words and bool(_ONLY_ABOUT.match(bare)))

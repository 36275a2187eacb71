"""The follower's preferences: «早报改到7点», «时区改成东京», «免打扰晚上11点到早上7点», «默认提前15分钟»."""

import re
from zoneinfo import ZoneInfo

from agent.analysis import Preferences, Set
from agent.rules.clause import Clause
from agent.rules.wording import talk
from planner.when import When

_ZONES = {
    "Asia/Shanghai": "北京|上海|中国|广州|深圳|杭州|成都|重庆|国内|东八区",
    "Asia/Hong_Kong": "香港",
    "Asia/Macau": "澳门",
    "Asia/Taipei": "台北|台湾",
    "Asia/Tokyo": "东京|日本|大阪|东九区",
    "Asia/Seoul": "首尔|韩国",
    "Asia/Singapore": "新加坡",
    "Asia/Kuala_Lumpur": "吉隆坡|马来西亚",
    "Asia/Bangkok": "曼谷|泰国",
    "Asia/Ho_Chi_Minh": "胡志明|越南|河内",
    "Asia/Dubai": "迪拜|阿联酋",
    "Asia/Kolkata": "印度|孟买|新德里",
    "Asia/Urumqi": "乌鲁木齐|新疆",
    "Europe/London": "伦敦|英国",
    "Europe/Paris": "巴黎|法国",
    "Europe/Berlin": "柏林|德国|慕尼黑|法兰克福",
    "Europe/Madrid": "马德里|西班牙|巴塞罗那",
    "Europe/Rome": "罗马|意大利|米兰",
    "Europe/Amsterdam": "阿姆斯特丹|荷兰",
    "Europe/Zurich": "苏黎世|瑞士",
    "Europe/Moscow": "莫斯科|俄罗斯",
    "America/New_York": "纽约|波士顿|华盛顿|美东|美国东部",
    "America/Chicago": "芝加哥|美国中部",
    "America/Los_Angeles": "洛杉矶|旧金山|西雅图|硅谷|美西|美国西部",
    "America/Toronto": "多伦多",
    "America/Vancouver": "温哥华",
    "America/Sao_Paulo": "圣保罗|巴西",
    "Australia/Sydney": "悉尼",
    "Australia/Melbourne": "墨尔本",
    "Pacific/Auckland": "奥克兰|新西兰",
    "UTC": "世界时|UTC|GMT",
}
_CITIES = [(re.compile(names, re.IGNORECASE), zone) for zone, names in _ZONES.items()]
_IANA = re.compile(r"\b(?:Africa|America|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z_]+(?:/[A-Za-z_]+)?")
_DIGEST = re.compile("早报|晨报|日报推送|每日简报|每日汇总|每日总结|今日安排推送|每日推送|每天推送")
_DIGEST_TOLD = re.compile("(?:发|推送|告诉|汇报|播报|报|说|推|汇总|总结|列)(?:给|一?下|一遍|我)*.{0,3}(?:当天|今天|今日|当日|一天|全天|每天)的?(?:安排|日程|任务|计划|待办|事|有?(?:什么|啥|哪些)|要?[干做](?:嘛|什么|啥))")
_NO_NIGHT_RINGS = "^(?:半夜|夜里|深夜|晚上|夜间|睡觉的?时候?)(?:就|都)?(?:别|不要|不用)(?:再)?(?:提醒|叫|吵|打扰|发)我?了?$"
_QUIET = re.compile(_NO_NIGHT_RINGS + "|(?:别|不要|勿)在?(?:半夜|夜里|深夜|晚上|夜间|睡觉(?:的?时候)?).{0,4}(?:提醒|叫|吵|打扰|发)|(?:[之以]前|前)(?:都|就)?(?:别|不要|不许)(?:响|叫我|吵我|提醒我?|打扰我?)$|免打扰|勿扰|静音|安静时段|(?:不要|别|不许|勿)(?:再)?(?:来)?(?:打扰|吵)|(?:以后|之后|后|期间)(?:都|就)?(?:不要|别)(?:再)?(?:给我)?(?:提醒|发消息|推送)")
_NIGHT = re.compile("夜里|夜间|晚上|半夜|睡觉|睡着|睡眠")
_NIGHT_HOURS = "22:00-08:00"
_BY_CLOCK = re.compile("(?:时间|提醒)都?(?:按|用|以|照)[^,]{2,8}(?:的?时间|来|算|走|为准)|(?:按|用|以|照)[^,]{2,8}(?:的?时间)(?:来|算|走|为准|提醒)")
_HERE = re.compile("^我?(?:现在|已经|人|刚|这[周几]天)*(?:在|到|到了|来到|飞到|搬到)(?P<place>[^,]{2,6}?)(?:了|呢|这边|出差|旅游|玩)*$")
_LEAD = re.compile("(?:设为|作为|改成|设成)默认|以后(?:的)?(?:所有)?提醒(?:我)?(?:的时候)?都?(?:提前|准时)|(?:所有|全部)提醒都?(?:改成)?(?:提前|准时)|默认.{0,6}(?:提前|准时|提醒)|提醒默认|以后都?提前|以后都?准时提醒|默认提醒")
_NAG = re.compile("(?:一直|反复|不停|重复|持续)(?:提醒|催)|催办|催我")
_SAID_LATE = re.compile(r"[下晚中午傍]|1[3-9]|2[0-4]|十[三四五六七八九]")
NOON = 12
_SHOWN = re.compile(
    "(?:请|帮我|给我)*(?:看看|看一?下|查看|查一?下|显示)?(?:我的?|目前的?|现在的?|当前的?|都?有?哪些)*(?:设置|偏好|设定)(?:一下|是什么|是怎样的|有哪些|呢|情况)*[?]?"
)
_OFF = re.compile("不要|不用|关闭|关掉|关了|取消|别|停|不需要|不想|去掉")


def setting(clause: Clause) -> Set | None:
    if _SHOWN.fullmatch(clause.flat.strip(" 。!")):
        return Set(changes=Preferences())
    changes = next((found for read in (_zone, _digest, _quiet, _lead, _nag) if (found := read(clause))), None)
    return Set(changes=changes) if changes else None


def _zone(clause: Clause) -> Preferences | None:
    if not is_zone(clause):
        return None
    named = _IANA.search(clause.flat)
    zone = named[0] if named else next((zone for names, zone in _CITIES if names.search(clause.flat)), None)
    return Preferences(timezone=zone) if zone else None


def moved_away(flat: str, zone: ZoneInfo) -> str | None:
    """«我在东京», of a follower whose clock is another: how to change it. Nothing is set by that alone."""
    match = _HERE.match(flat.strip(" 。!"))
    if match is None:
        return None
    place = match["place"]
    there = next((name for names, name in _CITIES if names.fullmatch(place)), zone.key)
    return talk("zone", place=place) if there != zone.key else None


def quiet_once(clause: Clause) -> str | None:
    """«静音到明天早上八点», «免打扰两小时»: only daily hours can be kept, and that is said."""
    if not _QUIET.search(clause.flat) or len(clause.times) != 1:
        return None
    told = clause.times[0]
    until = clause.flat[: told.start].endswith("到") and not re.search("从|以后|之后|每", clause.flat)
    return talk("quiet_once") if until or (clause.length and not clause.moments) else None


def is_zone(clause: Clause) -> bool:
    return "时区" in clause.flat or bool(_BY_CLOCK.search(clause.flat))


def is_quiet(clause: Clause) -> bool:
    """«晚上十点以后，别提醒我»: told in two breaths, it is one setting."""
    return bool(_QUIET.search(clause.flat)) and bool(clause.moments)


def _digest(clause: Clause) -> Preferences | None:
    if not _DIGEST.search(clause.flat) and not (_DIGEST_TOLD.search(clause.flat) and _daily(clause)):
        return None
    clock = _clock(clause.moments)
    if clock:
        return Preferences(digest_time=clock)
    return Preferences(digest_time="off") if _OFF.search(clause.flat) else None


def _daily(clause: Clause) -> bool:
    return any((when.rrule or "").startswith("FREQ=DAILY") for when in clause.moments)


def _clock(whens: list[When]) -> str | None:
    """Morning for «八点»: a digest is read when the day begins."""
    start = next((when.start for when in whens if when.start and when.has_clock), None)
    if start is None:
        return None
    told = next(when.words for when in whens if when.start == start)
    hour = start.hour if start.hour <= NOON or _SAID_LATE.search(told) else start.hour - NOON
    return f"{hour:02d}:{start.minute:02d}"


def _quiet(clause: Clause) -> Preferences | None:
    if not _QUIET.search(clause.flat):
        return None
    if before := next((when.at for when in clause.moments if when.kind == "deadline" and when.has_clock), None):
        return Preferences(quiet_hours=f"{_NIGHT_HOURS[:5]}-{before:%H:%M}")
    span = next((when for when in clause.moments if when.start and when.end and when.has_clock), None)
    if span and span.start and span.end:
        return Preferences(quiet_hours=f"{span.start:%H:%M}-{span.end:%H:%M}")
    if re.match(_NO_NIGHT_RINGS, clause.flat):
        return Preferences(quiet_hours=_NIGHT_HOURS)
    if re.search("关闭|关掉|取消|不用|关了|停|解除", clause.flat):
        return Preferences(quiet_hours="off")
    clocks = [when.at for when in clause.moments if when.at and when.has_clock]
    if clocks:
        return Preferences(quiet_hours=f"{clocks[0]:%H:%M}-08:00")
    ordered = _NIGHT.search(clause.flat) or re.search("开启|打开|设置?|开", clause.flat)
    return Preferences(quiet_hours=_NIGHT_HOURS) if ordered and not re.search("[吗?]", clause.flat) else None


def _lead(clause: Clause) -> Preferences | None:
    if not _LEAD.search(clause.flat):
        return None
    if clause.leads:
        return Preferences(default_lead=int(clause.leads[0].before.total_seconds() // 60))
    return Preferences(default_lead=0) if re.search("准时|不提前|到点", clause.flat) else None


def _nag(clause: Clause) -> Preferences | None:
    if not _NAG.search(clause.flat) or clause.times:
        return None
    return Preferences(nag=not _OFF.search(clause.flat))

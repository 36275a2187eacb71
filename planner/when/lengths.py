"""How long, and how long from now."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from planner.when import dates, offdays
from planner.when.atoms import Atom, Day, Impossible, Instant, Length, Now, Repeat, Rules
from planner.when.lazy import Lazy
from planner.when.numerals import CN, NUMBER
from planner.when.text import number

Match = re.Match[str]

_NUMBER = rf"(?<![几数])(?:\d{{1,3}}(?:,\d{{3}}){{1,3}}|\d{{1,9}}(?:\.\d{{1,4}})?万?|[{CN}两百千万]{{1,9}})[多来余]?"
_COUNT = rf"(?:{_NUMBER}|半)"
_DIGIT = "零一二三四五六七八九"
# «一点五小时»: half past nothing.
_DECIMAL = rf"[{_DIGIT}十]{{1,3}}点[{_DIGIT}]{{1,3}}(?:个(?:小时|钟头|月|星期)|小时|钟头|分钟|天(?!气)|周(?!年|岁)|年(?!级|会|货|底))"
_UNIT = "(?:小时|钟头|分钟|秒钟|刻钟|星期|礼拜|季度|周年|天|日|周|秒|分|月|年|点钟|钟)"
_PIECE = rf"(?:{_COUNT}\s?个?半?\s?{_UNIT}半?)"
_SAFE = (
    rf"(?:半分钟|(?:{_NUMBER})?个?半个?(?:多)?(?:小时|钟头?(?!声)|月|天|日(?!游)|年|季度)|{_NUMBER}个半分钟|(?<![\d{CN}])分半钟"
    rf"|(?:{_NUMBER})\s?(?:个半?(?:多)?(?:小时|钟头?(?!声)|月|星期|礼拜|季度|周(?![一二三四五六日末](?![次回趟遍])))|(?:多)?(?:小时|钟头)|分半?钟|秒钟?|刻钟|星期|礼拜|周年"
    rf"|天(?!气)|周(?!次|[一二三四五六日天](?![次回趟遍])|末|年)|年多?(?!级|[版款]|次|[底末初代])|日(?=[之以]?[后内前])|分(?=[之以]?[后内前]|半|[\d{CN}]+秒))半?"
    r"|(?:两|3[2-9]|[4-9]\d|\d{3,})日)"
)
LENGTH = rf"(?:{_DECIMAL}|(?:{_SAFE})(?:(?:[零又]|外?加上?)?{_PIECE}(?!期)){{0,5}})"
_VERB = "[来做去打洗测查吃交喝浇换量体验]"
_FEW = r"(?=(?:\d{1,2}|[两二三四五六七八九十]{1,2})\s?(?:个|天|日|周|星期|礼拜|年|月|季|小时|钟头|分钟|刻钟|秒))"

_PREFIX = (
    r"(?P<next>接下来的?|接下去|往后|向后|后面|之后的?)|(?P<recent>最近)|(?P<past>近|过去的?)"
    rf"|(?P<back>(?<![提目以之])前{_FEW}|(?:之|往|向)前{_FEW}|(?<![一加早晚马])上{_FEW})|(?P<coming>(?<![推往向延以之然])后{_FEW}|(?<![一记留剩])下{_FEW})"
    r"|(?P<from>未来的?|将来|今后)"
    r"|(?P<pass>再?过|再等|再有|还有(?=[^,。]{2,9}(?:提醒|叫|喊)))|(?P<lead>提前(?:个|大概|至少)?|提早)|(?P<every>每隔?|间?隔)"
)
_SUFFIX = (
    r"(?P<after>(?:[之以过]|过去)?后(?![天面续台者]))|(?P<within>[之以]?内)|(?P<before>[之以]?前(?![天面往]))|(?P<since>以来)"
)
_WORKDAYS = (
    rf"(?P<count>\d{{1,3}}|[{CN}两]{{1,3}})个?(?:工作|交易)日(?:(?P<within>[之以]?内)|[之以]?后)"
    r"|(?P<next>下一?个)工作日"
)
# «最近一周有什么安排» looks ahead, «最近一周做了什么» back.
_DONE = Lazy("[^,。;?!]{0,6}?(?:[了过]|完成|花费|消费|记录|统计|以?来)")
_MONTH_OR_LESS = rf"{_NUMBER}月"
_RULE = rf"(?:{_PREFIX}|(?<![\d.第每下上这周])(?<![^定设来开]个))(?P<length>{LENGTH}|(?<=[近前后]){_MONTH_OR_LESS})(?:\s?(?:左右)?{_SUFFIX})?"
_ONE = Lazy(
    rf"(?P<count>{_COUNT})?\s?(?P<lone>个)?(?P<half>半)?个?多?\s?"
    r"(?P<unit>小时|钟头|分钟|秒钟|刻钟|星期|礼拜|季度|周年|[天日周秒分月年钟])多?(?P<tail>半)?"
)
# «两三天», «十七八分钟», «三五天»: the first of the two is taken, and said back.
_ABOUT = Lazy(
    "(?<![零一二三四五六七八九])(?=十?(?:一二|两三|二三|三四|三五|四五|五六|六七|七八|八九))"
    "(十?[一二两三四五六七八])[二三四五六七八九](?![十百千万零一二三四五六七八九])"
)
_TENS = Lazy("(?:(?<=[^一二三四五六七八九十百千万])|^)([一二三四五六七八])[二三四五六七八九]十(?![一二三四五六七八九])")
_VAGUE = Lazy("[多来余]")
_SECONDS = {"小时": 3600, "钟头": 3600, "钟": 3600, "分钟": 60, "分": 60, "秒钟": 1, "秒": 1, "刻钟": 900}
_DAYS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7}
_MONTHS = {"月": 1, "年": 12, "周年": 12, "季度": 3}
# Beyond that no calendar reaches.
_MOST_WORKDAYS = 500
_LONGEST_MONTHS, _LONGEST_DAYS, _LONGEST_SECONDS = 12 * 900, 366 * 900, 10**9


_DECIMAL_WORDS = Lazy(rf"([{_DIGIT}十]{{1,3}})点([{_DIGIT}]{{1,3}})")


@lru_cache(maxsize=256)
def parse(words: str) -> Length:
    """«一个半小时», «两小时二十分钟», «半个月»."""
    months = days = seconds = 0.0
    by_clock = False
    about = bool(_ABOUT.search(words) or _TENS.search(words) or _VAGUE.search(words))
    words = _TENS.sub(r"\1十", words)
    words = _VAGUE.sub("", _ABOUT.sub(r"\1", words.replace("分半钟", "分钟半")))
    words = _DECIMAL_WORDS.sub(lambda match: f"{number(match[1])}.{_digits(match[2])}", words)
    for piece in _ONE.finditer(words):
        count, unit = _count(piece), piece["unit"]
        months += count * _MONTHS.get(unit, 0)
        days += count * _DAYS.get(unit, 0)
        seconds += count * _SECONDS.get(unit, 0)
        by_clock = by_clock or unit in _SECONDS
    days += (months % 1) * 30
    whole = int(days)
    seconds += (days - whole) * 86400
    return Length(int(months), whole, round(seconds), by_clock or days != whole, about)


def _digits(words: str) -> str:
    return "".join(str(_DIGIT.index(char)) for char in words)


def _count(piece: Match) -> float:
    told = piece["count"]
    if told == "半":
        return 0.5
    if not told:
        return (1.5 if piece["lone"] else 0.5) if piece["half"] else 1.5 if piece["tail"] else 1
    count = float(told) if "." in told and "万" not in told else number(told)
    return count + (0.5 if piece["half"] else 0) + (0.5 if piece["tail"] else 0)


def shift(ref: datetime, length: Length, sign: int = 1) -> datetime:
    """Days by the calendar, hours by elapsed time."""
    if length.months > _LONGEST_MONTHS or length.days > _LONGEST_DAYS or length.seconds > _LONGEST_SECONDS:
        raise Impossible("时间太远了，日历上没有")
    day = dates.add_months(ref.date(), sign * length.months) + timedelta(days=sign * length.days)
    moved = ref.replace(year=day.year, month=day.month, day=day.day)
    elapsed = moved.astimezone(UTC) + timedelta(seconds=sign * length.seconds)
    return elapsed.astimezone(ref.tzinfo)


def _length(match: Match, now: Now) -> Atom | None:
    length, told = parse(match["length"]), match.groupdict()
    if told["lead"]:
        return None
    if told["every"]:
        return _every(length, certain="隔" not in told["every"] or length.by_clock)
    if told["back"] or told["coming"]:
        return _aligned(match["length"], length, now, back=bool(told["back"]))
    if told["recent"] and not length.by_clock and not _DONE.match(match.string, match.end()):
        return Day(now.today, dates.add_months(now.today, length.months) + timedelta(days=length.days), certain=False)
    if told["recent"] or told["next"] or told["past"] or told["from"] or told["since"]:
        return _window(length, told, now)
    if told["within"]:
        then = shift(now.ref, length)
        return Instant(then, deadline=True, all_day=not length.by_clock, certain=not length.about)
    if told["after"] or told["pass"]:
        return _moved(length, now, 1)
    return _moved(length, now, -1) if told["before"] else length


def _moved(length: Length, now: Now, sign: int) -> Atom:
    then = shift(now.ref, length, sign)
    if length.by_clock:
        return Instant(then, certain=not length.about)
    return Day(then.date(), named=True, moment=then, around=_around(length, then.date()), certain=not length.about)


def _around(length: Length, day: date) -> tuple[date, date] | None:
    """The year, month or week that was counted to: «三年后的五一», «两周后的周三»."""
    if length.months and not length.days:
        first = day.replace(day=1) if length.months % 12 else date(day.year, 1, 1)
        return first, dates.add_months(first, 1 if length.months % 12 else 12)
    if length.days and length.days % 7 == 0 and not length.months:
        return dates.monday(day), dates.monday(day, 1)
    return None


def _window(length: Length, told: dict[str, str | None], now: Now) -> Instant | Day:
    """«接下来三天» begins tomorrow, «未来一周» now."""
    if told["recent"] or told["past"] or told["since"]:
        begun = shift(now.ref, length, -1)
        return Instant(begun.replace(hour=0, minute=0, second=0, microsecond=0) if length.months else begun, now.ref)
    if told["next"] and not length.by_clock:
        first = now.today + timedelta(days=1)
        return Day(first, dates.add_months(first, length.months) + timedelta(days=length.days))
    return Instant(now.ref, shift(now.ref, length))


def _aligned(words: str, length: Length, now: Now, *, back: bool) -> Instant | Day:
    """«前两个月», «下三小时»: whole units of the calendar or the clock, up to this one or after it."""
    if length.by_clock:
        step = 3600 if length.seconds % 3600 == 0 else 60 if length.seconds % 60 == 0 else 1
        begun = now.ref - timedelta(seconds=(now.ref.hour * 3600 + now.ref.minute * 60 + now.ref.second) % step)
        whole = Length(seconds=length.seconds, by_clock=True)
        if back:
            return Instant(shift(begun, whole, -1), begun)
        first = shift(begun, Length(seconds=step, by_clock=True))
        return Instant(first, shift(first, whole))
    edge = _begun(words, now, after=not back)
    other = _moved_day(edge, length, -1 if back else 1)
    return Day(other, edge) if back else Day(edge, other)


def _begun(words: str, now: Now, *, after: bool) -> date:
    """The first day of the unit we are in, or of the next."""
    unit = words[-1]
    if unit == "年":
        return date(now.today.year + after, 1, 1)
    if unit == "月":
        return dates.month_start(now.today, int(after))
    if unit in "周期拜":
        return dates.monday(now.today, int(after))
    return now.today + timedelta(days=int(after))


def _moved_day(day: date, length: Length, sign: int) -> date:
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return shift(midnight, length, sign).date()


def _every(length: Length, *, certain: bool) -> Repeat:
    if length.seconds:
        steps = ((3600, "HOURLY"), (60, "MINUTELY"), (1, "SECONDLY"))
        step, freq = next(found for found in steps if length.seconds % found[0] == 0)
        return Repeat(freq, interval=length.seconds // step, certain=certain)
    if length.days:
        weeks = length.days % 7 == 0
        return Repeat("WEEKLY" if weeks else "DAILY", length.days // 7 if weeks else length.days, certain=certain)
    years = length.months % 12 == 0
    return Repeat("YEARLY" if years else "MONTHLY", length.months // 12 if years else length.months, certain=certain)


def _present(match: Match, now: Now) -> Instant:
    return Instant(now.ref, present=True)


def _workdays(match: Match, now: Now) -> Day | Instant:
    """Real working days, make-up days among them, as far as the calendar is published."""
    count = 1 if match["next"] else min(number(match["count"]), _MOST_WORKDAYS)
    day = offdays.following(now.today, count)
    if match["within"]:
        return Instant(now.ref.replace(year=day.year, month=day.month, day=day.day), deadline=True, all_day=True)
    return Day(day, certain=offdays.known(day.year))


def _fives(match: Match, now: Now) -> Length | Instant:
    """Cantonese «三个字» are three times five minutes; elsewhere they are three words."""
    length = Length(seconds=300 * number(match["count"]), by_clock=True)
    return Instant(shift(now.ref, length)) if match["after"] else length


def _minute_and_half(match: Match, now: Now) -> Length:
    return Length(seconds=90, by_clock=True)


def _once(match: Match, now: Now) -> Repeat:
    return _every(parse(match["length"]), certain=True)


RULES: Rules = [
    ("fives", NUMBER, r"^(?P<count>\d|[一二两三四五六七八九十])个字(?:$|(?P<after>之?后))", _fives),
    ("minute_and_half", "分", "^分半$", _minute_and_half),
    ("once_every", NUMBER + "半每", rf"每?隔?(?P<length>{LENGTH})(?:[一1][次回趟遍]|{_VERB}[一1][次回趟遍](?=$|[\s,。;!吧的了啊呢])|(?={_VERB}[一1][次回趟遍]))", _once),
    ("workdays_ahead", NUMBER + "下", _WORKDAYS, _workdays),
    ("decimal", NUMBER, rf"(?P<decimal>(?={_DECIMAL})){_RULE}", _length),
    ("length", NUMBER + "半分个接往向后之最近过去未将今再提每间隔上下前", _RULE, _length),
    ("present", "现此马当而依宜", "现在|此刻|[而依宜]家(?![里居庭具])|当前(?!任务|进度|版本)|马上(?=提醒|叫)", _present),
]

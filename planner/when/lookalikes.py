"""Words that only look like times; they are stepped over."""

import re

from planner.when.atoms import Now, Rules

_WORDS = [
    "一日三餐", "一日游", "三点水", "三点一线", "三点式", "朝九晚五", "三天两头", "一天到晚", "一天天", "一年到头",
    "周三丰", "周三多", "周一良", "周六福", "周五福", "五月花", "五月天", "六月雪", "十月怀胎", "二月兰", "五四运动",
    "九一八", "后天性", "前天窗", "明天会更好", "天天向上", "国庆路", "五一广场", "五一路", "春节联欢", "早上好",
    "上午好", "中午好", "下午好", "晚上好", "早安", "晚安", "周报", "月报", "日报", "年报", "周会", "月会", "年会",
    "年夜饭", "五一假期余额", "三八红旗", "六一居士", "初一班", "初二班", "初三班", "七夕青鸟", "双十一快乐",
    "国庆快乐", "中秋快乐", "元旦快乐", "春节快乐", "圣诞快乐", "端午安康",
]
_STARTS = "".join(sorted({word[0] for word in _WORDS}))
_A_BIT = (
    r"(?:(?<![今明后昨当])[早晚]|[快慢多少大小高低好轻重远近差有])一?点儿?(?![半钟\d一二三四五六七八九十])"
    "|(?<![今明后昨当])[早晚]一点儿?(?=[起睡去来到走吃回出做写交开])"
)
_LITTLE = "一点(?:点|儿|也|都|不|没)"
_ORDINAL = r"第\s?(?:\d+|[一二三四五六七八九十]+)[周天年月](?!的周)"
_QUOTED = "《[^》]{1,40}》"
_FRACTION = r"\d+[/.]\d+[a-zA-Z%]"


def _nothing(match: re.Match[str], now: Now) -> None:
    return None


RULES: Rules = [
    ("word", _STARTS, "|".join(_WORDS), _nothing),
    ("a_bit", "早晚快慢多少大小高低好轻重远近差有", _A_BIT, _nothing),
    ("little", "一", _LITTLE, _nothing),
    ("ordinal", "第", _ORDINAL, _nothing),
    ("quoted", "《", _QUOTED, _nothing),
    ("fraction", "0123456789", _FRACTION, _nothing),
]

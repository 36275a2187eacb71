"""One character in, one character out: whatever is found keeps its place in the original text."""

import re

_TRADITIONAL = (
    "點点週周後后個个禮礼號号兩两鐘钟鍾钟時时間间從从農农曆历歷历節节過过還还幾几內内這这與与聖圣誕诞國国慶庆勞劳動动"
    "陰阴陽阳臘腊閏闰歲岁開开會会們们來来樣样嗎吗見见說说請请讓让給给買买賣卖電电話话誰谁為为對对錯错應应該该沒没"
    "邊边門门東东車车長长進进種种發发現现標标記记刪删務务儲储貨货總总結结業业報报書书寫写學学習习認认識识變变"
    "檢检預预約约訂订醫医藥药飯饭雙双畫画課课辦办"
    "復复遲迟緩缓暫暂調调換换關关閉闭撤撤鬧闹響响傳传輸输單单張张條条頁页無无將将處处顯显夠够麼么"
    "嘗尝測测試试驗验專专題题選选擇择設设夢梦覺觉覽览錄录聽听讀读證证護护難难離离飛飞機机場场館馆廳厅樓楼"
)
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TABLE: dict[int, int | str] = {
    **_WIDE,
    **{ord(_TRADITIONAL[i]): _TRADITIONAL[i + 1] for i in range(0, len(_TRADITIONAL), 2)},
    **{ord("\u3000"): " ", ord("〜"): "~", ord("—"): "-", ord("–"): "-", ord("－"): "-", ord("〇"): "零"},
}

_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_TENS = {"廿": "二十", "卅": "三十"}


def plain(text: str) -> str:
    """Half-width and simplified, of the same length."""
    return text.translate(_TABLE)


def number(words: str) -> int:
    """«15», «十五», «二十», «一百二», «二零二六» (digit by digit), «廿三»."""
    if words.isascii():
        return int(words)
    for short, full in _TENS.items():
        words = words.replace(short, full)
    if not re.search("[十百千]", words):
        return int("".join(str(_DIGITS[char]) for char in words))
    return _counted(words)


def _counted(words: str) -> int:
    total, digit, last = 0, 0, 1
    for char in words:
        if char in _UNITS:
            last = _UNITS[char]
            total, digit = total + (digit or 1) * last, 0
        else:
            digit = _DIGITS[char]
            last = 10 if char == "零" else last
    return total + digit * (last // 10 if last > 10 else 1)

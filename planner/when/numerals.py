"""Pieces of patterns that the tables of this package share."""

CN = "零一二两三四五六七八九十廿卅"
N = f"(?:\\d{{1,9}}|[{CN}百]{{1,9}})"
MONTH = "(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])"
DOM = (
    "(?:\\d{1,2}|三?十[一二三四五六七八九]?|二?十[一二三四五六七八九]?|廿[一二三四五六七八九]?"
    "|三十一?|[一二三四五六七八九])"
)
WEEK = "(?:周|星期|礼拜)"
WD = "[一二三四五六日天曰1-7]"
WEEKDAYS = {char: place for place, char in enumerate("一二三四五六日")} | {"天": 6, "曰": 6}
WEEKDAYS |= {str(place + 1): place for place in range(7)}
SEP = "[、,和跟及与\\s]"
REL = "(?:(?<!一)下{1,4}|上{1,3}|这|本|今|当)"
NUMBER = "0123456789" + CN + "两"
STEPS = "下上这本今当"
YEARS = "大前年|前年|去年|今年|本年|当年|明年|来年|次年|翌年|大后年|后年|[下上这]一?年"
YEAR = rf"(?:1[89]|20|21)\d\d(?=年)|[一二][零一二三四五六七八九]{{3}}(?=年)|{YEARS}"
YEAR_STARTS = "12一二大前去今本当明来次翌后上下这"
# What joins the two ends of a range, where only the second says its unit.
TO = r"\s?(?:[到至~]|-{1,2})\s?"

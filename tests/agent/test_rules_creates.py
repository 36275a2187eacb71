"""New tasks, as the rules read them on a Wednesday at ten."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from agent.analysis import Clarify, Create, Said
from agent.rules import Understood, analyse

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)


def heard(*texts: str, now: datetime = NOW) -> Understood:
    return analyse([Said(text=text, sent_at=now) for text in texts], zone=ZONE)


def made(*texts: str) -> list[Create]:
    understood = heard(*texts)
    assert understood.certain, texts
    return [action for action in understood.analysis.actions if isinstance(action, Create)]


def brief(task: Create) -> tuple[str, str]:
    if task.start is None:
        return task.title, ""
    return task.title, f"{task.start:%m-%d}" if task.all_day else f"{task.start:%m-%d %H:%M}"


ONE = {
    "明天上午十点半跟李总过一下方案": ("跟李总过一下方案", "03-12 10:30"),
    "大后天晚上七点看话剧": ("看话剧", "03-14 19:00"),
    "下周二9:15去医院拔牙": ("去医院拔牙", "03-17 09:15"),
    "明早七点的高铁，帮我记上": ("高铁", "03-12 07:00"),
    "报销单这周五下班前得交": ("交报销单", "03-13 18:00"),
    "月底之前把年度总结写完": ("写完年度总结", "03-31"),
    "三天内回复房东": ("回复房东", "03-14"),
    "10秒后提醒我喝水": ("喝水", "03-11 10:00"),
    "半小时后提醒我关火": ("关火", "03-11 10:30"),
    "半小时提醒我吃药": ("吃药", "03-11 10:30"),
    "过一个半小时叫我": ("提醒", "03-11 11:30"),
    "明天傍晚去接孩子": ("去接孩子", "03-12 18:00"),
    "午饭后提醒我吃药": ("吃药", "03-11 13:00"),
    "今晚睡前把明天的衣服熨了": ("熨明天的衣服", "03-11 22:00"),
    "半夜十二点抢票": ("抢票", "03-12 00:00"),
    "嗯那个就是下周一吧上午十点提醒我给供应商打款": ("给供应商打款", "03-16 10:00"),
    "帮我记一下二零二六年十一月十二号下午三点二十去派出所办居住证": ("去派出所办居住证", "11-12 15:20"),
    "後天下午三點半跟客戶開會": ("跟客戶開會", "03-13 15:30"),
    "明天１４：３０　开会": ("开会", "03-12 14:30"),
    "mark一下，周四14:00 review 代码 w/ Tom": ("review 代码 w/ Tom", "03-12 14:00"),
    "明天九点，啊不对，十点去车管所": ("去车管所", "03-12 10:00"),
    "写周报，周五前": ("写周报", "03-13"),
    "明天下午三点，和客户开会": ("和客户开会", "03-12 15:00"),
    "买牛奶": ("买牛奶", ""),
    "加一个待办：整理照片": ("整理照片", ""),
    "提醒我明天取消会员": ("取消会员", "03-12"),
    "和周三丰吃饭": ("和周三丰吃饭", ""),
    "设一个明天早上7点的闹钟": ("提醒", "03-12 07:00"),
    "明天六点叫我起床": ("起床", "03-12 06:00"),
    "闹钟7点": ("提醒", "03-12 07:00"),
    "后天是妈妈生日": ("妈妈生日", "03-13"),
    "请在周三下午2点提醒我开会": ("开会", "03-11 14:00"),
    "写周报明天下午3点提醒我": ("写周报", "03-12 15:00"),
    "周五开会别忘了": ("开会", "03-13"),
    "订明天早上的机票": ("订明天早上的机票", ""),
    "订后天去北京的高铁票": ("订后天去北京的高铁票", ""),
    "看一月的报表": ("看一月的报表", ""),
    "记一下，车牌号是京A12345": ("车牌号是京A12345", ""),
    "早上好，明天9点开会": ("开会", "03-12 09:00"),
    "每周五下午5点前提交周报": ("提交周报", "03-13 17:00"),
}


@pytest.mark.parametrize(("text", "task"), ONE.items(), ids=ONE)
def test_one_task_with_a_clean_title_and_its_time(text, task):
    assert [brief(found) for found in made(text)] == [task]


SEVERAL = {
    "周三下午三点开会，周四交报告": [("开会", "03-11 15:00"), ("交报告", "03-12")],
    "明天买菜、取快递，后天下午两点去银行": [("买菜", "03-12"), ("取快递", "03-12"), ("去银行", "03-13 14:00")],
    "今天下午四点前把合同发给法务，五点跟客户通电话，晚上八点陪娃写作业": [
        ("把合同发给法务", "03-11 16:00"),
        ("跟客户通电话", "03-11 17:00"),
        ("陪娃写作业", "03-11 20:00"),
    ],
    "明天下午两点半和张总开会然后四点去机场接人": [("和张总开会", "03-12 14:30"), ("去机场接人", "03-12 16:00")],
    "后天早上六点四十五叫我起床还有晚上九点提醒我收衣服": [("起床", "03-13 06:45"), ("收衣服", "03-13 21:00")],
    "周二周四游泳": [("游泳", "03-17"), ("游泳", "03-12")],
    "🎂3月20日老妈生日🎉记得订蛋糕": [("老妈生日", "03-20"), ("订蛋糕", "03-20")],
    "1. 买菜 2. 做饭 3. 洗碗": [("买菜", ""), ("做饭", ""), ("洗碗", "")],
    "待办：买菜、做饭": [("买菜", ""), ("做饭", "")],
    "明天要做的事：买菜，做饭": [("买菜", "03-12"), ("做饭", "03-12")],
    "周六上午打扫卫生，下午看电影": [("打扫卫生", "03-14 09:00"), ("看电影", "03-14 15:00")],
    "明天三点开会，写周报": [("开会", "03-12 15:00"), ("写周报", "03-12")],
}


@pytest.mark.parametrize(("text", "tasks"), SEVERAL.items(), ids=SEVERAL)
def test_several_tasks_each_with_its_own_time(text, tasks):
    assert [brief(found) for found in made(text)] == tasks


LEADS = {
    "周三下午三点和客户开会，周四交报告，提前一天提醒我": [[], ["提前一天"]],
    "周三下午三点和客户开会，周四交报告，都提前一天提醒我": [["提前一天"], ["提前一天"]],
    "下周三上午九点项目评审，提前一天和提前半小时各提醒一次": [["提前一天", "提前半小时"]],
    "明天下午两点面试，提前10分钟提醒我": [["提前10分钟"]],
    "明天下午两点面试提前10分钟提醒我": [["提前10分钟"]],
    "周一早上八点的飞机，提前三小时喊我起床": [["提前三小时"]],
    "护照5月20号到期，记得提前两周办": [["提前两周"]],
    "明天下午三点提醒我开会": [["准时"]],
    "明天下午三点开会": [[]],
}


@pytest.mark.parametrize(("text", "words"), LEADS.items(), ids=LEADS)
def test_a_lead_belongs_to_the_last_task_or_to_all(text, words):
    assert [task.remind for task in made(text)] == words


def test_a_moment_before_the_task_rings_for_it():
    (task,) = made("周五晚上六点聚餐，下午五点提醒我出发")

    assert [f"{at:%m-%d %H:%M}" for at in task.remind_at] == ["03-13 17:00"]


def test_a_reminder_in_the_morning_of_something_later():
    (task,) = made("明天早上提醒我下午三点开会")

    assert brief(task) == ("开会", "03-12 15:00")
    assert [f"{at:%m-%d %H:%M}" for at in task.remind_at] == ["03-12 08:00"]


REPEATS = {
    "每周一早上9点提醒我写周报": ("写周报", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"),
    "每个工作日早上八点四十提醒打卡": ("打卡", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=8;BYMINUTE=40"),
    "每月15号还信用卡": ("还信用卡", "FREQ=MONTHLY;BYMONTHDAY=15"),
    "每周二四六晚上八点健身，到六月底": (
        "健身",
        "FREQ=WEEKLY;BYDAY=TU,TH,SA;BYHOUR=20;BYMINUTE=0;UNTIL=20260630T235959",
    ),
    "隔天晚上九点跑步，从今天开始": ("跑步", "FREQ=DAILY;INTERVAL=2;BYHOUR=21;BYMINUTE=0"),
}


@pytest.mark.parametrize(("text", "task"), REPEATS.items(), ids=REPEATS)
def test_a_repeat_is_kept_as_words_and_rule(text, task):
    (found,) = made(text)

    assert (found.title, found.rrule) == task
    assert found.repeat


def test_a_span_has_an_end_and_a_part_of_the_day_has_none():
    (training,) = made("下周三下午两点到五点培训")
    (trip,) = made("10月1号到7号去云南玩")
    (child,) = made("明天傍晚去接孩子")

    assert f"{training.end:%m-%d %H:%M}" == "03-18 17:00"
    assert (f"{trip.end:%m-%d}", trip.all_day) == ("10-08", True)
    assert child.end is None


def test_a_length_ends_the_task():
    (task,) = made("明天三点开会一小时")

    assert (task.title, f"{task.end:%H:%M}") == ("开会", "16:00")


def test_a_delay_does_not_end_the_task():
    assert [task.end for task in made("半小时提醒我吃药", "三分五十秒倒计时")] == [None, None]


def test_what_to_bring_is_a_note():
    (task,) = made("后天一早去体检，别吃早饭，记得带身份证")

    assert (task.title, task.notes) == ("去体检", "别吃早饭；带身份证")


ASKED = {
    "提醒我交报告": ("when", "什么时候提醒你“交报告”？"),
    "2月30日开会": ("when", "2月没有30日，“开会”排在什么时候？"),
    "11月29号周三提交终稿": ("when", "11月29日是星期日，不是星期三，“提交终稿”排在什么时候？"),
    "今天早上八点开会": ("when", "今天早上八点已经过了，“开会”改到什么时候？"),
    "每10秒提醒我喝水": ("when", "“每10秒”太密了，最少隔 10 分钟。“喝水”多久提醒一次？"),
    "周三或周四开会": ("when", "“开会”定在哪个时间？"),
    "每个月32号提醒我": ("when", "没有32号这一天，“提醒”排在什么时候？"),
    "明天下午三点": ("title", "明天下午三点要做什么？"),
}


@pytest.mark.parametrize(("text", "question"), ASKED.items(), ids=ASKED)
def test_what_is_missing_is_asked(text, question):
    (action,) = heard(text).analysis.actions

    assert isinstance(action, Clarify)
    assert (action.missing, action.question) == question
    assert action.pending["op"] == "create"


def test_a_lunar_birthday_has_a_lunar_rule():
    (task,) = made("每年农历五月初八给爷爷过生日，提前一周提醒")

    assert brief(task) == ("给爷爷过生日", "06-22")
    assert task.rrule == "RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=8"


def test_a_day_that_moves_from_year_to_year_is_kept_once_and_said():
    (task,) = made("每年清明给爷爷扫墓，提前一周提醒")

    assert (brief(task), task.rrule) == (("给爷爷扫墓", "04-05"), None)
    assert task.notes


def test_what_to_do_at_the_lead_is_a_note():
    (task,) = made("张三生日是5月6号，提前一周提醒我买礼物")

    assert (task.title, task.remind, task.notes) == ("张三生日", ["提前一周"], "买礼物")


def test_each_message_counts_from_its_own_time():
    said = [
        Said(text="一分钟后提醒我关火", sent_at=NOW),
        Said(text="一分钟后提醒我关灯", sent_at=NOW.replace(minute=5)),
    ]
    actions = analyse(said, zone=ZONE).analysis.actions

    assert [action.start and f"{action.start:%H:%M}" for action in actions if isinstance(action, Create)] == [
        "10:01",
        "10:06",
    ]


def test_the_followers_zone_decides_the_day():
    said = [Said(text="明天九点开会", sent_at=datetime(2026, 3, 11, 23, 0, tzinfo=UTC))]
    (task,) = analyse(said, zone=ZONE).analysis.actions

    assert isinstance(task, Create)
    assert task.start == datetime(2026, 3, 13, 9, 0, tzinfo=ZONE)

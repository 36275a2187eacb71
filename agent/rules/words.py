"""The vocabulary that several rules share, as pieces of patterns over half-width, simplified text."""

import re

# What a follower may do to a thing: at the head of a to-do («买牛奶»), or before «了» when it is done («牛奶买了»).
VERB = (
    "买|购买|开|交|提交|上交|写|做|办理?|弄|搞|寄|取|拿|领|洗|修|订|预订|还|打|发|看|读|背|学|练|约|预约|联系|回复?|整理|准备"
    "|收拾|打扫|清理|缴|付|支付|充|报名|挂号?|参加|复习|预习|检查|更新|备份|续|退|换|搬|浇|喂|遛|接|送|陪|找|剪|缝|煮|倒"
    "|下单|签|盖|打印|复印|扫描|翻译|改|审核?|核对|统计|汇报|汇总|安装|测试|部署|上线|通知|催|盘点|结账|对账|报销|抢|存|拖"
    "|擦|晒|晾|叠|熨|烫|贴|拔|体检|配|加油|完成|提|吃|喝|拍|录|画|跑|投|面试|拜访|确认|汇款?|转|申请|注册|登记|取消|扔|铲|改签|查|装|裱|量|称|换洗|解决|处理|搞定|跟进|对接|沟通|汇总|归还|归档|续费|充值|缴费|打款|付款|请假|复查|复诊"
)
# Of these the time in what follows is the thing's own: «订明天的机票».
ERRAND = "买|购买|订|预订|准备|看|写|改|取|领|洗|熨|交|发|整理|打印|报销|抢|查|核对|检查|回复?|审核?|做"
# Things that are done, not said of someone: with these a message without a time is a to-do.
ACTIVITY = (
    "开会|跑步|健身|锻炼|游泳|睡觉|起床|理发|做饭|出差|值班|上课|加班|聚餐|聚会|吃饭|拜年|瑜伽|打卡|关火|关灯|关窗|开药"
    "|收衣服|收快递|去|来|给|跟|和|与|把|带|叫|问|记得|搬家|旅行|加班|见|call|review|meeting|email|buy|send"
)
_NOT_TODO = (
    "打开|打扰|打算|还好|还行|还可以|还是|还没|看来|看样子|看不|给我|找我|跟你|和你|去你|来了|来电|发现|发生|学会|改天|开心|开玩笑"
    "|开始|约等|换一首|换首|带来|写首|退出|关于|开启|打开"
)
TODO = re.compile(rf"(?!{_NOT_TODO})(?:去|来)?(?:{VERB}|{ACTIVITY})", re.IGNORECASE)

REMIND = r"(?:提醒|叫|喊|通知|告诉)"
THINGS = r"(?:任务|待办事项|待办|日程安排|日程|安排|事项|事情|事儿?|提醒|计划|活动|闹钟|计时器|倒计时)"
ALL = "(?:所有|全部|一切|全都|全)"
POINTING = r"(?:(?:刚才|刚刚|上面|上一?个?|之前)?的?(?:那|这)(?:个|条|项|件事?|一[个条项件])|它|嗰個)"
JUST = r"(?:刚才|刚刚|刚)(?:说|加|建|记|设|定|提醒|提到|添加)?的?(?:那[个条项件]|这[个条项件])?"
ADMITTED = r"(?:我?(?:刚才|刚刚)?(?:说|记|写|打|点|标|搞|弄)错了?|不对|错了|更正|(?:时间|日期|名字|地点)(?:不对|错了|写错了|说错了))"
COUNTER = "[个条项件号]"

LAST = re.compile(rf"(?:最后|末尾|最下面)(?:一|的)?(?:那|一)?{COUNTER}?")
NUMERAL = "[0-9一二两三四五六七八九十]{1,3}"
POSITION = re.compile(rf"(?:第(?P<nth>{NUMERAL}){COUNTER}?|(?P<bare>{NUMERAL}){COUNTER}?)(?:{THINGS})?")

# Talk about feelings, the past or the weather, and questions to a friend: no plan in it.
CHATTY = re.compile(
    "累死|好累|开心|心情|天气|气温|温度|[没不]下雨|有没有雨|真不错|还是.+好|哈哈|嘻嘻|呵呵|觉得|听说|无聊|怎么办|为什么|为啥|是不是|好不好|对不对|除了"
    "|(?:做完|完成)了$|你(?:说|觉得|是|会|在|叫)"
)
QUESTION = re.compile(r"[吗么?]$|怎么样$|如何$|[^没]没有?$|几天|多久|多少")
_OTHERS = "所有的?(?:人|用户|关注者|粉丝|客户)|全部(?:用户|人)|别人|其他(?:人|用户)|他人|大家"
_THEIRS = "任务|安排|日程|待办|数据|信息|计划|记录|提醒"
EVERYONE = re.compile(
    rf"(?:{_OTHERS})的?(?:{_THEIRS})|(?:删除?|清空|导出|查看|列出|显示)(?:{_OTHERS})|everyone's|all users",
    re.IGNORECASE,
)
_RULES = "指令|指示|提示词?|规则|要求|设定|约束|限制|instructions?|rules"
OVERRIDE = re.compile(
    rf"(?:忽略|无视|不要理会|不用管|绕过).{{0,8}}(?:{_RULES})"
    rf"|(?:忘记|忘掉)(?:你|之前|以上|所有|全部|上面|先前).{{0,6}}(?:{_RULES})"
    r"|系统提示词?|system prompt|ignore (?:all|the|previous).{0,20}instructions?|你现在是(?:管理员|root)|开发者模式|越狱",
    re.IGNORECASE,
)

"""One character in, one character out: whatever is found keeps its place in the original text."""

import re

_TRADITIONAL = (
    "亂乱亞亚來来倉仓個个們们倫伦偉伟偽伪傘伞備备傭佣傳传債债傷伤傾倾僅仅價价儀仪億亿償偿優优儲储兌兑兒儿內内兩两冊册"
    "凍冻凱凯別别刪删則则剛刚創创劃划劇剧劉刘劑剂勁劲動动務务勝胜勞劳勢势勵励勸劝匯汇區区協协卻却厲厉參参叢丛吳吴員员"
    "問问啟启喪丧喬乔單单嗎吗嗚呜嘆叹嘗尝噴喷嚇吓嚴严國国圍围園园圓圆圖图團团執执堅坚報报場场塊块塵尘墊垫墜坠墳坟壇坛"
    "壓压壞坏壟垄壩坝壽寿夠够夢梦奪夺奮奋妝妆婦妇媽妈嬰婴孫孙學学宮宫寢寝實实寧宁審审寫写寬宽寶宝將将專专尋寻對对導导"
    "層层屬属島岛峽峡崗岗嶺岭帥帅師师帳帐帶带幣币幫帮幾几庫库廁厕廂厢廈厦廚厨廟庙廠厂廢废廣广廬庐廳厅張张強强彈弹後后"
    "徑径從从復复徹彻愛爱態态慘惨慣惯慫怂慮虑慶庆憂忧憑凭憲宪憶忆應应懶懒懷怀懺忏戰战戲戏戶户拋抛掃扫掛挂採采揚扬換换"
    "揮挥損损搖摇搶抢撫抚撿捡擁拥擇择擊击擔担據据擬拟擴扩擺摆擾扰攏拢攔拦攜携攝摄攤摊敗败敘叙敵敌數数斂敛斬斩斷断時时"
    "晉晋暈晕暢畅暫暂曆历曉晓曠旷曬晒書书會会東东條条棄弃楊杨業业極极構构槍枪樂乐樓楼標标樣样樹树橋桥機机橫横檢检櫃柜"
    "欄栏權权歐欧歡欢歲岁歷历歸归殘残殺杀毀毁氣气氫氢決决沒没況况涼凉淚泪淨净淺浅減减測测渾浑湊凑湯汤準准溝沟溫温滅灭"
    "滬沪滿满漁渔漢汉漲涨漸渐潔洁潤润澤泽濃浓濕湿濟济濤涛濾滤灑洒灣湾為为烏乌無无煙烟熱热燈灯燒烧燙烫營营爐炉爭争爺爷"
    "爾尔牆墙牽牵犧牺狀状猶犹獄狱獎奖獨独獲获現现瑪玛環环產产畝亩畢毕畫画異异當当痺痹瘋疯療疗癢痒發发盜盗監监盤盘盧卢"
    "眾众睏困矯矫確确碼码磚砖礎础礦矿禍祸禮礼種种稱称積积穩稳窮穷竊窃競竞筆笔節节簡简簽签簾帘籃篮籌筹糧粮糾纠紀纪約约"
    "紅红納纳純纯紙纸級级紮扎細细紹绍終终組组結结絕绝絡络給给絨绒統统絲丝綁绑經经綜综綠绿維维網网緊紧緒绪線线編编緩缓"
    "練练縣县縮缩縱纵總总績绩織织繪绘繳缴繼继續续纖纤罰罚羅罗義义習习聖圣聞闻聯联聰聪聲声職职聽听肅肃腦脑腫肿腳脚腸肠"
    "膚肤膽胆臉脸臘腊臟脏臨临臺台與与舉举舊旧艦舰莊庄萬万葉叶蓋盖蓮莲蔣蒋薩萨藝艺藥药蘇苏蘋苹蘭兰蘿萝處处虛虚號号虧亏"
    "蝦虾螢萤蟲虫蠶蚕衆众術术衛卫衝冲裏里補补裝装裡里製制複复襪袜襯衬見见規规視视親亲覺觉覽览觀观觸触訂订計计訊讯討讨"
    "訓训託托記记訪访設设許许訴诉診诊詐诈評评詞词詠咏詢询試试詩诗話话該该詳详誇夸誌志認认誕诞語语誠诚誤误說说誰谁課课"
    "調调談谈請请諒谅諮咨諸诸諾诺謀谋謊谎謎谜講讲謝谢證证識识譜谱譯译議议護护譽誉讀读變变讓让豐丰貓猫貝贝負负財财貢贡"
    "貨货販贩貪贪貫贯責责貴贵買买貸贷費费貿贸賀贺資资賓宾賞赏賠赔賢贤賣卖質质賬账賴赖賺赚購购賽赛贈赠贊赞贏赢趕赶趙赵"
    "趨趋跡迹踐践踴踊蹟迹躍跃車车軌轨軍军軟软較较載载輔辅輕轻輛辆輝辉輪轮輯辑輸输轉转轎轿辦办辭辞辯辩農农迴回這这連连"
    "週周進进遊游運运過过達达違违遙遥遠远適适遲迟遷迁選选遺遗遼辽邁迈還还邊边郵邮鄉乡鄧邓鄭郑鄰邻醞酝醫医醬酱釀酿釋释"
    "針针鈔钞鈴铃鉛铅銀银銅铜銳锐銷销鋁铝鋒锋鋪铺鋼钢錄录錢钱錦锦錯错錶表鍋锅鍵键鍾钟鎖锁鎮镇鏈链鏟铲鏡镜鏽锈鐘钟鐵铁"
    "鑑鉴鑰钥鑽钻長长門门閃闪閉闭開开閏闰閒闲間间閱阅闆板闊阔關关闡阐陣阵陰阴陳陈陸陆陽阳隊队階阶際际隨随險险隱隐隻只"
    "雖虽雙双雜杂雞鸡離离難难雲云電电霧雾靂雳靈灵靜静韓韩韻韵響响頁页頂顶項项順顺須须預预頓顿領领頭头頸颈頻频顆颗題题"
    "額额顏颜願愿類类顧顾顯显風风飄飘飛飞飯饭飲饮飽饱飾饰餃饺餅饼養养餓饿餘余館馆餵喂饋馈饞馋馬马馮冯馳驰駐驻駕驾駛驶"
    "駱骆騎骑騙骗騰腾騷骚驅驱驗验驚惊驟骤體体髮发鬆松鬥斗鬧闹鬱郁魚鱼鮑鲍鮮鲜鯉鲤鱸鲈鳥鸟鳳凤鴨鸭鴻鸿鴿鸽鵝鹅鷹鹰鹽盐"
    "爲为於于華华喫吃奧奥牀床磯矶穌稣紐纽蟄蛰輩辈贖赎瀆渎綫线舘馆箇个証证録录麪面颱台檯台鞦秋韆千鼕冬"
    "麗丽麥麦麵面麼么黃黄點点黨党齊齐齋斋齒齿齡龄龍龙龜龟"
)
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_TABLE: dict[int, int | str] = {
    **_WIDE,
    **{ord(_TRADITIONAL[i]): _TRADITIONAL[i + 1] for i in range(0, len(_TRADITIONAL), 2)},
    **{ord("\u3000"): " ", ord("〜"): "~", ord("—"): "-", ord("–"): "-", ord("－"): "-", ord("〇"): "零", ord("○"): "零", ord("俩"): "两", ord("倆"): "两", ord("仨"): "三", ord("晝"): "昼", ord("聽"): "听", ord("尋"): "寻"},
}

# Nobody sees a space of no width; around numbers some writers, and some keyboards, leave one: «3 月 5 日 下午 3 点».
_GAP, _COUNT = r"[ \t\xa0]", r"\d一二三四五六七八九十"
_LOOSE = re.compile(
    r"[ \t\xa0\u200b-\u200d\u2060\ufeff](?:(?<=[\u200b-\u200d\u2060\ufeff])"
    rf"|(?<=[{_COUNT}两半].)(?=[年月日号点时分刻秒周天个]|小时|星期|礼拜|季度)"
    rf"|(?<=[年月].)(?=[{_COUNT}]{{1,3}}{_GAP}?[月日号])|(?<=个.)(?=小时|星期|礼拜|月)"
    rf"|(?<=[点时].)(?=[{_COUNT}]{{1,3}}{_GAP}?分)|(?<=[第每隔初逢].)(?=[{_COUNT}两]))"
)

_DIGITS = {"零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIAD = "万"
_TENS = {"廿": "二十", "卅": "三十"}


def plain(text: str) -> str:
    """Half-width and simplified, of the same length."""
    return text.translate(_TABLE)


def tight(text: str) -> list[int]:
    """The places that are left without the spaces inside an expression, and the end; nothing where there are none."""
    gone = {match.start() for match in _LOOSE.finditer(text)}
    return [place for place in range(len(text) + 1) if place not in gone] if gone else []


def number(words: str) -> int:
    """«15», «35,000», «十五», «二十», «一百二», «二零二六» (digit by digit), «廿三», «两万»."""
    if words.isascii():
        return int(words.replace(",", ""))
    if _MYRIAD in words:
        many, _, rest = words.partition(_MYRIAD)
        return number(many or "一") * 10_000 + (number(rest) if rest else 0)
    for short, full in _TENS.items():
        words = words.replace(short, full)
    if not re.search("[十百千]", words):
        return int("".join(str(_DIGITS[char]) for char in words))
    return _counted(words)


def _counted(words: str) -> int:
    total, digit, last = 0, 0, 1
    for char in words:
        if char.isdigit():
            digit, last = int(char), 1
        elif char in _UNITS:
            last = _UNITS[char]
            total, digit = total + (digit or 1) * last, 0
        else:
            digit = _DIGITS[char]
            last = 10 if char == "零" else last
    return total + digit * (last // 10 if last > 10 else 1)

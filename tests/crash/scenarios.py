"""Short days in followers' lives, which together pass every crash point of the product."""

from typing import Any

from tests.crash import upkeep
from tests.crash.play import Scenario, Step, does, model_says, says, scripted, waits, works
from tests.crash.steps import (
    abandons,
    clicks,
    leaves,
    ran,
    receipt,
    receipt_unknown,
    scanned,
    spent_refreshes,
    submit_quiet,
    swept,
)

BUSY, CLOSED, USED_UP = {"errcode": -1}, {"errcode": 45015}, {"errcode": 45047}
OLD_TOKEN, QUOTA, NO_PERMISSION, LEFT = {"errcode": 40001}, {"errcode": 45009}, {"errcode": 48001}, {"errcode": 43004}
LOST, REFUSED = {"drop": "after"}, {"drop": "before"}
SEND, TEMPLATE, TOKEN = "custom/send", "template/send", "stable_token"
SPARSE = {"llm": 10.0, "asr": 20.0, "wechat_send": 0.5, "wechat_template": 0.5, "token": 0.5, "media": 20.0}
ONLY_PASSIVE = {"WECHAT_ACCOUNT_KIND": "unverified", "PASSIVE_HOLD_SECONDS": 0}
FIELDS = {"thing1": "title", "time2": "when"}
WITH_TEMPLATE = {"WECHAT_REMINDER_TEMPLATE_ID": "tpl-1", "WECHAT_REMINDER_TEMPLATE_FIELDS": FIELDS}


UNCERTAIN = "嗯那个就按我说的来吧计划：练琴、跑步"  # for the rules, which then leave it to the model


def submit_now() -> list[Step]:
    return [says("就这些"), works(1)]


def scenarios() -> list[Scenario]:
    days = [
        *talking(),
        *questions(),
        *modelling(),
        *sending(),
        *tokens(),
        *reminding(),
        *operating(),
        *unable_to_push(),
    ]
    return [*days, *upkeep.scenarios()]


def warming() -> list[Step]:
    return [says("计划：练琴、跑步"), works(), says("删除练琴"), works(), says("1"), works()]


def talking() -> list[Scenario]:
    return [
        Scenario("a plan and its change", [
            says("买牛奶", makes=("买牛奶",)),
            says("交周报", makes=("交周报",)),
            works(),
            says("删除买牛奶", takes=("买牛奶",)), works(),
        ]),
        Scenario("two followers at once", [
            says("写总结", makes=("写总结",)), says("订机票", who=1, makes=("订机票",)), *submit_now(), works(),
        ]),
        Scenario("a refusal", [says("删除滑雪"), works()]),
        Scenario("a worker vanishes", [
            says("买牛奶", makes=("买牛奶",)), waits(seconds=4), does("submit", submit_quiet), abandons("webhook.Batch"),
            waits(seconds=61), works(), works(),
        ]),
        Scenario("three workers vanish", [
            says("买牛奶"), waits(seconds=4), does("submit", submit_quiet),
            *[step for _ in range(3) for step in (abandons("webhook.Batch"), waits(seconds=61), does("sweep", swept))],
            works(), clicks("retry_batch", "webhook.Batch", status="FAILED"), works(),
        ], fails=True, unsure=True),
    ]  # fmt: skip


def questions() -> list[Scenario]:
    two = [says("后天下午三点和小王开会", makes=("和小王开会",)), works(),
           says("大后天下午三点和老李开会", makes=("和老李开会",)), works()]  # fmt: skip
    return [
        Scenario("a question and its answer", [*two, says("删除开会"), works(), says("1", takes=("和小王开会",)), works()]),
        Scenario("a question called off", [*two, says("删除开会"), works(), says("算了"), works()]),
        Scenario("a question that expires", [*two, says("删除开会"), works(), waits(minutes=31), works(),
                                          waits(minutes=31), works(), says("1"), works()]),
        Scenario("a question cancelled by an operator", [
            *two, says("删除开会"), works(), clicks("cancel_batch", "webhook.Batch", "试", status="WAITING"), works()]),
    ]  # fmt: skip


def modelling() -> list[Scenario]:
    def with_model(name: str, *steps: Step, budget: str = "", **more: Any) -> Scenario:
        given = {"LLM_BASE_URL": "model", **({budget: 1} if budget else {})}
        return Scenario(name, list(steps), settings=given, **more)

    plan = says(UNCERTAIN, makes=("练琴", "跑步"))
    bad = {"body": {"choices": [{"index": 0, "finish_reason": "stop",
                                 "message": {"role": "assistant", "content": "not json"}}]}}  # fmt: skip
    return [
        with_model("a model that never says the same twice", plan, works(), works(8)),
        with_model("a model that is corrected", model_says(bad), plan, works(), works(8)),
        with_model("a model that fails", model_says({"status": 500, "body": "no"}), plan, works(), works(8), works(60),
                   spends=True),
        with_model("a model that is down", model_says({"status": 503, "body": "no"}), plan, works(), works(15), works(60)),
        with_model("a model without money", model_says({"status": 402, "body": "no"}), plan, works(), works(90), works(90),
                   clicks("close", "planner.Alarm")),
        with_model("a plan that is refused", model_says({"status": 413, "body": "no"}), plan, works(),
                   clicks("retry_batch", "webhook.Batch", status="FAILED"), works(), works(8), fails=True),
        Scenario("the agent apart", [says("买牛奶", makes=("买牛奶",)), works(), works(8)], apart="AGENT_URL"),
        Scenario("the tools apart", [says("买牛奶", makes=("买牛奶",)), works(), works(8)], apart="TOOLS_URL"),
        with_model("a long outage", model_says(*[{"status": 503, "body": "no"}] * 12), plan, works(),
                   *[works(300) for _ in range(12)], works(60), unsure=True),
        with_model("two in a row", model_says({"status": 500, "body": "no"}), plan, works(),
                   says("浇花", makes=("浇花",)), works(), works(60), spends=True),
        *[with_model(name, plan, works(), says("嗯那个就按我说的来吧计划：浇花"), works(), waits(hours=25), works(),
                     budget=budget, unsure=True)
          for name, budget in (("a day's budget", "LLM_DAILY_TOKENS_PER_FOLLOWER"),
                               ("everybody's budget", "LLM_DAILY_TOKENS"))],
    ]  # fmt: skip


def told(name: str, *answers: dict[str, Any], then: list[Step], path: str = SEND, **more: Any) -> Scenario:
    return Scenario(name, [says("买牛奶", makes=("买牛奶",)), scripted(path, *answers), works(), *then], **more)


def sending() -> list[Scenario]:
    later = [works(8), works(40)]
    again = clicks("send_again", "webhook.OutboundMessage", status="UNKNOWN")
    return [
        told("WeChat is busy", BUSY, then=later),
        told("the window is closed", CLOSED, then=[says("交周报", makes=("交周报",)), works(), *later]),
        told("the messages are used up", USED_UP, then=[says("交周报", makes=("交周报",)), works(), *later]),
        told("the quota is used up", QUOTA, then=[waits(hours=25), works(), works(70)]),
        told("no permission", NO_PERMISSION, then=[
            clicks("send_again", "webhook.OutboundMessage", status="FAILED"), works(70), works(70)], unknown=True),
        told("the follower has left", LEFT, then=later),
        told("the follower takes no messages", {"errcode": 48002}, then=later, unknown=True),
        told("the answer is lost", LOST, then=[*later, clicks("mark_delivered", "webhook.OutboundMessage",
                                                              status="UNKNOWN"), works()], unknown=True),
        told("the request is lost", REFUSED, then=[*later, again, works(), works(70)], unknown=True),
        Scenario("the answer comes after the sweep", [
            says("买牛奶", makes=("买牛奶",)), waits(seconds=4), does("overtaken", lambda cast: cast.overtaken()), works()]),
        Scenario("a sender vanishes", [
            says("买牛奶", makes=("买牛奶",)), waits(seconds=4), does("submit", submit_quiet), does("run", ran),
            abandons("webhook.OutboundMessage"), waits(seconds=61), works(),
            clicks("resolve", "planner.Review"), works()], unknown=True),
    ]  # fmt: skip


def tokens() -> list[Scenario]:
    rests = [works(70), works(70), works(70)]
    milk = says("买牛奶", makes=("买牛奶",))
    return [
        told("the token is old", OLD_TOKEN, then=[works(8), works(40)]),
        told("the token is killed elsewhere", OLD_TOKEN, OLD_TOKEN, then=rests),
        told("the token is refused", {"errcode": 40125}, path=TOKEN, then=rests[:2]),
        Scenario("the token was forced just now", [
            milk, works(), works(8), says("交周报", makes=("交周报",)), scripted(SEND, OLD_TOKEN, OLD_TOKEN), works(), *rests], rare=True),
        Scenario("no forced refresh is left", [
            milk, works(), spent_refreshes(), says("交周报", makes=("交周报",)), scripted(SEND, OLD_TOKEN), works(),
            works(700), works(70)], rare=True),
        Scenario("calls too close together", [
            milk, says("交周报", who=1, makes=("交周报",)), works(), works(8), works(60)],
            settings={"UPSTREAM_RATES": SPARSE}, rare=True),
    ]  # fmt: skip


def reminding() -> list[Scenario]:
    ring = [says("10分钟后提醒我喝水", makes=("喝水",)), works(), waits(minutes=10), works()]
    two = [
        says("10分钟后提醒我喝水", makes=("喝水",)),
        says("10分钟后提醒我关火", makes=("关火",)),
        works(),
        waits(minutes=10),
    ]
    templated = {"settings": WITH_TEMPLATE}
    return [
        Scenario("a reminder", ring),
        Scenario("a reminder by template, and its receipt", [*ring, receipt("success"), works()], **templated),
        Scenario("a template that the phone refuses", [*ring, receipt("failed:user block"), works()], unknown=True, **templated),
        Scenario("a template that WeChat fails", [*ring, receipt("failed: system failed"), works(), works()],
                 unknown=True, **templated),
        Scenario("a template whose answer is lost", [
            *ring[:3], scripted(TEMPLATE, LOST), works(), works(8), receipt("success"), works(40)], unknown=True, **templated),
        Scenario("two reminders in one template", [*two, works(), receipt("success"), works()], **templated),
        Scenario("two reminders in one template whose answer is lost", [
            *two, scripted(TEMPLATE, LOST), works(), works(8), works(40)], unknown=True, **templated),
        Scenario("a template that is not there", [
            *ring[:3], scripted(TEMPLATE, {"errcode": 40037}), works(), works(8)], **templated),
        Scenario("a template whose answer is lost, and the phone refuses", [
            *ring[:3], scripted(TEMPLATE, LOST), works(), waits(minutes=9), works(), receipt("failed:user block"), works(40)],
            unknown=True, rare=True, **templated),
        Scenario("a receipt of a sender that vanished", [
            *ring[:3], does("scan", scanned), abandons("webhook.OutboundMessage"), receipt_unknown(), waits(seconds=61), works(),
            works(40)], unknown=True, **templated),
        Scenario("a reminder that is done first", [
            says("10分钟后提醒我喝水", makes=("喝水",)), works(), says("喝水完成了"), works(), waits(minutes=10), works()]),
        Scenario("a reminder that is moved away and back", [
            says("后天下午三点提醒我喝水", makes=("喝水",)), works(), says("把喝水改到后天下午四点"), works(),
            says("把喝水改到后天下午三点"), works(), waits(hours=72), works(), works(40)], rare=True),
        Scenario("the follower leaves", [
            says("10分钟后提醒我喝水", makes=("喝水",)), leaves(), works(), waits(minutes=10), works()]),
    ]  # fmt: skip


def operating() -> list[Scenario]:
    return [
        Scenario("a batch cancelled before it begins", [
            says("买牛奶"), clicks("cancel_batch", "webhook.Batch", "试", status="COLLECTING"), works()], unsure=True),
        Scenario("a batch cancelled when it was to begin", [
            says("买牛奶"), waits(seconds=4), does("submit", submit_quiet),
            clicks("cancel_batch", "webhook.Batch", "试", status="SUBMITTED"), works()], unsure=True, rare=True),
    ]  # fmt: skip


def unable_to_push() -> list[Scenario]:
    """What is ready is handed over when the follower writes; what was left over, with his next message."""
    told = [says("买牛奶", makes=("买牛奶",)), works(), says("交周报", makes=("交周报",)), works()]
    return [
        Scenario("answers left over", [*told, says("在吗"), works()], settings=ONLY_PASSIVE, rare=True),
        Scenario("several left over at once", [
            says("10分钟后提醒我喝水", makes=("喝水",)), works(), says("删除滑雪"), works(), waits(minutes=10), works(), says("在吗"),
            works(), says("谢谢"), works()], settings=ONLY_PASSIVE, rare=True),
    ]  # fmt: skip

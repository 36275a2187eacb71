"""Short days in followers' lives, which together pass every crash point of the product."""

from collections.abc import Callable
from typing import Any

from tests.crash.play import Cast, Scenario, Step, does, model_says, says, scripted, speaks, waits, works
from tests.doubles.asr import SECRET_ID, SECRET_KEY, SENTENCE

BUSY, CLOSED, USED_UP = {"errcode": -1}, {"errcode": 45015}, {"errcode": 45047}
OLD_TOKEN, QUOTA, NO_PERMISSION, LEFT = {"errcode": 40001}, {"errcode": 45009}, {"errcode": 48001}, {"errcode": 43004}
LOST, REFUSED = {"drop": "after"}, {"drop": "before"}
SEND, TEMPLATE, TOKEN = "custom/send", "template/send", "stable_token"
FIELDS = {"thing1": "title", "time2": "when"}
WITH_TEMPLATE = {"WECHAT_REMINDER_TEMPLATE_ID": "tpl-1", "WECHAT_REMINDER_TEMPLATE_FIELDS": FIELDS}


UNCERTAIN = "嗯那个就按我说的来吧计划：练琴、跑步"  # for the rules, which then leave it to the model


def first(model: str, **lookups: Any) -> Any:
    from django.apps import apps

    return apps.get_model(model).objects.filter(**lookups).order_by("id").first()


def operator() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get_or_create(username="proof")[0]


def clicks(button: str, model: str, *more: Any, **lookups: Any) -> Step:
    """An operator's button on the first row that fits; a row that is not there has been dealt with."""

    def act(cast: Cast) -> None:
        from planner import operators as planners
        from webhook import operators as webhooks

        row = first(model, **lookups)
        if row is not None:
            pressed: Callable[..., Any] = getattr(webhooks, button, None) or getattr(planners, button)
            pressed(row, operator(), *more)

    return does(f"an operator: {button}", act)


def abandons(model: str) -> Step:
    """A worker claims and is never seen again."""

    def act(cast: Cast) -> None:
        from django.apps import apps

        apps.get_model(model).claim(900)

    return does("a worker vanishes", act)


def receipt(status: str) -> Step:
    """WeChat tells what became of the template that it took."""

    def act(cast: Cast) -> None:
        templates = cast.stage.world.ask(cast.stage.world.wechat, "truth")["templates"]
        for number, (openid, _, msgid) in enumerate(templates):
            if openid == cast.openid(0):
                cast.event(0, Event="TEMPLATESENDJOBFINISH", MsgID=msgid, Status=status, sent=1_700_000_000 + number)

    return Step(f"receipt {status}", act)


def receipt_unknown() -> Step:
    """Of a message whose number we have never heard."""
    return Step("a receipt", lambda cast: cast.event(0, Event="TEMPLATESENDJOBFINISH", MsgID=77, Status="success",
                                                     sent=1_700_000_000))  # fmt: skip


def scanned(cast: Cast) -> None:
    from reminders.scan import scan_next

    scan_next()


def leaves() -> Step:
    return Step("the follower leaves", lambda cast: cast.event(0, Event="unsubscribe", sent=1_700_000_000))


def submit_now() -> list[Step]:
    return [says("就这些"), works(1)]


def scenarios() -> list[Scenario]:
    return [*talking(), *questions(), *modelling(), *sending(), *reminding(), *operating(), *speaking(), *extras()]


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


def submit_quiet(cast: Cast) -> None:
    from webhook.sweep import submit_quiet

    submit_quiet()


def swept(cast: Cast) -> None:
    from webhook.sweep import sweep

    sweep()


def questions() -> list[Scenario]:
    two = [says("后天下午三点和小王开会", makes=("和小王开会",)), works(),
           says("大后天下午三点和老李开会", makes=("和老李开会",)), works()]  # fmt: skip
    return [
        Scenario("a question and its answer", [*two, says("删除开会"), works(), says("1", takes=("和小王开会",)), works()]),
        Scenario("a question called off", [*two, says("删除开会"), works(), says("算了"), works()]),
        Scenario("a question that expires", [*two, says("删除开会"), works(), waits(minutes=31), works(), says("1"), works()]),
        Scenario("a question cancelled by an operator", [
            *two, says("删除开会"), works(), clicks("cancel_batch", "webhook.Batch", "试", status="WAITING"), works()]),
    ]  # fmt: skip


def modelling() -> list[Scenario]:
    def with_model(name: str, *steps: Step, budget: int = 0, **more: Any) -> Scenario:
        given = {"LLM_BASE_URL": "model", **({"LLM_DAILY_TOKENS_PER_FOLLOWER": budget} if budget else {})}
        return Scenario(name, list(steps), settings=given, **more)

    plan = says(UNCERTAIN, makes=("练琴", "跑步"))
    bad = {"body": {"choices": [{"index": 0, "finish_reason": "stop",
                                 "message": {"role": "assistant", "content": "not json"}}]}}  # fmt: skip
    return [
        with_model("a model that never says the same twice", plan, works(), works(8)),
        with_model("a model that is corrected", model_says(bad), plan, works(), works(8)),
        with_model("a model that fails", model_says({"status": 500, "body": "no"}), plan, works(), works(8), works(60)),
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
                   says("浇花", makes=("浇花",)), works(), works(60)),
        with_model("a day's budget", plan, works(), says("嗯那个就按我说的来吧计划：浇花"), works(),
                   waits(hours=25), works(), budget=1, unsure=True),
    ]  # fmt: skip


def sending() -> list[Scenario]:
    def told(name: str, *answers: dict[str, Any], then: list[Step], path: str = SEND, **more: Any) -> Scenario:
        return Scenario(name, [says("买牛奶", makes=("买牛奶",)), scripted(path, *answers), works(), *then], **more)

    later = [works(8), works(40)]
    again = clicks("send_again", "webhook.OutboundMessage", status="UNKNOWN")
    return [
        told("WeChat is busy", BUSY, then=later),
        told("the window is closed", CLOSED, then=[says("交周报", makes=("交周报",)), works(), *later]),
        told("the messages are used up", USED_UP, then=[says("交周报", makes=("交周报",)), works(), *later]),
        told("the token is old", OLD_TOKEN, then=later),
        told("the token is killed elsewhere", OLD_TOKEN, OLD_TOKEN, then=[works(70), works(70), works(70)]),
        told("the token is refused", {"errcode": 40125}, path=TOKEN, then=[works(70), works(70)]),
        told("the quota is used up", QUOTA, then=[waits(hours=25), works(), works(70)]),
        told("no permission", NO_PERMISSION, then=[
            clicks("send_again", "webhook.OutboundMessage", status="FAILED"), works(70), works(70)], unknown=True),
        told("the follower has left", LEFT, then=later),
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


def ran(cast: Cast) -> None:
    from agent.worker import run_next

    run_next()


def reminding() -> list[Scenario]:
    ring = [says("10分钟后提醒我喝水", makes=("喝水",)), works(), waits(minutes=10), works()]
    two = [says("10分钟后提醒我喝水", makes=("喝水",)), says("10分钟后提醒我关火", makes=("关火",)), works(), waits(minutes=10)]
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
        Scenario("a receipt of a sender that vanished", [
            *ring[:3], does("scan", scanned), abandons("webhook.OutboundMessage"), receipt_unknown(), waits(seconds=61), works(),
            works(40)], unknown=True, **templated),
        Scenario("a reminder that is done first", [
            says("10分钟后提醒我喝水", makes=("喝水",)), works(), says("喝水完成了"), works(), waits(minutes=10), works()]),
        Scenario("the follower leaves", [
            says("10分钟后提醒我喝水", makes=("喝水",)), leaves(), works(), waits(minutes=10), works()]),
    ]  # fmt: skip


def operating() -> list[Scenario]:
    return [
        Scenario("a batch cancelled before it begins", [
            says("买牛奶"), clicks("cancel_batch", "webhook.Batch", "试", status="COLLECTING"), works()], unsure=True),
    ]  # fmt: skip


def speaking() -> list[Scenario]:
    def voice(name: str, *steps: Step, **more: Any) -> Scenario:
        given = {"TENCENT_SECRET_ID": SECRET_ID, "TENCENT_SECRET_KEY": SECRET_KEY}
        return Scenario(name, list(steps), settings=given, **more)

    milk = speaks("买牛奶。", makes=("买牛奶",))
    patience = [works(20), works(60), works(120), works(600)]

    def asr_says(*answers: dict[str, Any]) -> Step:
        def act(cast: Cast) -> None:
            cast.stage.world.ask(cast.stage.world.asr, "script", action=SENTENCE, answers=list(answers))

        return Step("the recogniser will answer", act)

    return [
        voice("a voice message", milk, works(), *patience),
        voice("a long voice message", speaks("买牛奶。", seconds=70, makes=("买牛奶",)), works(), *patience),
        voice("a voice worker vanishes", milk, waits(seconds=4), abandons("webhook.VoiceClip"), waits(seconds=61), works(),
              *patience),
        voice("a recogniser that fails", asr_says({"status": 502, "body": "no"}), milk, works(), *patience),
        voice("a recording that is gone", speaks("买牛奶。", lost=True), works(), clicks("retry_clip", "webhook.VoiceClip"),
              *patience, unsure=True, fails=True),
        voice("a voice message that nobody hears", milk, waits(minutes=16), works(), *patience, unsure=True, fails=True),
    ]  # fmt: skip


def extras() -> list[Scenario]:
    """Overviews, erasure, and upstreams that a person mends."""
    bad = does("somebody sends what nobody can read", lambda cast: cast.unreadable())
    return [
        Scenario(
            "a morning's overview",
            [
                says("后天上午九点交周报", makes=("交周报",)),
                works(),
                says("每天早上八点发早报"),
                works(),
                waits(hours=24),
                works(),
            ],
        ),
        Scenario(
            "all is forgotten",
            [
                says("买牛奶"),
                works(),
                says("交周报"),
                does("ask for the erasure", forgotten),
                works(),
                works(),
            ],
            unsure=True,
            erased=True,
        ),
        Scenario(
            "an eraser vanishes",
            [
                says("买牛奶"),
                works(),
                does("ask for the erasure", forgotten),
                abandons("webhook.Erasure"),
                waits(minutes=16),
                works(),
                works(),
            ],
            unsure=True,
            erased=True,
        ),
        Scenario(
            "the upstream is mended",
            [
                says("买牛奶", makes=("买牛奶",)),
                scripted(SEND, NO_PERMISSION),
                works(),
                clicks("resume", "planner.Alarm"),
                works(70),
                works(70),
            ],
            unknown=True,
        ),
        Scenario("an unreadable message", [bad, says("买牛奶", makes=("买牛奶",)), works()]),
    ]


def forgotten(cast: Cast) -> None:
    from webhook.forgetting import begin

    follower = first("planner.Follower", openid=cast.openid(0))
    if follower is not None:
        begin(follower.pk, by="proof")

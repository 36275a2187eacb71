"""Days of the parts beside: voice messages, erasure, overviews, retention, and upstreams that a person mends."""

from typing import Any

from tests.crash.play import Cast, Scenario, Step, does, says, scripted, speaks, waits, works
from tests.crash.steps import abandons, breaks, clicks, erased_a_little, forgotten, forgotten_again, kept, worn_out
from tests.doubles.asr import SECRET_ID, SECRET_KEY, SENTENCE

NO_PERMISSION = {"errcode": 48001}
LOST = {"drop": "after"}


def scenarios() -> list[Scenario]:
    return [*speaking(), *unheard(), *erasing(), *keeping()]


def voice(name: str, *steps: Step, **more: Any) -> Scenario:
    given = {"TENCENT_SECRET_ID": SECRET_ID, "TENCENT_SECRET_KEY": SECRET_KEY}
    return Scenario(name, list(steps), settings=given, **more)


def asr_says(*answers: dict[str, Any]) -> Step:
    def act(cast: Cast) -> None:
        cast.stage.world.ask(cast.stage.world.asr, "script", action=SENTENCE, answers=list(answers))

    return Step("the recogniser will answer", act)


def refuses(code: str) -> dict[str, Any]:
    error = {"Code": code, "Message": code}
    return {"body": {"Response": {"Error": error, "RequestId": "r"}}, "headers": {"Content-Type": "application/json"}}


MILK = speaks("买牛奶。", makes=("买牛奶",))
PATIENCE = [works(20), works(60), works(120), works(600)]


def speaking() -> list[Scenario]:
    return [
        voice("a voice message", MILK, works(), *PATIENCE),
        voice("a long voice message", speaks("买牛奶。", seconds=70, makes=("买牛奶",)), works(), *PATIENCE),
        voice("a voice worker vanishes", MILK, waits(seconds=4), abandons("webhook.VoiceClip"), waits(seconds=61), works(),
              *PATIENCE),
        voice("a recogniser that fails", asr_says({"status": 502, "body": "no"}), MILK, works(), *PATIENCE),
        voice("a recogniser that stumbles", asr_says(refuses("InternalError")), MILK, works(), *PATIENCE, rare=True),
        voice("a recogniser that falls silent", asr_says(LOST), MILK, works(), *PATIENCE, rare=True),
        voice("a voice message without words", speaks(""), works(), *PATIENCE, rare=True),
    ]  # fmt: skip


def unheard() -> list[Scenario]:
    """Voice messages that come to nothing, or to WeChat's own words."""
    gone = {"unsure": True, "fails": True}
    seldom = {**gone, "rare": True}
    cancelled = clicks("cancel_batch", "webhook.Batch", "试", status__in=["COLLECTING", "SUBMITTED"])
    return [
        voice("a recording that is gone", speaks("买牛奶。", lost=True), works(), clicks("retry_clip", "webhook.VoiceClip"),
              *PATIENCE, **gone),
        voice("a voice message that nobody hears", MILK, waits(minutes=16), works(), *PATIENCE, **gone),
        voice("a recogniser that knows us no more", asr_says(refuses("AuthFailure")), MILK, works(),
              clicks("retry_clip", "webhook.VoiceClip"), works(), *PATIENCE, **seldom),
        voice("WeChat's own words stand in", speaks("买牛奶。", lost=True, recognition="买牛奶。", makes=("买牛奶",)), works(),
              *PATIENCE, rare=True),
        voice("three voice workers vanish", MILK, waits(seconds=4),
              *[step for _ in range(3) for step in (abandons("webhook.VoiceClip"), waits(seconds=61), works(0))],
              *PATIENCE, **seldom),
        voice("a voice message called off", MILK, cancelled, works(), *PATIENCE, **seldom),
        voice("a voice message called off while it is heard", MILK, abandons("webhook.VoiceClip"), cancelled, works(),
              *PATIENCE, **seldom),
    ]  # fmt: skip


def erasing() -> list[Scenario]:
    def erased(name: str, *steps: Step, **more: Any) -> Scenario:
        return Scenario(name, [says("买牛奶"), works(), *steps], unsure=True, erased=True, **more)

    asked = does("ask for the erasure", forgotten)
    return [
        erased("all is forgotten", says("交周报"), asked, works(), works()),
        erased("what waits for the follower is called off", says("交周报"), works(), asked, works(), works(),
               settings={"WECHAT_ACCOUNT_KIND": "unverified", "PASSIVE_HOLD_SECONDS": 0}, rare=True),
        erased("an eraser vanishes", asked, abandons("webhook.Erasure"), waits(minutes=16), works(), works()),
        erased("an eraser with little time", asked, does("erase a little", erased_a_little), works(), works(), rare=True),
        erased("an eraser loses its connection", asked, breaks("erase:before"), works(), works(10), works(60),
               rare=True),
        erased("erasers die as often as they may", asked, worn_out(), abandons("webhook.Erasure"), waits(minutes=16), works(0),
               does("ask again", forgotten_again), works(), works(), rare=True),
    ]  # fmt: skip


def keeping() -> list[Scenario]:
    milk, report = says("买牛奶", makes=("买牛奶",)), says("后天上午九点交周报", makes=("交周报",))
    bad = does("somebody sends what nobody can read", lambda cast: cast.unreadable())
    return [
        Scenario("a morning's overview", [report, works(), says("每天早上八点发早报"), works(), waits(hours=24), works()]),
        Scenario("the upstream is mended", [
            milk, scripted("custom/send", NO_PERMISSION), works(), clicks("resume", "planner.Alarm"), works(70), works(70)],
            unknown=True),
        Scenario("an unreadable message", [bad, milk, works()]),
        Scenario("what is long over goes", [
            says("买牛奶"), works(), says("删除买牛奶"), works(), waits(days=800), does("retention", kept), works(),
            waits(days=1), does("retention", kept), works()],
            unsure=True, erased=True, rare=True),
    ]  # fmt: skip

"""One access_token for all processes: fetched by one, renewed once per failure, never hammered for."""

from datetime import timedelta

import pytest

from planner.clock import CHINA, AppNow, app_now
from planner.models import Alarm
from tests.builders import outbound
from tests.doubles.server import Answer
from webhook.delivery import deliver_next
from webhook.models import AccessToken, OutboundMessage
from webhook.tokens import FORCES_A_DAY

pytestmark = pytest.mark.django_db
TOKEN = "stable_token"


def deliver(wechat, times: int = 1) -> None:
    for _ in range(times):
        deliver_next(wechat.client())


def fetches(wechat) -> list[bool]:
    """Was each fetch forced?"""
    return [request.json["force_refresh"] for request in wechat.calls(TOKEN)]


def statuses() -> list[str]:
    return list(OutboundMessage.objects.order_by("pk").values_list("status", flat=True))


def alarms() -> set[str]:
    return set(Alarm.objects.filter(closed_at=None).values_list("key", flat=True))


def test_one_fetch_serves_many_messages(mei, wechat):
    for n in range(4):
        outbound(mei, str(n))

    deliver(wechat, 4)

    assert fetches(wechat) == [False]
    assert statuses() == [OutboundMessage.SENT] * 4


def test_the_secret_travels_in_the_body_and_never_in_an_address(mei, wechat):
    outbound(mei)

    deliver(wechat)

    (request,) = wechat.calls(TOKEN)
    assert (request.method, request.query) == ("POST", {})
    assert request.json["secret"] == "app-secret-app-secret-app-secret"


def test_a_token_is_renewed_five_minutes_before_its_end(mei, wechat, clock):
    outbound(mei)
    deliver(wechat)

    clock.forward(seconds=7200 - 299)
    outbound(mei)
    deliver(wechat)

    assert fetches(wechat) == [False, False]


def test_a_dead_token_is_renewed_and_the_message_sent_once(mei, wechat):
    outbound(mei, "一")
    deliver(wechat)
    wechat.new_token()

    outbound(mei, "二")
    deliver(wechat)

    assert fetches(wechat) == [False, False]
    assert wechat.received(mei.openid) == ["一", "二"]


def test_another_process_newer_token_is_taken_without_a_fetch(mei, wechat):
    wechat.new_token()
    AccessToken.objects.create(app_id=mei.app_id, token="dead", expires_at=AppNow() + timedelta(hours=1))
    outbound(mei)

    class Meanwhile(type(wechat.client())):
        def send_text(self, token, *arguments):
            AccessToken.objects.update(token=wechat.token)
            super().send_text(token, *arguments)

    deliver_next(Meanwhile())

    assert (statuses(), fetches(wechat)) == ([OutboundMessage.SENT], [])


def test_only_the_same_token_come_back_is_forced_away(mei, wechat):
    wechat.token = "stuck"
    outbound(mei)
    wechat.script("custom/send", {"errcode": 40001})

    deliver(wechat)

    assert fetches(wechat) == [False, False, True]
    assert statuses() == [OutboundMessage.SENT]


def test_forcing_again_waits_thirty_seconds_and_so_does_everybody(mei, bo, wechat, clock):
    wechat.token = "stuck"
    AccessToken.objects.create(app_id=mei.app_id, token="stuck", expires_at=AppNow() + timedelta(hours=1), forced_at=AppNow())  # fmt: skip
    wechat.script("custom/send", {"errcode": 40001})
    outbound(mei)
    outbound(bo)

    deliver(wechat, 4)
    assert (fetches(wechat), len(wechat.sends())) == ([False], 1)

    clock.forward(seconds=31)
    deliver(wechat, 2)
    assert statuses() == [OutboundMessage.SENT] * 2


def stuck(mei, **columns) -> None:
    """A token that only a forced refresh can replace."""
    expires_at = AppNow() + timedelta(hours=1)
    AccessToken.objects.create(app_id=mei.app_id, token="stuck", expires_at=expires_at, **columns)


def test_forced_refreshes_are_counted_and_stop_before_wechats_own_limit(mei, wechat, clock):
    wechat.token = "stuck"
    stuck(mei, forced_day=app_now().astimezone(CHINA).date(), forced_count=FORCES_A_DAY)
    wechat.script("custom/send", *[{"errcode": 40001}] * 9)
    outbound(mei)

    for _ in range(6):
        deliver(wechat)
        clock.forward(seconds=90)

    assert True not in fetches(wechat)
    assert (len(wechat.sends()), alarms()) == (1, {"wechat:token-forced"})


def test_a_new_day_may_force_again(mei, wechat):
    wechat.token = "stuck"
    yesterday = (app_now().astimezone(CHINA) - timedelta(days=1)).date()
    stuck(mei, forced_day=yesterday, forced_count=FORCES_A_DAY)
    wechat.script("custom/send", {"errcode": 40001})
    outbound(mei)

    deliver(wechat)

    row = AccessToken.objects.get()
    assert (row.forced_count, statuses()) == (1, [OutboundMessage.SENT])


def test_a_token_killed_elsewhere_is_renewed_once_and_told_once(mei, bo, wechat, clock):
    for who in (mei, bo, mei):
        outbound(who)
    wechat.script("custom/send", *[{"errcode": 40001}] * 50)
    wechat.script(TOKEN, *[{"access_token": f"fresh-{n}", "expires_in": 7200} for n in range(50)])

    for _ in range(10):
        deliver(wechat, 4)
        clock.forward(seconds=5)

    assert len(wechat.sends()) == 2
    assert fetches(wechat) == [False, False]
    assert alarms() == {"wechat:token-elsewhere"}
    assert statuses() == [OutboundMessage.PENDING] * 3


def test_what_a_killed_token_held_up_is_sent_when_it_lives_again(mei, wechat, clock):
    outbound(mei, "一")
    wechat.script("custom/send", {"errcode": 40001}, {"errcode": 40001})
    deliver(wechat)

    clock.forward(seconds=61)
    deliver(wechat)

    assert wechat.received(mei.openid) == ["一"]


@pytest.mark.parametrize("code", [40001, 40013, 40125, 40164, 40243, 89503])
def test_a_wrong_secret_is_told_once_and_not_hammered(mei, bo, wechat, clock, code):
    wechat.script(TOKEN, *[{"errcode": code, "errmsg": "invalid rid: 65a"}] * 50)
    outbound(mei)
    outbound(bo)

    for _ in range(12):
        deliver(wechat, 3)
        clock.forward(seconds=10)

    assert len(wechat.calls(TOKEN)) <= 2
    assert (wechat.sends(), alarms()) == ([], {"wechat:token"})
    assert statuses() == [OutboundMessage.PENDING] * 2


def test_once_the_secret_is_mended_everything_travels_and_the_alarm_closes(mei, wechat, clock):
    outbound(mei, "一")
    wechat.script(TOKEN, {"errcode": 40125})
    deliver(wechat, 2)

    clock.forward(minutes=2)
    deliver(wechat)

    assert (wechat.received(mei.openid), alarms()) == (["一"], set())


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500),
        Answer(502, "<html>"),
        Answer(200, "<html>"),
        Answer(200, {}),
        Answer(200, []),
        Answer(200, {"access_token": 7}),
        Answer(200, {"access_token": "x" * 2000, "expires_in": 7200}),
        Answer(200, {"access_token": "t", "expires_in": "soon"}),
        Answer(200, {"errcode": -1}),
        Answer(200, {"errcode": 45009}),
        Answer(drop="before"),
        Answer(drop="hang"),
    ],
    ids=["500", "502", "html", "empty", "list", "number", "huge", "life", "busy", "quota", "drop", "hang"],
)
def test_no_token_is_no_failure_of_the_message(mei, wechat, clock, settings, answer):
    settings.WECHAT_READ_SECONDS = 0.3
    outbound(mei, "一")
    wechat.script(TOKEN, answer)

    deliver(wechat)
    row = OutboundMessage.objects.get()
    assert (row.status, row.claims) == (OutboundMessage.PENDING, 0)
    clock.forward(minutes=2)
    deliver(wechat)

    assert wechat.received(mei.openid) == ["一"]


@pytest.mark.parametrize("life", ["NaN", "-5", "1e300", "0"])
def test_a_strange_life_never_breaks_the_clock(mei, wechat, life):
    wechat.token = "t"
    wechat.script(TOKEN, Answer(200, f'{{"access_token": "t", "expires_in": {life}}}'))
    outbound(mei)

    deliver(wechat)

    assert statuses() == [OutboundMessage.SENT]


def test_while_one_fetches_others_give_their_work_back(mei, wechat, clock):
    AccessToken.objects.create(app_id=mei.app_id, fetching_until=AppNow() + timedelta(seconds=20))
    outbound(mei, "一")

    deliver(wechat)
    assert (wechat.requests, OutboundMessage.objects.get().claims) == ([], 0)

    clock.forward(seconds=21)
    deliver(wechat)
    assert wechat.received(mei.openid) == ["一"]

"""The outcome table: from each answer of WeChat's to the row, the follower, the alarm and the person who looks."""

import socket
from contextlib import closing, contextmanager
from datetime import timedelta

import pytest

from planner.clock import AppNow, app_now
from planner.models import Alarm, Follower, Review
from planner.upstreams import Phase, Upstream
from planner.upstreams.stores import store
from tests.builders import outbound, say
from tests.doubles.server import Answer
from tests.webhook.outcome_table import (
    CANCELLED,
    CLOSED,
    COUNTED,
    FAILED,
    OF_TOKEN,
    PENDING,
    SENT,
    STOPPED,
    TABLE,
    UNKNOWN,
)
from tests.webhook.sending import deliver, never_again, the_row
from webhook.models import AccessToken, Attempt, OutboundMessage
from webhook.wechat import ANSWERS, classify

pytestmark = pytest.mark.django_db
CASES = [(code, row) for row in TABLE for code in row.codes]
BY_CODE = {"argvalues": CASES, "ids": [str(code) for code, _ in CASES]}
CUSTOMER, TEMPLATE = OutboundMessage.CUSTOMER, OutboundMessage.TEMPLATE
CALLED = {CUSTOMER: Upstream.WECHAT_SEND, TEMPLATE: Upstream.WECHAT_TEMPLATE}
SPARSE = 1000.0  # seconds for one call of the bucket


def stored_token(token: str = "") -> None:
    expiry = AppNow() + timedelta(hours=1)
    AccessToken.objects.create(app_id="wx0123456789abcdef", token=token, expires_at=expiry)


def health(name: Upstream) -> str:
    """As the table has it: closed, counted, or open or stopped for so many seconds."""
    (state,), now = store().read([name])
    if state.phase is Phase.CLOSED:
        return COUNTED if state.streak else CLOSED
    return f"{state.phase} {round(state.waits(now), -1):.0f}"


def is_spent(name: Upstream) -> bool:
    """Whether the upstream's bucket has given the one call that it had."""
    return store().take(name, SPARSE, 0.0) > 1


def answered(who, wechat, settings, code: int, route: str = CUSTOMER) -> tuple[OutboundMessage, Follower]:
    """One row, sent by the product's own client, which is answered so."""
    settings.WECHAT_REMINDER_TEMPLATE_ID = "tpl"
    outbound(who, route=route, fields={"thing1": "开会"} if route == TEMPLATE else None)
    path = "template/send" if route == TEMPLATE else "custom/send"
    wechat.script(
        path, *[{"errcode": code, "errmsg": "… rid: 65a-test"}] * (2 if code in OF_TOKEN else 1 if code else 0)
    )
    deliver(wechat)
    return the_row(), Follower.objects.get()


def test_the_table_has_every_code_that_we_know_once():
    codes = [code for code, _ in CASES]

    assert set(codes) - {0, 99999} == set(ANSWERS)
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize(("code", "row"), **BY_CODE)
def test_a_code_is_classified(code, row):
    found = classify(code, "") if code else None

    assert (found.retry, found.effect) == (row.retry, row.effect) if found else row.retry is None


@pytest.mark.parametrize("route", [CUSTOMER, TEMPLATE])
@pytest.mark.parametrize(("code", "row"), **BY_CODE)
def test_an_answer_becomes_its_outcome(code, row, route, mei, wechat, settings):
    found, _ = answered(mei, wechat, settings, code, route)

    end = (row.template or row.customer) if route == TEMPLATE else row.customer
    assert (found.status, found.claims, found.waiting) == (end.status, end.claims, end.waiting)
    assert found.route == (end.route or route)
    if end.wait > 0:
        assert end.wait * 0.75 < (found.available_at - app_now()).total_seconds() <= end.wait * 1.25
    assert Review.objects.filter(kind=Review.OUTBOUND, object_id=found.pk).exists() == end.review
    assert Attempt.objects.filter(kind=Attempt.OUTBOUND, object_id=found.pk).count() == 1
    assert found.status == SENT or (str(code) in found.last_error or found.waiting)


@pytest.mark.parametrize("route", [CUSTOMER, TEMPLATE])
@pytest.mark.parametrize(("code", "row"), **BY_CODE)
def test_an_answer_says_something_of_the_follower(code, row, route, mei, wechat, settings):
    found, who = answered(mei, wechat, settings, code, route)

    end = (row.template or row.customer) if route == TEMPLATE else row.customer
    told = {"left": who.unfollowed_at, "refuses": who.refused_at, "shut": who.window_until <= app_now()}
    assert [name for name, is_so in told.items() if is_so] == [name for name in (end.follower,) if name in told]
    spent = route == CUSTOMER and found.status in (SENT, UNKNOWN)
    assert who.quota_left == (0 if end.follower == "used up" else 5 - spent)


@pytest.mark.parametrize("route", [CUSTOMER, TEMPLATE])
@pytest.mark.parametrize(("code", "row"), **BY_CODE)
def test_an_answer_says_something_of_its_upstream_and_of_no_other(code, row, route, mei, wechat, settings):
    if code not in OF_TOKEN:  # which calls twice
        settings.UPSTREAM_RATES = {**settings.UPSTREAM_RATES, **dict.fromkeys(CALLED.values(), 1 / SPARSE)}
    answered(mei, wechat, settings, code, route)

    others = set(Upstream) - {CALLED[route]}
    assert (health(CALLED[route]), {health(name) for name in others}) == (row.upstream, {CLOSED})
    assert {name for name in CALLED.values() if is_spent(name)} == (set() if code in OF_TOKEN else {CALLED[route]})
    assert bool(AccessToken.objects.get().token) == (row.token == "kept")
    keys = {f"wechat:{code}"} if row.alarm or (code in (40249, 47003) and route == TEMPLATE) else set()
    assert set(Alarm.objects.values_list("key", flat=True)) == (
        keys if row.token == "kept" else {"wechat:token-elsewhere"}
    )


@pytest.mark.parametrize(("code", "row"), **BY_CODE)
def test_an_answer_to_the_call_for_a_token_spends_no_claim(code, row, mei, wechat):
    outbound(mei)
    if code:
        wechat.script("stable_token", {"errcode": code, "errmsg": "… rid: 65a-test"})

    deliver(wechat)

    expected = (SENT, 1) if code == 0 else (PENDING, 0)
    assert (the_row().status, the_row().claims) == expected
    assert health(Upstream.TOKEN) == (row.at_token if code else CLOSED)
    assert Alarm.objects.filter(key="wechat:token").exists() == (code != 0 and row.at_token == STOPPED)
    assert {health(name) for name in CALLED.values()} == {CLOSED}


FINAL = [code for code, row in CASES if row.customer.status in (FAILED, UNKNOWN)]


@pytest.mark.parametrize("code", FINAL)
def test_what_is_settled_is_never_sent_again(code, mei, wechat, clock, settings):
    before, _ = answered(mei, wechat, settings, code)

    assert never_again(wechat, clock) == 0
    assert the_row().status == before.status


@pytest.mark.parametrize("code", [43101, 48002])
def test_who_takes_no_messages_is_not_tried_with_each_that_waits(code, mei, bo, wechat, settings):
    for who in (mei, mei, bo):
        outbound(who)
    wechat.script("custom/send", {"errcode": code})

    deliver(wechat, 5)
    outbound(mei)
    deliver(wechat, 2)

    found = OutboundMessage.objects.order_by("pk").values_list("status", "last_error")
    assert [status for status, _ in found] == [FAILED, CANCELLED, SENT, CANCELLED]
    assert (found[1][1], Review.objects.count(), len(wechat.sends())) == ("用户拒收", 1, 2)


def test_his_next_word_opens_the_way_again(mei, wechat):
    outbound(mei)
    wechat.script("custom/send", {"errcode": 48002})
    deliver(wechat)

    say(mei, "你好")
    outbound(mei, "好的")
    deliver(wechat)

    assert wechat.received(mei.openid) == ["好的"]


def test_the_operator_reads_which_address_to_allow(mei, wechat):
    outbound(mei)
    wechat.script("custom/send", {"errcode": 40164, "errmsg": "invalid ip 203.0.113.7, not in whitelist rid: 65a-1"})

    deliver(wechat)

    assert "203.0.113.7" in Alarm.objects.get().detail
    assert "rid=65a-1" in the_row().last_error


LOST = {
    "answer lost": Answer(drop="after"),
    "connection dropped": Answer(drop="before"),
    "no answer": Answer(drop="hang"),
    "HTTP 500": Answer(500, "oops"),
    "HTTP 502": Answer(502, "<html>Bad Gateway</html>"),
    "HTML with 200": Answer(200, "<html>captive portal</html>"),
    "redirect": Answer(302, "", {"Location": "http://127.0.0.1:9/"}),
    "empty": Answer(200, b""),
    "no errcode": Answer(200, {"ok": True}),
    "errcode null": Answer(200, {"errcode": None}),
    "errcode a word": Answer(200, {"errcode": "ok"}),
    "errcode a list": Answer(200, {"errcode": [0]}),
    "a number": Answer(200, "0"),
    "a list": Answer(200, [0]),
    "broken off": Answer(200, '{"errcode": 0, "errm'),
}


@pytest.mark.parametrize("answer", LOST.values(), ids=LOST.keys())
def test_without_a_clear_answer_nobody_knows_and_nobody_repeats(answer, mei, wechat, clock, settings):
    settings.WECHAT_READ_SECONDS = 0.3
    outbound(mei)
    wechat.script("custom/send", answer)

    deliver(wechat)

    assert (the_row().status, health(Upstream.WECHAT_SEND)) == (UNKNOWN, COUNTED)
    assert Review.objects.filter(resolution="").count() == 1
    assert never_again(wechat, clock) == 0


@pytest.mark.parametrize(("code", "status"), [("0", SENT), ("45002", FAILED), ("45047", PENDING)])
def test_an_errcode_written_as_text_is_the_number(code, status, mei, wechat):
    outbound(mei)
    wechat.script("custom/send", {"errcode": code})

    deliver(wechat)

    assert the_row().status == status


@contextmanager
def full_backlog():
    """A port whose handshakes nobody completes."""
    with closing(socket.socket()) as server, closing(socket.socket()) as first, closing(socket.socket()) as second:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def closed_port():
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@contextmanager
def no_such_name():
    yield "http://wechat.invalid"


@pytest.mark.parametrize("base", [closed_port, full_backlog, no_such_name])
def test_what_never_left_is_kept_and_sent_once(base, mei, wechat, clock, settings):
    settings.WECHAT_CONNECT_SECONDS = 0.3
    stored_token("token-x")
    outbound(mei, "好的")
    honest = settings.WECHAT_API_BASE
    with base() as settings.WECHAT_API_BASE:
        deliver(wechat)
    assert (the_row().status, the_row().claims, the_row().waiting) == (PENDING, 0, False)
    assert health(Upstream.WECHAT_SEND) == COUNTED
    assert not Review.objects.exists()

    settings.WECHAT_API_BASE, wechat.token = honest, "token-x"
    clock.forward(minutes=1)
    deliver(wechat, 3)

    assert wechat.received(mei.openid) == ["好的"]


def test_an_outage_waits_longer_and_longer_and_counts_after_six_hours(mei, wechat, clock, settings):
    stored_token("token-x")
    outbound(mei)
    with closed_port() as settings.WECHAT_API_BASE:
        waits = []
        for _ in range(6):
            deliver(wechat)
            waits.append(round((the_row().available_at - app_now()).total_seconds()))
            clock.forward(minutes=2)
        assert waits == [5, 10, 20, 40, 60, 60]
        assert the_row().claims == 0

        AccessToken.objects.update(expires_at=AppNow() + timedelta(days=2))
        clock.forward(hours=7)
        for _ in range(6):
            deliver(wechat)
            clock.forward(minutes=20)

    assert (the_row().status, Review.objects.count()) == (FAILED, 1)


def test_busy_is_tried_twice_more_and_then_a_person_looks(mei, wechat, clock):
    outbound(mei)
    wechat.script("custom/send", *[{"errcode": -1}] * 9)

    for _ in range(5):
        deliver(wechat)
        clock.forward(minutes=30)

    assert len(wechat.sends()) == 3
    assert (the_row().status, Review.objects.count()) == (FAILED, 1)


def test_busy_may_be_held_for_unknown(mei, wechat, settings):
    settings.WECHAT_BUSY_IS_UNKNOWN = True
    outbound(mei)
    wechat.script("custom/send", {"errcode": -1})

    deliver(wechat)

    assert the_row().status == UNKNOWN

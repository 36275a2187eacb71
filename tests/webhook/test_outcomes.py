"""The outcome table: from each answer of WeChat's to the row, the follower, the alarm and the person who looks."""

import socket
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import pytest

from planner.clock import AppNow, app_now
from planner.models import Alarm, Follower, Review
from tests.builders import outbound
from tests.doubles.server import Answer
from tests.webhook.sending import deliver, never_again, the_row
from webhook.models import AccessToken, Attempt, OutboundMessage
from webhook.wechat import ANSWERS, CLOSED_CODES, OUR_FAULTS

pytestmark = pytest.mark.django_db
PENDING, SENT, FAILED = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.FAILED
UNKNOWN, CANCELLED = OutboundMessage.UNKNOWN, OutboundMessage.CANCELLED


@dataclass(frozen=True)
class Row:
    """What one answer makes of a customer message. `claims`: how many tries were spent."""

    code: int
    status: str
    claims: int = 1
    waiting: bool = False
    unfollowed: bool = False
    alarm: str = ""
    review: bool = False


REFUSED_FOR_GOOD = [*OUR_FAULTS, 40003, 40249, 43019, 43101, 45002, 47003, 48002, 50002, 70000]
NEEDS_A_PERSON = [40036, 40037, 40200, 40246, 40247, 43116, 45026, 45027, 48001, 48003, 48004, 50004, 50007, 65400]
ACCOUNT_WIDE = [40013, 40125, 40164, 40243, 41002, 41004, 61004, 89503, 89506, 89507]
TABLE = [
    Row(0, SENT),
    Row(-1, PENDING),
    *[Row(code, PENDING, claims=0) for code in (40001, 40014, 41001, 42001)],
    *[Row(code, PENDING) for code in (40241, 43117)],
    Row(45011, PENDING, claims=0),
    Row(45009, PENDING, claims=0, alarm="wechat:45009"),
    *[Row(code, PENDING, claims=0, waiting=True) for code in CLOSED_CODES],
    *[Row(code, CANCELLED, unfollowed=True) for code in (43004, 50005)],
    *[Row(code, FAILED, review=True) for code in REFUSED_FOR_GOOD],
    *[Row(code, PENDING, claims=0, alarm=f"wechat:{code}") for code in [*NEEDS_A_PERSON, *ACCOUNT_WIDE]],
    Row(99999, UNKNOWN, review=True),
]
TOKEN_ROWS = {40001, 40014, 41001, 42001}


def stored_token(token: str = "") -> None:
    expiry = AppNow() + timedelta(hours=1)
    AccessToken.objects.create(app_id="wx0123456789abcdef", token=token, expires_at=expiry)


def test_the_table_has_every_code_that_we_know():
    assert {row.code for row in TABLE} - {0, 99999} == set(ANSWERS)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.code))
def test_an_answer_becomes_its_outcome(row, mei, wechat):
    outbound(mei)
    twice = row.code in TOKEN_ROWS
    wechat.script("custom/send", *[{"errcode": row.code, "errmsg": "… rid: 65a-test"}] * (2 if twice else 1))

    deliver(wechat)

    found, who = the_row(), Follower.objects.get()
    assert (found.status, found.claims, found.waiting) == (row.status, row.claims, row.waiting)
    assert bool(who.unfollowed_at) == row.unfollowed
    assert {alarm.key for alarm in Alarm.objects.all()} == ({"wechat:token-elsewhere"} if twice else {row.alarm} - {""})
    assert Review.objects.filter(kind=Review.OUTBOUND, object_id=found.pk).exists() == row.review
    assert Attempt.objects.filter(kind=Attempt.OUTBOUND, object_id=found.pk).count() == 1
    assert row.status == SENT or (str(row.code) in found.last_error or row.waiting)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row.code))
def test_the_quota_counts_what_was_sent(row, mei, wechat):
    outbound(mei)
    wechat.script("custom/send", *[{"errcode": row.code}] * (2 if row.code in TOKEN_ROWS else 1))

    deliver(wechat)

    expected = {0: 4, 45047: 0, 99999: 4}.get(row.code, 5)
    assert Follower.objects.get().quota_left == expected


@pytest.mark.parametrize(
    "row", [row for row in TABLE if row.status in (FAILED, UNKNOWN)], ids=lambda row: str(row.code)
)
def test_what_is_settled_is_never_sent_again(row, mei, wechat, clock):
    outbound(mei)
    wechat.script("custom/send", {"errcode": row.code})
    deliver(wechat)

    assert never_again(wechat, clock) == 0
    assert the_row().status == row.status


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

    assert the_row().status == UNKNOWN
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


@pytest.mark.parametrize(("code", "seconds"), [(45011, 60), (40241, 60), (43117, 300)])
def test_too_often_waits_as_long_as_wechat_implies(code, seconds, mei, wechat):
    outbound(mei)
    wechat.script("custom/send", {"errcode": code})

    deliver(wechat)

    wait = (the_row().available_at - app_now()).total_seconds()
    assert seconds - 5 < wait <= seconds

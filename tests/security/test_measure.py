"""S6, S7, S29: a follower who writes too much is told so kindly, loses nothing that was taken in, and harms no other."""

import pytest

from planner.limits import KNOWN, Buckets, buckets
from planner.models import Follower
from tests.builders import post, say, xml
from tests.races.threads import at_once
from webhook.forgetting import digest_of
from webhook.models import Erasure, InboundMessage

pytestmark = pytest.mark.django_db


@pytest.fixture
def few_a_minute(settings):
    settings.FOLLOWER_MINUTE_MESSAGES = 3
    buckets.cache_clear()
    yield
    buckets.cache_clear()


def test_a_bucket_gives_its_burst_and_refills_by_the_minute():
    now = [0.0]
    bucket = Buckets(60, clock=lambda: now[0])
    first = [bucket.admits("mei") for _ in range(61)]
    now[0] = 1.0

    then = [bucket.admits("mei"), bucket.admits("mei")]

    assert (sum(first), then) == (60, [True, False])


def test_buckets_stay_few_whoever_knocks():
    bucket = Buckets(1)

    for n in range(KNOWN + 100):
        bucket.admits(f"o-{n}")

    assert len(bucket.levels) == KNOWN


def test_one_who_floods_is_told_and_the_others_are_heard(mei, bo, few_a_minute):
    answers = [say(mei, f"第{n}条").content.decode() for n in range(6)]

    assert [("没有收下" in answer) for answer in answers] == [False] * 3 + [True] * 3
    assert say(bo, "买牛奶").content == b"success"
    assert InboundMessage.objects.filter(follower=mei).count() == 3


def test_a_redelivery_in_a_flood_keeps_its_answer(mei, few_a_minute):
    body = xml(mei.openid, "买牛奶")
    post(body)
    for n in range(5):
        say(mei, f"第{n}条")

    assert post(body).content == b"success"


def test_events_are_not_counted(mei, few_a_minute):
    for n in range(5):
        post(xml(mei.openid, MsgType="event", Event="CLICK", EventKey=f"k{n}"))

    assert say(mei, "买牛奶").content == b"success"


def test_more_than_a_days_measure_is_answered_and_not_stored_until_the_day_is_over(mei, clock, settings):
    settings.FOLLOWER_DAILY_MESSAGES = 2
    say(mei, "一")
    say(mei, "二")

    refused = say(mei, "三")
    clock.forward(hours=25)
    taken = say(mei, "四")

    assert "没有收下" in refused.content.decode()
    assert taken.content == b"success"
    assert list(InboundMessage.objects.order_by("id").values_list("text", flat=True)) == ["一", "二", "四"]


def test_who_is_above_his_measure_may_still_be_forgotten(mei, settings):
    settings.FOLLOWER_DAILY_MESSAGES = 1
    say(mei, "一")
    say(mei, "删除我的所有数据")

    say(mei, "确认删除所有数据")

    assert Erasure.objects.get().digest in digest_of(mei.app_id, mei.openid)


def test_a_refused_message_moves_no_count(mei, settings):
    settings.FOLLOWER_DAILY_MESSAGES = 5
    for n in range(50):
        say(mei, f"第{n}条")

    assert InboundMessage.objects.count() == 5
    assert Follower.objects.get(pk=mei.pk).day_messages == 5


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_get_exactly_the_days_measure(mei, settings):
    settings.FOLLOWER_DAILY_MESSAGES = 20

    answers = at_once(*[lambda n=n: say(mei, f"第{n}条").content for n in range(50)])

    assert answers.count(b"success") == InboundMessage.objects.count() == 20

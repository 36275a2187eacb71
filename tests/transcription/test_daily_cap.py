"""One follower's voice messages in a day: each that is recognised costs money, so they have an end, kindly told."""

import pytest

from planner import texts
from tests import sounds
from tests.builders import heard as answer_of
from tests.builders import post, say, xml
from tests.transcription.speaking import speak
from webhook.models import InboundMessage, VoiceClip

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def two_a_day(settings, asr):
    settings.FOLLOWER_DAILY_VOICES = 2


def spoken(who, number: int, **extra):
    return post(xml(who.openid, MsgType="voice", MediaId=f"m-{number}", Format="amr", **extra))


def test_the_third_is_answered_with_a_request_to_type_and_not_fetched(mei):
    answers = [answer_of(spoken(mei, n)) for n in range(3)]

    assert answers == ["", "", texts.render("voice_over")]
    assert VoiceClip.objects.count() == 2
    assert InboundMessage.objects.filter(kind="voice").count() == 3


def test_a_redelivery_of_it_gets_the_same_answer(mei):
    for n in range(2):
        spoken(mei, n)

    first, again = (answer_of(spoken(mei, 2, msg_id=77)) for _ in range(2))

    assert first == again == texts.render("voice_over")
    assert InboundMessage.objects.count() == 3


def test_another_follower_and_another_day_begin_anew(mei, bo, clock):
    for n in range(3):
        spoken(mei, n)
    assert answer_of(spoken(bo, 9)) == ""

    clock.forward(hours=25)

    assert answer_of(spoken(mei, 10)) == ""
    assert VoiceClip.objects.filter(follower=mei).count() == 3


def test_what_is_typed_is_taken_in_all_the_same_and_so_are_wechats_own_words(mei):
    for n in range(3):
        spoken(mei, n)

    assert answer_of(say(mei, "买牛奶")) == ""
    assert answer_of(spoken(mei, 4, Recognition="买面包")) == ""

    assert InboundMessage.objects.order_by("-pk")[0].text == "买面包"
    assert VoiceClip.objects.count() == 2


def test_zero_is_no_limit(mei, wechat, settings):
    settings.FOLLOWER_DAILY_VOICES = 0

    for _ in range(4):
        speak(mei, wechat, sounds.amr())

    assert VoiceClip.objects.count() == 4

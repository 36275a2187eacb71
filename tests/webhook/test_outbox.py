"""Rows to be sent: once per key, in parts that fit and that nobody has to guess together."""

import pytest
import regex
from hypothesis import given
from hypothesis import settings as fuzzing
from hypothesis import strategies as st

from planner import trace
from tests.vectors import WECHAT
from webhook.models import OutboundMessage
from webhook.outbox import PART_BYTES, enqueue, split

FAMILY = "👨‍👩‍👧‍👦"
NUMBER = regex.compile(r"^\(\d+/\d+\)\n")
calm = fuzzing(max_examples=100, deadline=None, database=None)


def body(part: str) -> str:
    return NUMBER.sub("", part)


def put(who, text: str, key: str = "1:reply:1") -> list[tuple[str, str]]:
    enqueue(key=key, follower_id=who.pk, purpose="reply", text=text, trace_id=trace.new_trace_id())
    return list(OutboundMessage.objects.order_by("pk").values_list("key", "text"))


def test_what_fits_is_one_part_without_a_number():
    assert split("好" * 666) == ["好" * 666]


@pytest.mark.parametrize(("spec"), WECHAT["limits"], ids=lambda spec: spec["text"])
def test_texts_at_wechats_own_limit_are_cut_below_it(spec):
    sign, times, *tail = regex.findall(r"'(.)'|(\d+)", spec["text"])
    text = sign[0] * int(times[1]) + (tail[0][0] if tail else "")
    assert len(text.encode()) == spec["bytes"]

    parts = split(text)

    assert all(len(part.encode()) <= PART_BYTES for part in parts)
    assert "".join(body(part) for part in parts) == text


def test_parts_are_numbered_and_cut_at_line_ends():
    lines = [f"{n}. " + "写周报" * 10 for n in range(60)]

    parts = split("\n".join(lines))

    assert [part.splitlines()[0] for part in parts] == [f"({n}/{len(parts)})" for n in range(1, len(parts) + 1)]
    assert [line for part in parts for line in body(part).splitlines()] == lines


def test_a_long_line_is_cut_after_a_sentence():
    parts = split("今天很忙，明天再说。" * 100)

    assert len(parts) == 2
    assert body(parts[0]).endswith("。")


@pytest.mark.parametrize("sign", ["🏃", FAMILY, "👍🏽", "🇨🇳", "e\u0301", "각"])
@pytest.mark.parametrize("offset", range(0, 26, 5))
def test_no_sign_is_cut_in_two(sign, offset):
    parts = split("a" * (PART_BYTES - 30 + offset) + sign * 5)

    assert sum(part.count(sign) for part in parts) == 5


@calm
@given(st.text(alphabet=st.sampled_from("a中。\n \u0301🏃‍👨👩"), max_size=9000))
def test_no_text_makes_a_part_too_long_or_loses_a_sign(text):
    parts = split(text)

    assert all(len(part.encode()) <= PART_BYTES for part in parts)
    assert bool(parts) == bool(text.strip())
    kept = "".join(body(part) for part in parts) if len(parts) > 1 else "".join(parts) or text
    assert kept.replace("\n", "") == text.replace("\n", "")


@pytest.mark.parametrize("text", ["a" + "\u0301" * 3000, "字" * 70000], ids=["marks", "huge"])
def test_the_strangest_texts_still_fit(text):
    parts = split(text)

    assert len(parts) > 2
    assert all(0 < len(part.encode()) <= PART_BYTES for part in parts)


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["", " \n", "\n" * 3000, "\x00"], ids=["empty", "blank", "lines", "nul"])
def test_nothing_to_say_is_no_message(mei, text):
    assert put(mei, text) == []


@pytest.mark.django_db
def test_one_key_is_one_row(mei):
    put(mei, "第一次")

    assert put(mei, "第二次") == [("1:reply:1", "第一次")]


@pytest.mark.django_db
def test_parts_have_keys_of_their_own(mei):
    assert [key for key, _ in put(mei, "好" * 1500)] == ["1:reply:1", "1:reply:2", "1:reply:3"]


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["1:failed:1", "1:expired:1", "reminder:1:1"])
def test_a_part_never_takes_the_key_of_the_next_round(mei, key):
    assert [key for key, _ in put(mei, "好" * 800, key)] == [key, f"{key}:2"]


@pytest.mark.django_db
def test_what_nobody_can_store_or_send_is_taken_out(mei):
    assert put(mei, "买\x00牛\x0b奶\ud83d\n好")[0][1] == "买牛奶\n好"

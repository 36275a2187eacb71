"""Whatever comes to the door: no 500, no exception, no stored row."""

import io

import pytest
from django.test import Client
from hypothesis import HealthCheck, given
from hypothesis import settings as fuzzing
from hypothesis import strategies as st

from tests.builders import post, query, sealed
from tests.vectors import ACCOUNT
from tests.webhook.door import ADDRESS, nothing_stored, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def safe(settings):
    settings.WECHAT_AES_KEY = ACCOUNT["aes_key"]


calm = fuzzing(
    max_examples=100, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
names = st.sampled_from(
    ["ToUserName", "FromUserName", "CreateTime", "MsgType", "MsgId", "Event", "Encrypt", "xml", "x"]
)
values = st.one_of(
    st.text(max_size=20), st.integers().map(str), st.sampled_from(["event", "text", "]]>", "&a;", "\x00"])
)
elements = st.lists(st.tuples(names, values), max_size=8).map(
    lambda parts: "".join(f"<{name}>{value}</{name}>" for name, value in parts)
)
# With a sender and a kind it is a message, and is rightly stored.
fragments = elements.filter(lambda inner: "<FromUserName>" not in inner or "<MsgType>" not in inner)
bodies = st.one_of(
    st.binary(max_size=400),
    fragments.map(lambda inner: f"<xml>{inner}</xml>".encode(errors="surrogatepass")),
    st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")),
)
questions = st.one_of(
    st.text(max_size=80),
    st.dictionaries(
        st.sampled_from(["signature", "timestamp", "nonce", "msg_signature", "encrypt_type", "openid", "echostr"]),
        st.text(max_size=30),
    ).map(lambda given: "&".join(f"{name}={value}" for name, value in given.items())),
)


def send_raw(method: str, asked: str, body: bytes):
    environ = {
        "QUERY_STRING": asked.encode(errors="replace").decode("latin-1"),
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    return Client().generic(method, ADDRESS, **environ)  # raises what the door raises


@calm
@given(asked=questions, body=bodies, method=st.sampled_from(["GET", "POST"]))
def test_nothing_unsigned_gets_in(asked, body, method):
    response = send_raw(method, asked, body)

    assert refused(response)
    assert nothing_stored()


@calm
@given(body=bodies)
def test_no_signed_body_breaks_the_door(body):
    response = send_raw("POST", query(), body)

    assert response.status_code in (200, 400)
    assert nothing_stored()


@calm
@given(inner=elements)
def test_no_message_of_odd_parts_breaks_the_door(inner):
    body = f"<xml><FromUserName>o-odd</FromUserName><MsgType>text</MsgType>{inner}</xml>"

    response = send_raw("POST", query(), body.encode(errors="surrogatepass"))

    assert response.status_code in (200, 400)


@calm
@given(body=bodies)
def test_no_body_breaks_the_door_of_an_account_with_a_key(body, safe):
    assert refused(send_raw("POST", query("x"), body))
    assert nothing_stored()


@calm
@given(inner=bodies)
def test_no_sealed_text_breaks_the_door(inner, safe):
    body, signed = sealed(inner.decode(errors="replace"))

    response = post(body, signed=signed)

    assert (response.status_code, response.content) == (200, b"success")
    assert nothing_stored()

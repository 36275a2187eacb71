"""The demo's WeChat: it must behave like the real one, and know nothing of the product."""

import ast
import pathlib
import re
import sys
import threading
import time

import pytest
import requests
from django.conf import settings as configured
from django.test import Client
from django.urls import include, path

from planner.errors import Failure
from planner.management.scenes import Player, Unexpected
from tests.doubles.server import Answer, Double
from webhook import protocol
from webhook.sandbox.callback import FAULT
from webhook.sandbox.server import Sandbox
from webhook.sandbox.wire import signature
from webhook.wechat import WeChat

urlpatterns = [path("sandbox/", include("webhook.sandbox.urls"))]
FOLDER = pathlib.Path(configured.BASE_DIR) / "webhook" / "sandbox"
ACCOUNT = {"token": "planner-test-token", "app_id": "wx0123456789abcdef", "secret": "app-secret-app-secret-app-secret"}


class Callback(Double):
    """The account's server: one answer per delivery, `success` when they are used up."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__()
        self.answers = list(answers)
        self.came = threading.Condition()

    def answer(self, request):
        with self.came:
            self.came.notify_all()
            return self.answers.pop(0) if self.answers else Answer(body="success")

    def messages(self) -> list[dict]:
        account = protocol.Account(ACCOUNT["app_id"], ACCOUNT["token"], "", 600)
        for request in self.requests:
            protocol.check_query(account, request.query, now=time.time())
        return [protocol.open_body(account, request.query, request.body) for request in self.requests]

    def wait_for(self, count: int) -> None:
        with self.came:
            assert self.came.wait_for(lambda: len(self.requests) >= count, 10)


@pytest.fixture
def callback():
    with Callback() as double:
        yield double


@pytest.fixture
def sandbox(callback, settings):
    with Sandbox(callback=f"{callback.url}/wechat/callback", answer_seconds=0.3, **ACCOUNT) as server:
        settings.WECHAT_API_BASE = server.url
        yield server


def follower(sandbox: Sandbox) -> str:
    openid = sandbox.phones.new()
    sandbox.follow(openid)
    return openid


def texts(sandbox: Sandbox, openid: str) -> list[str]:
    return [entry.text for entry in sandbox.wait(openid, after=0, seconds=0)]


def passive(text: str) -> Answer:
    return Answer(body=protocol.reply(to="o", sender="gh", text=text))


def api(sandbox: Sandbox, call: str, token: str, **data) -> dict:
    return requests.post(f"{sandbox.url}/cgi-bin/{call}?access_token={token}", json=data, timeout=5).json()


def imports(source: str) -> set[str]:
    nodes = ast.walk(ast.parse(source))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}


def test_the_sandbox_imports_nothing_of_the_product():
    sources = {file.name: imports(file.read_text()) for file in FOLDER.glob("*.py")}

    foreign = {
        (name, module)
        for name, modules in sources.items()
        for module in modules
        if not module.startswith(("webhook.sandbox", "django"))
        and module.partition(".")[0] not in sys.stdlib_module_names
    }
    assert foreign == set()
    assert "webhook.sandbox.phones" in sources["server.py"]


def test_the_sandbox_server_needs_the_standard_library_alone():
    with_django = {file.name for file in FOLDER.glob("*.py") if "django" in file.read_text()}

    assert with_django == {"urls.py", "views.py"}


def test_it_signs_as_wechat_does():
    assert signature("planner-test-token", "1700000000", "123456789") == "7bc638f4c552f4d24450d279091f9144bf9389a5"


def test_what_is_typed_arrives_signed_and_unchanged(sandbox, callback):
    openid = follower(sandbox)

    sandbox.say(openid, "a < b && ]]> 😀\n第二行\x07")

    message = callback.messages()[-1]
    assert message["Content"] == "a < b && ]]> 😀\n第二行"
    assert message["FromUserName"] == callback.requests[-1].query["openid"] == openid


def test_a_passive_answer_stands_in_the_chat(sandbox, callback):
    openid = follower(sandbox)
    callback.answers = [passive("记下了")]

    sandbox.say(openid, "明天开会")

    assert texts(sandbox, openid) == ["明天开会", "记下了"]


def test_silence_is_delivered_three_times_with_the_same_id(sandbox, callback):
    openid = follower(sandbox)
    callback.answers = [Answer(500)] * 3

    sandbox.say(openid, "喂")

    ids = [message["MsgId"] for message in callback.messages()[1:]]
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert texts(sandbox, openid) == ["喂", FAULT]


def test_a_server_that_hangs_is_cut_off_and_asked_again(sandbox, callback):
    openid = follower(sandbox)
    callback.answers = [Answer(drop="hang"), passive("来了")]

    sandbox.say(openid, "喂")

    assert texts(sandbox, openid) == ["喂", "来了"]


@pytest.mark.parametrize("body", ['{"text": "hi"}', "<xml><MsgType>text</MsgType><Content> </Content></xml>", "<xml>"])
def test_an_invalid_answer_shows_wechats_fault_line(sandbox, callback, body):
    openid = follower(sandbox)
    callback.answers = [Answer(body=body)]

    sandbox.say(openid, "喂")

    assert texts(sandbox, openid) == ["喂", FAULT]


def test_following_twice_is_one_event(sandbox, callback):
    openid = follower(sandbox)

    sandbox.follow(openid)
    sandbox.unfollow(openid)

    assert [message["Event"] for message in callback.messages()] == ["subscribe", "unsubscribe"]


def test_the_products_own_adapter_reaches_the_phone(sandbox):
    openid, wechat = follower(sandbox), WeChat()
    token, life = wechat.fetch_token(force=False)

    wechat.send_text(token, openid, "你好")

    assert texts(sandbox, openid) == ["你好"]
    assert life == 7200


def test_a_wrong_token_is_40001_and_a_new_one_kills_the_old(sandbox):
    wechat = WeChat()
    old, _ = wechat.fetch_token(force=False)
    wechat.fetch_token(force=True)

    with pytest.raises(Failure) as caught:
        wechat.send_text(old, follower(sandbox), "你好")

    assert caught.value.code == "40001"


def test_a_wrong_secret_gets_no_token(sandbox, settings):
    settings.WECHAT_APP_SECRET = "something else"

    with pytest.raises(Failure) as caught:
        WeChat().fetch_token(force=False)

    assert caught.value.code == "40125"


def test_one_client_msg_id_is_shown_once_and_its_receipt_comes_back(sandbox, callback):
    openid, wechat = follower(sandbox), WeChat()
    token, _ = wechat.fetch_token(force=False)
    fields = {"thing1": "喝水", "time2": "2026年12月2日 15:00"}

    first = wechat.send_template(token, openid, template_id="t", fields=fields, client_msg_id="r-1")
    again = wechat.send_template(token, openid, template_id="t", fields=fields, client_msg_id="r-1")

    callback.wait_for(2)
    receipt = callback.messages()[-1]
    assert first == again == int(receipt["MsgID"])
    assert (receipt["Event"], receipt["Status"]) == ("TEMPLATESENDJOBFINISH", "success")
    assert texts(sandbox, openid) == ["事项：喝水\n时间：2026年12月2日 15:00"]
    assert len(callback.requests) == 2


@pytest.mark.parametrize("value", ["", "一" * 21], ids=["empty", "too long"])
def test_a_template_value_out_of_bounds_is_47003(sandbox, value):
    token, _ = WeChat().fetch_token(force=False)

    answer = api(sandbox, "message/template/send", token, touser=follower(sandbox), data={"thing1": {"value": value}})

    assert answer["errcode"] == 47003


def test_five_messages_after_a_word_and_no_sixth(sandbox):
    openid = follower(sandbox)
    token, _ = WeChat().fetch_token(force=False)
    sandbox.say(openid, "喂")

    message = {"touser": openid, "msgtype": "text", "text": {"content": "嗯"}}
    codes = [api(sandbox, "message/custom/send", token, **message)["errcode"] for _ in range(6)]

    assert codes == [0, 0, 0, 0, 0, 45047]


@pytest.mark.parametrize(
    ("content", "code"), [("字" * 683, 45002), (" ", 44004), ("好", 43004)], ids=["too long", "empty", "not following"]
)
def test_a_customer_message_is_refused_with_wechats_code(sandbox, content, code):
    token, _ = WeChat().fetch_token(force=False)

    answer = api(
        sandbox, "message/custom/send", token, touser=sandbox.phones.new(), msgtype="text", text={"content": content}
    )

    assert answer["errcode"] == code


def test_an_unknown_address_is_404_as_json(sandbox):
    answer = requests.post(f"{sandbox.url}/cgi-bin/menu/delete", json={}, timeout=5)

    assert answer.status_code == 404
    assert answer.json()["errcode"] == 404


@pytest.mark.parametrize("body", [b"{", b"[]"])
def test_a_body_that_is_no_object_is_refused(sandbox, body):
    answer = requests.post(f"{sandbox.url}/cgi-bin/stable_token", data=body, timeout=5)

    assert answer.status_code == 400


def test_a_line_that_does_not_come_true_is_told(sandbox, callback):
    callback.answers = [passive("你好")]
    player = Player(sandbox, sandbox.phones.new(), patience=0.2)

    with pytest.raises(Unexpected, match="应当听到 “日程助手”、“撤销”；来的是：你好"):
        next(player.play())


def test_without_the_sandbox_there_is_no_page():
    assert Client().get("/sandbox/").status_code == 404


@pytest.mark.urls(__name__)
def test_the_page_goes_to_the_latest_followers_chat(sandbox):
    follower(sandbox)
    latest = follower(sandbox)

    answer = Client().get("/sandbox/")

    assert answer["Location"] == f"/sandbox/{latest}/"


@pytest.mark.urls(__name__)
def test_the_page_loads_nothing_from_elsewhere(sandbox):
    answer = Client().get(f"/sandbox/{follower(sandbox)}/")

    assert answer.status_code == 200
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert not re.findall(r"""(?:src|href|action|url|import)\W{1,3}(?:https?:)?//""", answer.content.decode())


@pytest.mark.urls(__name__)
def test_what_the_page_sends_is_said_and_polled(sandbox):
    openid = follower(sandbox)

    said = Client().post(f"/sandbox/{openid}/say", {"text": " <b>明天</b>开会 "})

    chat = Client().get(f"/sandbox/{openid}/chat?after={said.json()['id'] - 1}&wait=1").json()
    assert [(entry["who"], entry["text"]) for entry in chat["entries"]] == [("me", "<b>明天</b>开会")]


@pytest.mark.urls(__name__)
def test_the_page_may_not_be_posted_to_from_another_site(sandbox):
    openid = follower(sandbox)

    answer = Client(enforce_csrf_checks=True).post(f"/sandbox/{openid}/say", {"text": "开会"})

    assert answer.status_code == 403
    assert texts(sandbox, openid) == []


@pytest.mark.urls(__name__)
@pytest.mark.parametrize("address", ["../../cgi-bin/stable_token", "o123/chat", f"{'o' * 28}/erase", "o%2F..%2F/chat"])
def test_the_page_reaches_nothing_but_chats(sandbox, address):
    assert Client().post(f"/sandbox/{address}").status_code in (404, 405)
    assert sandbox.api.token == ""


@pytest.mark.urls(__name__)
def test_an_old_page_is_led_to_the_new_chat(sandbox):
    answer = Client().get(f"/sandbox/{'o' * 28}/")

    assert answer["Location"] == "/sandbox/"


@pytest.mark.urls(__name__)
def test_a_sandbox_that_is_gone_is_said_plainly(settings):
    with Sandbox(callback="http://127.0.0.1:9/", **ACCOUNT) as gone:
        settings.WECHAT_API_BASE = gone.url

    answer = Client().get("/sandbox/")

    assert answer.status_code == 502
    assert "manage.py demo" in answer.content.decode()

"""S19: while a key is changed, what the old one signed and what the new one signed are both taken, and nothing else."""

import os
import subprocess
import sys

import pytest
from django.conf import settings as django_settings
from django.test import Client

from planner.links import follower_of, plan_key
from tests.builders import post, query, sealed, xml
from tests.vectors import ACCOUNT
from tests.webhook.desk import root
from tests.webhook.door import refused
from webhook import protocol
from webhook.models import InboundMessage
from webhook.views import accounts

pytestmark = pytest.mark.django_db
OLD_KEY, NEW_KEY = ACCOUNT["aes_key"], "bmV3LWtleS1uZXcta2V5LW5ldy1rZXktbmV3LWtleSE"
NEW_TOKEN = "the-token-of-tomorrow"


def signed_with(settings, token: str) -> str:
    kept, settings.WECHAT_TOKEN = settings.WECHAT_TOKEN, token
    try:
        return query()
    finally:
        settings.WECHAT_TOKEN = kept


def test_old_and_new_tokens_are_taken_while_the_old_one_is_named(settings):
    old, settings.WECHAT_TOKEN = settings.WECHAT_TOKEN, NEW_TOKEN
    settings.WECHAT_TOKEN_FALLBACKS = [old]

    answers = [post(xml("o-mei", "你好"), signed=signed_with(settings, token)) for token in (old, NEW_TOKEN)]

    assert [answer.content for answer in answers] == [b"success", b"success"]
    assert refused(post(xml("o-mei", "你好"), signed=signed_with(settings, "a third one")))


def test_the_old_token_is_refused_once_it_is_named_no_more(settings):
    old, settings.WECHAT_TOKEN = settings.WECHAT_TOKEN, NEW_TOKEN

    assert refused(post(xml("o-mei", "你好"), signed=signed_with(settings, old)))


@pytest.mark.parametrize("kind", ["old key", "new key"])
def test_old_and_new_encoding_keys_open_and_the_answer_is_sealed_with_the_same(settings, kind):
    used = OLD_KEY if kind == "old key" else NEW_KEY
    settings.WECHAT_AES_KEY = used
    body, signed = sealed(xml("o-mei", "【收到不支持的消息类型，暂无法显示】"))
    settings.WECHAT_AES_KEY, settings.WECHAT_AES_KEY_FALLBACKS = NEW_KEY, [OLD_KEY]

    answer = post(body, signed=signed)

    sealed_answer = protocol._fields(answer.content)["Encrypt"]
    by = next(one for one in accounts() if one.aes_key == used)
    assert b"<Content>" in protocol.decrypt(by, sealed_answer)
    assert InboundMessage.objects.count() == 1


def test_token_and_key_may_change_together_and_none_of_a_run_of_messages_is_lost(settings):
    """Half of them still come as before the change, in any mixture."""
    old_token = settings.WECHAT_TOKEN
    envelopes = []
    for n in range(40):
        settings.WECHAT_TOKEN, settings.WECHAT_AES_KEY = (old_token, OLD_KEY) if n % 2 else (NEW_TOKEN, NEW_KEY)
        envelopes.append(sealed(xml("o-mei", f"第{n}条")))
    settings.WECHAT_TOKEN_FALLBACKS, settings.WECHAT_AES_KEY_FALLBACKS = [old_token], [OLD_KEY]
    settings.WECHAT_TOKEN, settings.WECHAT_AES_KEY = NEW_TOKEN, NEW_KEY

    answers = {post(body, signed=signed).status_code for body, signed in envelopes}

    assert answers == {200}
    assert InboundMessage.objects.count() == 40


def test_a_plain_body_is_never_let_in_by_an_old_key(settings):
    settings.WECHAT_AES_KEY, settings.WECHAT_AES_KEY_FALLBACKS = NEW_KEY, [OLD_KEY]

    assert refused(post(xml("o-mei", "你好")))


def test_sessions_and_plan_keys_outlive_a_changed_secret_key(mei, settings):
    boss, key = root(), plan_key(mei.pk)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another-key-" * 5

    assert boss.get("/admin/").status_code == 200
    assert follower_of(key) == mei.pk
    assert follower_of(plan_key(mei.pk)) == mei.pk


def test_without_the_fallback_both_end(mei, settings):
    boss, key = root(), plan_key(mei.pk)
    settings.SECRET_KEY = "another-key-" * 5

    assert boss.get("/admin/").status_code == 302
    assert follower_of(key) is None


def test_the_seams_take_both_internal_tokens(settings):
    old, settings.INTERNAL_TOKEN = settings.INTERNAL_TOKEN, "the-internal-token-of-tomorrow"
    settings.INTERNAL_TOKEN_FALLBACKS = [old]

    codes = [Client().get("/tools/", headers={"Authorization": f"Bearer {token}"}).status_code
             for token in (old, settings.INTERNAL_TOKEN, "a third one", "")]  # fmt: skip

    assert codes == [200, 200, 401, 401]


@pytest.mark.parametrize(
    ("name", "value"),
    [("SECRET_KEY", ""), ("DATABASE_URL", "mysql://x"), ("WECHAT_ACCOUNT_KIND", "other"), ("HEARTBEAT_SECONDS", "60")],
)
def test_the_start_is_refused_on_a_missing_secret_or_a_wrong_value(name, value):
    bare = {"PATH": os.environ["PATH"], "SECRET_KEY": "k" * 50, "DATABASE_URL": "postgres://u:p@h/d", name: value}
    code = "import planner.settings"

    done = subprocess.run(
        [sys.executable, "-c", code], env=bare, cwd=django_settings.BASE_DIR, capture_output=True, text=True
    )

    assert done.returncode == 1
    assert name in done.stderr
    assert "Traceback" not in done.stderr

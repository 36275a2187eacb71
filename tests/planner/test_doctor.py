"""`doctor` says in plain words what is missing or wrong."""

from io import StringIO

import pytest
from django.core.management import call_command

from planner import sql

pytestmark = pytest.mark.django_db(transaction=True)


def doctor() -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("doctor", stdout=out, stderr=out)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def test_a_working_installation_is_told_so(wechat, settings):
    settings.ALLOWED_HOSTS = ["planner.example.com"]
    if sql.is_postgres():
        sql.execute("SET synchronous_commit = on")

    code, text = doctor()

    assert code == 0, text
    assert "this installation can work" in text


@pytest.mark.skipif(not sql.is_postgres(), reason="Postgres's own setting")
def test_a_database_that_may_forget_a_commit_is_refused(wechat):
    sql.execute("SET synchronous_commit = off")

    assert "synchronous_commit is off" in doctor()[1]


def test_missing_wechat_settings_are_named(settings):
    settings.WECHAT_TOKEN = ""

    code, text = doctor()

    assert code == 1
    assert "WECHAT_TOKEN not set" in text


def test_an_account_that_cannot_push_is_told_what_that_means(wechat, settings):
    settings.WECHAT_ACCOUNT_KIND = "unverified"

    _, text = doctor()

    assert "· WECHAT_ACCOUNT_KIND" in text
    assert "cannot push" in text


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"errcode": 40164, "errmsg": "invalid ip 203.0.113.9 not in whitelist rid: 1"}, "203.0.113.9"),
        ({"errcode": 40125, "errmsg": "invalid appsecret rid: 1"}, "AppSecret"),
    ],
    ids=["address", "secret"],
)
def test_a_refused_token_says_what_to_change(wechat, answer, told):
    wechat.script("stable_token", answer)

    code, text = doctor()

    assert code == 1
    assert told in text


def test_a_template_of_another_account_is_found_before_the_first_reminder(wechat, settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "TPL-of-another"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title"}
    wechat.script("get_all_private_template", {"template_list": [{"template_id": "TPL", "content": "{{thing1.DATA}}"}]})

    code, text = doctor()

    assert code == 1
    assert "not among this account's templates" in text


def test_a_field_that_the_template_lacks_is_named(wechat, settings):
    settings.WECHAT_REMINDER_TEMPLATE_ID = "TPL"
    settings.WECHAT_REMINDER_TEMPLATE_FIELDS = {"thing1": "title", "time9": "when"}
    wechat.script("get_all_private_template", {"template_list": [{"template_id": "TPL", "content": "{{thing1.DATA}}"}]})

    assert "time9" in doctor()[1]


def test_a_short_aes_key_is_found(wechat, settings):
    settings.WECHAT_AES_KEY = "short"

    code, text = doctor()

    assert code == 1
    assert "43 letters" in text

"""The operators' commands: whatever is wrong is one line that says what to do."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, ProgrammingError

from planner.management.plain import NO_DATABASE, NO_TABLES, PlainCommand

pytestmark = pytest.mark.django_db
OPENID = "o-mei-000000000000000000001"


def refused(*command: str) -> str:
    with pytest.raises(CommandError) as error:
        call_command(*command, stdout=io.StringIO())
    return str(error.value)


@pytest.mark.parametrize("command", ["plan_link", "forget"])
@pytest.mark.parametrize(
    ("openid", "says"),
    [("o-nobody", "nobody of this openid"), ("", "an openid has"), ("o x", "an openid has"), ("o\0x", "an openid has"),
     ("张三", "an openid has"), ("o" * 65, "an openid has"), ("forgotten:1", "an openid has")],
)  # fmt: skip
def test_an_openid_that_is_none_or_nobodys_is_said(command, openid, says):
    assert says in refused(command, openid)


@pytest.mark.parametrize("command", [("plan_link", "o-x"), ("forget", "o-x"), ("wechat_menu",)], ids=" ".join)
def test_without_an_account_nothing_is_tried(command, wechat, settings):
    settings.WECHAT_APP_ID = ""

    assert "WECHAT_APP_ID is not set" in refused(*command)
    assert wechat.requests == []


@pytest.mark.parametrize("name", ["", "a b", "x" * 151, "a/b", "a\nb"])
def test_a_name_that_cannot_be_a_users_is_refused(name):
    assert "a name has letters" in refused("operator", name)


def test_a_question_that_nobody_can_answer_erases_nothing(mei, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))

    assert "--yes" in refused("forget", OPENID)
    mei.refresh_from_db()
    assert mei.forgotten_at is None


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ProgrammingError('relation "planner_follower" does not exist'), NO_TABLES),
        (OperationalError("no such table: planner_follower"), NO_TABLES),
        (OperationalError("connection refused"), NO_DATABASE),
    ],
)
def test_a_database_that_is_away_or_empty_is_said(error, says):
    class Broken(PlainCommand):
        def handle(self, *args, **options):
            raise error

    assert refused(Broken()) == says


@pytest.mark.parametrize("port", ["70000", "-1"])
def test_a_port_that_is_none_is_said(port, settings):
    from planner.embedded import PortTaken, _listen

    with pytest.raises(PortTaken, match="choose another --port"):
        _listen("127.0.0.1", int(port))

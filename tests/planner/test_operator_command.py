"""`manage.py operator`: two roles, and no default account."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

pytestmark = pytest.mark.django_db


def let_in(name: str, *options: str) -> str:
    said = StringIO()
    call_command("operator", name, *options, stdout=said)
    return said.getvalue()


def permissions(name: str) -> set[str]:
    return User.objects.get(username=name).get_all_permissions()


def test_an_operator_may_look_and_act():
    let_in("mei")

    assert {"webhook.view_batch", "planner.view_task", "webhook.change_batch", "planner.change_alarm", "webhook.change_voiceclip"} <= permissions(
        "mei"
    )
    assert not [name for name in permissions("mei") if "add_" in name or "delete_" in name or "token" in name]


def test_a_viewer_may_only_look():
    let_in("bo", "--viewer")

    assert {name.split(".")[1].split("_")[0] for name in permissions("bo")} == {"view"}


def test_the_printed_password_opens_the_door_and_is_printed_once():
    password = let_in("mei").split("signing in: ")[1].split()[0]

    assert Client().login(username="mei", password=password)
    assert "password" not in let_in("mei")


def test_an_operator_becomes_a_viewer():
    let_in("mei")
    let_in("mei", "--viewer")

    assert "webhook.change_batch" not in permissions("mei")

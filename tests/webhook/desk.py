"""Operators at their desk: who they are, and what they click."""

from django.contrib.auth.models import Permission, User
from django.test import Client

LISTS = [
    "webhook/batch", "webhook/outboundmessage", "webhook/inboundmessage", "webhook/receipt", "webhook/attempt", "webhook/voiceclip",
    "planner/follower", "planner/task", "planner/reminder", "planner/operationresult", "planner/review", "planner/alarm",
    "planner/correction",
]  # fmt: skip


def user(name: str, *verbs: str) -> User:
    """With these verbs (`view`, `change`) on every model."""
    found = User.objects.create(username=name, is_staff=True)  # without a password: hashing one takes half a second
    for verb in verbs:
        found.user_permissions.add(*Permission.objects.filter(codename__startswith=f"{verb}_"))
    return found


def root() -> Client:
    return client(User.objects.create(username="root", is_staff=True, is_superuser=True))


def client(who: User) -> Client:
    signed_in = Client()
    signed_in.force_login(who)
    return signed_in


def act(by: Client, address: str, action: str, *rows, **more) -> str:
    """Ticks the rows in the list and runs the action; returns the page that follows."""
    data = {"action": action, "_selected_action": [row.pk for row in rows], **more}
    return by.post(f"/admin/{address}/", data, follow=True).content.decode()


def page(by: Client, address: str) -> str:
    answer = by.get(f"/admin/{address}")
    assert answer.status_code == 200, address
    return answer.content.decode()

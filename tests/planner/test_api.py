"""The follower's own plan over HTTP: the same ledger, his own rows only."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from planner.links import plan_key
from planner.models import OperationResult, Task
from tests.builders import planned, soon

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def http(mei) -> Client:
    return Client(headers={"Authorization": f"Bearer {plan_key(mei.pk)}"}, raise_request_exception=False)


def send(http, method, path, body=None, key="key-00000001"):
    headers = {"Idempotency-Key": key} if key else {}
    return getattr(http, method)(path, body, content_type="application/json", headers=headers)


def test_a_task_is_added_once_per_key(http, mei):
    body = {"title": "开会", "start": soon(days=1).isoformat(), "remind": ["提前10分钟"]}

    answers = [send(http, "post", "/api/tasks/", body) for _ in range(2)]

    assert [a.status_code for a in answers] == [201, 201]
    task = Task.objects.get()
    assert (task.title, task.leads) == ("开会", [10])
    assert task.reminders.filter(status="PENDING").count() == 1


def test_the_same_key_with_other_parameters_is_refused(http):
    send(http, "post", "/api/tasks/", {"title": "开会"})

    assert send(http, "post", "/api/tasks/", {"title": "别的"}).status_code == 422
    assert Task.objects.count() == 1


@pytest.mark.parametrize("key", ["", "short", "with space in it", "x" * 65])
def test_a_change_without_a_proper_key_is_told_so(http, key):
    assert send(http, "post", "/api/tasks/", {"title": "开会"}, key=key).status_code == 400


def test_move_complete_reopen_delete(http, mei):
    task = planned(mei, "开会", soon(days=1))
    at = f"/api/tasks/{task.pk}/"

    moved = send(http, "patch", at, {"start": soon(days=2).isoformat()}, key="key-move-1")
    done = send(http, "post", at + "complete/", key="key-done-1")
    again = send(http, "post", at + "reopen/", key="key-open-1")
    gone = send(http, "delete", at, key="key-gone-1")

    assert [a.status_code for a in (moved, done, again, gone)] == [200, 200, 200, 204]
    assert http.get(at).status_code == 404
    assert OperationResult.objects.filter(operation_key__startswith=f"api:{mei.pk}:").count() == 4


def test_anothers_task_does_not_exist(http, bo):
    task = planned(bo, "开会")

    answers = [http.get(f"/api/tasks/{task.pk}/"), send(http, "patch", f"/api/tasks/{task.pk}/", {"title": "我的"})]

    assert [a.status_code for a in answers] == [404, 404]
    assert send(http, "delete", f"/api/tasks/{task.pk}/").status_code == 409
    assert http.get("/api/tasks/").json() == []


def test_a_key_is_nobodys_but_its_followers(http, bo):
    other = Client(headers={"Authorization": f"Bearer {plan_key(bo.pk)}"})
    send(http, "post", "/api/tasks/", {"title": "开会"})

    assert send(other, "post", "/api/tasks/", {"title": "别的"}).status_code == 201
    assert Task.objects.get(follower=bo).title == "别的"


@pytest.mark.parametrize("header", ["", "Bearer x", "Bearer 1:abc", "Basic abc"])
def test_without_a_valid_link_nothing_is_shown(mei, header):
    client = Client(headers={"Authorization": header} if header else {})

    assert client.get("/api/tasks/").status_code in (401, 403)


def test_an_operator_names_the_follower(mei):
    User.objects.create_superuser("op", "", "a-long-password")
    planned(mei, "开会")
    client = Client()
    client.login(username="op", password="a-long-password")

    assert client.get("/api/tasks/").status_code == 400
    assert client.get(f"/api/tasks/?follower={mei.pk}").json()[0]["title"] == "开会"


@pytest.mark.parametrize(
    "body", [{}, {"title": ""}, {"title": "x" * 201}, {"title": "x", "start": "yesterday"}, [], "x"]
)
def test_what_does_not_fit_is_told_and_changes_nothing(http, body):
    assert send(http, "post", "/api/tasks/", body).status_code == 400
    assert not Task.objects.exists()


def test_the_schema_names_every_address(db):
    text = Client().get("/api/schema/").content.decode()

    for path in ("/api/tasks/", "/api/tasks/{id}/", "/api/tasks/{id}/complete/"):
        assert path in text

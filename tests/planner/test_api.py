"""The follower's own plan over HTTP: the same ledger, his own rows only."""

from urllib.parse import quote

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


@pytest.fixture
def series(mei) -> Task:
    return planned(mei, "吃药", soon(days=1), rrule="FREQ=DAILY", repeat="每天", remind=["提前10分钟", "提前一小时"])


def test_a_series_shows_its_rule_its_leads_and_its_turns(http, series):
    at = f"/api/tasks/{series.pk}/"

    shown, turns = http.get(at).json(), http.get(at + "turns/").json()

    assert shown["rrule"].startswith("FREQ=DAILY;BYHOUR=")
    assert (shown["reads"][:2], shown["leads"], shown["repeat"]) == ("每天", [60, 10], "每天")
    assert len(turns) == 100
    assert turns[0]["turn"] == shown["start"]


def test_one_turn_is_done_skipped_or_moved_and_the_rest_stays(http, series):
    at = f"/api/tasks/{series.pk}/"
    first, second, third, fourth = (told["turn"] for told in http.get(at + "turns/").json()[:4])

    done = send(http, "post", f"{at}complete/?turn={quote(first)}", key="key-turn-1")
    gone = send(http, "delete", f"{at}?turn={quote(second)}", key="key-turn-2")
    moved = send(http, "patch", at, {"turn": third, "start": fourth, "title": "吃两片"}, key="key-turn-3")

    assert [a.status_code for a in (done, gone, moved)] == [200, 204, 200]
    assert (moved.json()["series"], moved.json()["turn_at"]) == (series.pk, third)
    assert http.get(at + "turns/").json()[0]["turn"] == fourth


def test_without_a_turn_a_change_is_for_the_whole_series(http, series):
    at = f"/api/tasks/{series.pk}/"

    assert send(http, "delete", at, key="key-all-001").status_code == 204

    assert http.get(at).status_code == 404
    assert http.get(at + "turns/").status_code == 404


def test_a_rule_comes_in_and_one_that_cannot_be_is_refused(http):
    body = {"title": "对账", "start": soon(days=1).isoformat(), "all_day": True, "repeat": "每月最后一天"}

    kept = send(http, "post", "/api/tasks/", {**body, "rrule": "FREQ=MONTHLY;BYMONTHDAY=-1"}, key="key-rule-1")
    refused = send(http, "post", "/api/tasks/", {**body, "rrule": "FREQ=SECONDLY"}, key="key-rule-2")

    assert (kept.status_code, kept.json()["reads"]) == (201, "每月最后一天")
    assert refused.status_code == 409
    assert Task.objects.count() == 1

"""The seams over HTTP, with the semantics they have in process."""

import pytest
import requests
from django.test import Client

from agent.worker import run_next
from planner.models import Alarm, OperationResult, Review, Task
from tests.agent.actions import analysis, create
from tests.builders import planned, soon, submitted
from tests.doubles.server import Answer, Double, Request
from webhook.models import Batch

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "internal-token-internal-token"


@pytest.fixture
def http() -> Client:
    return Client(headers={"Authorization": f"Bearer {TOKEN}"}, raise_request_exception=False)


@pytest.fixture
def claimed(mei):
    batch = submitted(mei, analysis=analysis(create("开会", soon(days=1))))
    return batch, Batch.claim(900).lease


def call(http, claimed, name="create_task", *, key="", claim_no=None, **params):
    batch, lease = claimed
    op = {"create_task": "create", "delete_task": "delete", "complete_task": "complete"}.get(name, "create")
    body = {
        "request_id": "01920000-0000-7000-8000-000000000000",
        "agent_id": "test",
        "operation_key": key or f"{batch.pk}:{op}:1",
        "claim_no": lease.claim_no if claim_no is None else claim_no,
        "input_params": params,
    }
    return http.post(f"/tools/{name}", body, content_type="application/json")


@pytest.mark.parametrize("path", ["/tools/", "/tools/create_task", "/agent/runs", "/agent/resume", "/tools/nosuch"])
def test_without_the_token_nothing_is_told(db, path):
    for client in (Client(), Client(headers={"Authorization": "Bearer wrong"})):
        assert client.post(path).status_code == 401


@pytest.mark.parametrize("path", ["/tools/", "/tools/create_task", "/agent/runs"])
def test_without_a_configured_token_the_addresses_do_not_exist(db, settings, http, path):
    settings.INTERNAL_TOKEN = ""

    assert http.post(path).status_code == 404


def test_the_list_names_each_tool_with_its_schemas(http, db):
    tools = {tool["name"]: tool for tool in http.get("/tools/").json()}

    assert set(tools) == {
        "create_task", "update_task", "complete_task", "reopen_task", "delete_task", "query_tasks", "snooze_reminder",
        "undo", "set_preference",
    }  # fmt: skip
    assert tools["query_tasks"]["effect"] == "read"
    assert tools["create_task"]["input_schema"]["required"] == ["title"]
    assert "op" not in tools["create_task"]["input_schema"]["properties"]


def test_a_call_takes_effect_once_and_a_repeat_gets_the_stored_result(http, claimed):
    first, again = (call(http, claimed, title="开会").json() for _ in range(2))

    assert (first["status"], again["status"]) == ("SUCCEEDED", "REPLAYED")
    assert first["data_digest"] == again["data_digest"]
    assert Task.objects.count() == 1


def test_the_same_key_with_other_parameters_is_a_conflict(http, claimed):
    call(http, claimed, title="开会")

    answer = call(http, claimed, title="别的")

    assert (answer.status_code, answer.json()["status"]) == (409, "CONFLICT")
    assert Task.objects.count() == 1


def test_a_stale_claim_may_replay_and_not_act(http, claimed):
    call(http, claimed, title="开会")

    replay = call(http, claimed, claim_no=99, title="开会")
    fresh = call(http, claimed, claim_no=99, key=f"{claimed[0].pk}:create:2", title="别的")

    assert replay.json()["status"] == "REPLAYED"
    assert (fresh.status_code, fresh.json()["status"]) == (409, "STALE")


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"title": ""},
        {"title": "x" * 201},
        {"title": "x", "start": "昨天"},
        {"title": "x", "start": "2026-12-01T10:00"},
    ],
    ids=["nothing", "empty title", "long title", "no time", "no zone"],
)
def test_what_does_not_fit_the_schema_is_told_its_path(http, claimed, params):
    answer = call(http, claimed, **params)

    assert (answer.status_code, answer.json()["status"]) == (422, "INVALID")
    assert "title" in answer.json()["summary"] or "start" in answer.json()["summary"]
    assert not OperationResult.objects.exists()


@pytest.mark.parametrize("key", ["", "x", "1:create:1:2", "1:delete:1", "0:create:1", "1:create:0", "1; DROP:create:1"])
def test_a_key_of_another_form_or_operation_is_refused(http, claimed, key):
    body = call(http, claimed, key=key or " ", title="开会")

    assert body.status_code in (409, 422)
    assert not Task.objects.exists()


def test_several_matches_are_told_and_nothing_is_stored(http, claimed, mei):
    planned(mei, "产品开会")
    planned(mei, "部门开会")
    before = OperationResult.objects.count()

    answer = call(http, claimed, "delete_task", target={"text": "开会"}).json()

    assert answer["status"] == "AMBIGUOUS"
    assert len(answer["options"]) == 2
    assert OperationResult.objects.count() == before


def test_a_foreign_task_behaves_as_not_existing(http, claimed, bo):
    task = planned(bo, "开会")

    answer = call(http, claimed, "delete_task", target={"chosen": task.pk}).json()

    assert answer["status"] == "REFUSED"
    assert Task.objects.get(pk=task.pk).status == Task.OPEN


def run_body(claimed, **more):
    batch, lease = claimed
    return {"batch_id": batch.pk, "claim_no": lease.claim_no, "trace_id": str(batch.trace_id), **more}


def test_a_run_finishes_the_batch_and_a_repeat_gets_its_status(http, claimed):
    answers = [http.post("/agent/runs", run_body(claimed), content_type="application/json") for _ in range(2)]

    assert [a.json() for a in answers] == [{"status": "done", "error": None}] * 2
    assert Task.objects.count() == 1


def test_a_run_with_another_claim_is_stale(http, claimed):
    answer = http.post("/agent/runs", run_body(claimed, claim_no=99), content_type="application/json")

    assert answer.status_code == 409
    assert not Task.objects.exists()


@pytest.mark.parametrize("body", ["", "{", "[]", '{"batch_id": "x", "claim_no": 1}'])
def test_a_body_that_is_no_request_is_told_so(http, db, body):
    answer = http.post("/agent/runs", body, content_type="application/json")

    assert answer.status_code == 422


@pytest.fixture(params=["tools", "agent", "both"])
def apart(request, settings, live_server):
    """The agent, the tools, or both over real HTTP on the same database."""
    settings.AGENT_URL = live_server.url if request.param != "tools" else ""
    settings.TOOLS_URL = live_server.url if request.param != "agent" else ""
    return live_server


def test_apart_a_batch_takes_the_same_effect_once(apart, mei):
    batch = submitted(mei, analysis=analysis(create("开会", soon(days=1)), create("交报告")))

    assert run_next()

    batch.refresh_from_db()
    assert batch.status == Batch.DONE
    assert Task.objects.count() == 2
    assert batch.outbound.get().key == f"{batch.pk}:reply:1"


def test_apart_an_ambiguity_becomes_the_same_question(apart, mei):
    planned(mei, "产品开会")
    planned(mei, "部门开会")
    batch = submitted(mei, analysis=analysis({"op": "delete", "target": {"text": "开会"}}))

    assert run_next()

    batch.refresh_from_db()
    assert batch.status == Batch.WAITING
    assert len(batch.question["options"]) == 2


def test_an_agent_that_refuses_the_connection_spends_no_claim(settings, mei):
    settings.AGENT_URL = "http://127.0.0.1:9"
    batch = submitted(mei, analysis=analysis(create("开会")))

    assert run_next()

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.SUBMITTED, 0)


class Refuses(Double):
    def answer(self, request: Request) -> Answer:
        return Answer(401, {"detail": "a bearer token is needed"})


@pytest.mark.parametrize("seam", ["AGENT_URL", "TOOLS_URL"])
def test_a_seam_with_another_token_raises_an_alarm_and_spends_no_claim(seam, settings, mei):
    batch = submitted(mei, analysis=analysis(create("开会")))

    with Refuses() as other:
        setattr(settings, seam, other.url)
        assert run_next()

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.SUBMITTED, 0)
    assert Alarm.objects.get().key == f"{seam.partition('_')[0].lower()}:401"
    assert not Review.objects.exists()


class Loses(Double):
    """Passes every call on, and loses the answer."""

    def __init__(self, base: str) -> None:
        super().__init__()
        self.base = base

    def answer(self, request: Request) -> Answer:
        headers = {name: request.headers[name] for name in ("authorization", "content-type")}
        requests.post(self.base + request.path, data=request.body, headers=headers, timeout=30)
        return Answer(drop="after")


@pytest.mark.parametrize("seam", ["AGENT_URL", "TOOLS_URL"])
def test_an_answer_lost_after_the_commit_doubles_nothing(seam, settings, live_server, mei, clock):
    batch = submitted(mei, analysis=analysis(create("开会")))
    with Loses(live_server.url) as seam_without_answers:
        setattr(settings, seam, seam_without_answers.url)
        assert run_next()
    assert Task.objects.count() == 1
    setattr(settings, seam, "")
    clock.forward(minutes=5)

    run_next()

    batch.refresh_from_db()
    assert batch.status == Batch.DONE
    assert Task.objects.count() == OperationResult.objects.count() == batch.outbound.count() == 1


class Hangs(Double):
    def answer(self, request: Request) -> Answer:
        return Answer(drop="hang")


def test_an_agent_that_hangs_costs_one_claim_and_the_next_one_answers(settings, mei, clock):
    settings.AGENT_TIMEOUT_SECONDS = 0.3
    batch = submitted(mei, analysis=analysis(create("开会")))
    with Hangs() as hung:
        settings.AGENT_URL = hung.url
        assert run_next()
    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.SUBMITTED, 1)
    settings.AGENT_URL, settings.AGENT_TIMEOUT_SECONDS = "", 120
    clock.forward(minutes=1)

    assert run_next()

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.DONE, 2)
    assert Task.objects.count() == 1

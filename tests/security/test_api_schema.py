"""S18: `/api/` under generated requests, well and ill formed: no 500, and each answer is one that the schema tells."""

import itertools

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from planner.links import plan_key
from planner.models import Task
from planner.wsgi import application
from tests.builders import planned, soon

pytestmark = pytest.mark.django_db
OPERATIONS = [
    ("GET", "/api/tasks/"), ("POST", "/api/tasks/"), ("GET", "/api/tasks/{id}/"), ("PATCH", "/api/tasks/{id}/"),
    ("DELETE", "/api/tasks/{id}/"), ("POST", "/api/tasks/{id}/complete/"), ("POST", "/api/tasks/{id}/reopen/"),
    ("GET", "/api/tasks/{id}/turns/"),
]  # fmt: skip
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
few = settings(
    max_examples=25, derandomize=True, database=None, deadline=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
_keys = itertools.count()


@pytest.fixture
def schema(db):
    """As Django's own test client does: a request's end does not close the test's connection."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield schemathesis.openapi.from_wsgi("/api/schema/?format=json", application)
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_all_operations_are_tried(schema):
    assert {(o.ok().method.upper(), o.ok().path) for o in schema.get_all_operations()} == set(OPERATIONS)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("whose", ["own", "any"])
def test_every_answer_is_one_that_the_schema_tells(schema, mei, bo, method, path, mode, whose):
    task, theirs = planned(mei, "开会", soon(days=1)), planned(bo, "鲍勃的事")
    fixed = {"path_parameters": {"id": task.pk}} if whose == "own" and "{id}" in path else {}

    @few
    @given(case=schema[path][method].as_strategy(generation_mode=mode, **fixed))
    def holds(case):
        headers = {"Authorization": f"Bearer {plan_key(mei.pk)}"}
        if mode is GenerationMode.POSITIVE and method != "GET":
            headers["Idempotency-Key"] = f"generated-{next(_keys)}"
        answer = case.call(headers=headers)
        case.validate_response(answer, checks=CHECKS)
        assert "鲍勃" not in answer.text

    holds()
    assert Task.objects.filter(pk=theirs.pk, status=Task.OPEN, version=1).exists()


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_without_a_key_every_answer_is_no(schema, mei, method, path):
    planned(mei, "开会")

    @few
    @given(case=schema[path][method].as_strategy())
    def holds(case):
        answer = case.call(headers={"Authorization": "Bearer nothing"})
        assert answer.status_code == 401

    holds()
    assert Task.objects.get().version == 1

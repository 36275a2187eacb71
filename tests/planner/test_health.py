"""For monitors: alive, ready, figures — and for nobody else."""

import pytest
from django.test import Client

from agent.worker import run_next
from tests.agent.actions import analysis, complete, create
from tests.builders import say, submitted
from webhook.models import Batch

pytestmark = pytest.mark.django_db(transaction=True)


def test_alive_needs_nothing():
    assert Client().get("/healthz").json() == {"status": "ok"}


def test_ready_means_database_and_broker():
    assert Client().get("/readyz").json() == {"status": "ready"}


def test_not_ready_names_what_is_missing(settings):
    from celery import current_app

    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    before, current_app.conf.broker_url = current_app.conf.broker_url, "redis://127.0.0.1:9/0"
    try:
        answer = Client().get("/readyz")
    finally:
        current_app.conf.broker_url = before

    assert (answer.status_code, answer.json()["missing"]) == (503, ["broker"])


@pytest.mark.parametrize(
    ("headers", "address", "status"),
    [
        ({}, "127.0.0.1", 200),
        ({}, "203.0.113.9", 403),
        ({"X-Forwarded-For": "203.0.113.9"}, "127.0.0.1", 403),
        ({"Authorization": "Bearer metrics-token"}, "203.0.113.9", 200),
        ({"Authorization": "Bearer wrong"}, "203.0.113.9", 403),
    ],
    ids=["loopback", "elsewhere", "through a proxy", "with the token", "with a wrong token"],
)
def test_the_figures_are_for_this_machine_or_the_token(settings, headers, address, status):
    settings.METRICS_TOKEN = "metrics-token"

    assert Client(headers=headers).get("/metrics", REMOTE_ADDR=address).status_code == status


def figures() -> str:
    return Client().get("/metrics").content.decode()


def test_the_figures_tell_what_has_happened(mei, clock):
    say(mei, "买牛奶")
    say(mei, "买面包")
    submitted(mei, analysis=analysis(create("开会"), complete("没有的事")))
    run_next()
    submitted(mei)
    Batch.claim(900)
    clock.forward(minutes=16)

    text = figures()

    assert 'planner_batches{status="COLLECTING"} 1.0' in text
    assert 'planner_batches{status="RUNNING"} 1.0' in text
    assert 'planner_operations_total{outcome="applied"}' in text
    assert 'planner_operations_total{outcome="refused"}' in text
    assert 'planner_claims_total{kind="batch",outcome="done"}' in text
    assert 'planner_inbound_total{kind="text"}' in text


def test_no_figure_names_a_follower_or_a_text(mei):
    say(mei, "绝密的安排")

    assert mei.openid not in figures()
    assert "绝密" not in figures()

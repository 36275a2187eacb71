"""The bare steps of a batch: lean SQL on Django's own connection, the task through the ORM, each step a node of a graph
without checkpointer. The least that this design can cost; it does nothing that a follower would miss if it failed."""

import json
from datetime import datetime
from typing import Any, TypedDict

from django.db import connection, models, transaction
from langgraph.graph import END, START, StateGraph

from benchmarks.floors.plan import ACTIONS, REPLY

SCHEMA = """
    CREATE TABLE floor_work (id bigserial PRIMARY KEY, follower_id bigint NOT NULL, status text NOT NULL,
        available_at timestamptz NOT NULL, claims int NOT NULL DEFAULT 0, claim_no bigint NOT NULL DEFAULT 0,
        lease_expires_at timestamptz, finished_at timestamptz, plan jsonb);
    CREATE INDEX floor_ready ON floor_work (available_at) WHERE status = 'READY';
    CREATE INDEX floor_before ON floor_work (follower_id, id) WHERE status IN ('READY', 'RUNNING');
    CREATE TABLE floor_result (key text PRIMARY KEY, work_id bigint NOT NULL, params jsonb NOT NULL,
        result jsonb NOT NULL, undo jsonb, created_at timestamptz NOT NULL DEFAULT now());
"""
QUEUE = (
    "INSERT INTO floor_work (follower_id, status, available_at) SELECT n, 'READY', now() FROM generate_series(%s, %s) n"
)
CLAIM = """
    UPDATE floor_work SET status = 'RUNNING', claims = claims + 1, claim_no = claim_no + 1,
        lease_expires_at = now() + interval '15 minutes'
    WHERE id = (SELECT c.id FROM floor_work c WHERE c.status = 'READY' AND c.available_at <= now()
        AND NOT EXISTS (SELECT 1 FROM floor_work e WHERE e.follower_id = c.follower_id AND e.id < c.id
            AND e.status IN ('READY', 'RUNNING'))
        ORDER BY c.available_at LIMIT 1 FOR UPDATE OF c SKIP LOCKED)
    RETURNING id, claim_no, follower_id"""
PLAN = "UPDATE floor_work SET plan = %s::jsonb WHERE id = %s AND claim_no = %s AND status = 'RUNNING' AND plan IS NULL"
FENCE = """
    SELECT r.params FROM floor_work w LEFT JOIN floor_result r ON r.key = %s
    WHERE w.id = %s AND w.claim_no = %s AND w.status = 'RUNNING' FOR UPDATE OF w"""
RESULT = (
    "INSERT INTO floor_result (key, work_id, params, result, undo) VALUES (%s, %s, %s::jsonb, %s::jsonb, %s::jsonb)"
)
FINISH = """
    UPDATE floor_work SET status = 'DONE', finished_at = now() WHERE id = %s AND claim_no = %s AND status = 'RUNNING'"""
REPLIED = "INSERT INTO floor_outbound (key, follower_id, text) VALUES (%s, %s, %s) ON CONFLICT (key) DO NOTHING"


def execute(statement: str, params: tuple[Any, ...] = ()) -> int:
    """On Django's connection as it comes: parameters are bound in the client."""
    with connection.cursor() as cursor:
        cursor.execute(statement, [json.dumps(value) if isinstance(value, dict) else value for value in params])
        return int(cursor.rowcount)


def row(statement: str, params: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        found: tuple[Any, ...] | None = cursor.fetchone()
    return found


class FloorTask(models.Model):
    follower_id = models.BigIntegerField()
    title = models.TextField()
    start_at = models.DateTimeField(null=True)
    status = models.TextField(default="OPEN")

    class Meta:
        app_label = "floors"
        db_table = "floor_task"
        managed = False

    def __str__(self) -> str:
        return self.title


class State(TypedDict, total=False):
    id: int
    no: int
    follower: int


def claim(state: State) -> State:
    found = row(CLAIM)
    assert found
    return {"id": found[0], "no": found[1], "follower": found[2]}


def plan(state: State) -> State:
    assert execute(PLAN, ({"version": 1, "actions": ACTIONS}, state["id"], state["no"])) == 1
    return {}


def first(state: State) -> State:
    return act(state, 0)


def second(state: State) -> State:
    return act(state, 1)


def act(state: State, n: int) -> State:
    action, key = ACTIONS[n], f"{state['id']}:create:{n + 1}"
    with transaction.atomic():
        assert row(FENCE, (key, state["id"], state["no"])) == (None,)
        start = datetime.fromisoformat(action["start"])
        task = FloorTask.objects.create(follower_id=state["follower"], title=action["title"], start_at=start)
        execute(RESULT, (key, state["id"], action, {"task": task.pk}, {"delete": task.pk}))
    return {}


def finish(state: State) -> State:
    with transaction.atomic():
        assert execute(FINISH, (state["id"], state["no"])) == 1
        execute(REPLIED, (f"{state['id']}:reply:1", state["follower"], REPLY))
    return {}


def compiled() -> Any:
    graph, steps = StateGraph(State), (claim, plan, first, second, finish)
    for step in steps:
        graph.add_node(step.__name__, step)
    names = [step.__name__ for step in steps]
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)
    return graph.compile()


class LeanGraph:
    def __init__(self) -> None:
        execute(SCHEMA)
        self.graph, self.last = compiled(), 0

    def prepare(self, runs: int) -> None:
        execute(QUEUE, (self.last + 1, self.last + runs))
        self.last += runs

    def run(self) -> None:
        self.graph.invoke({})

    def done(self) -> int:
        found = row("SELECT count(*) FROM floor_result r JOIN floor_work w ON w.id = work_id AND w.status = 'DONE'")
        assert found
        return int(found[0]) // 2

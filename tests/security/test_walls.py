"""The second wall: what one follower says and plans cannot be seen from another's operation, nor by a stranger."""

from contextlib import closing

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.db import ProgrammingError, connection, transaction

from planner import sql, walls
from planner.actions import Create
from planner.checks import checks
from planner.models import Task
from planner.operations import apply
from planner.operations.verbs import VERBS
from planner.operations.words import Done
from tests.builders import planned, scope

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(settings.EMBEDDED, reason="SQLite is one program's file"),
]


def walled():
    """Every table with rows that each belong to one follower."""
    columns = [(model, {field.name: field for field in model._meta.concrete_fields}) for model in apps.get_models()]
    return {model._meta.db_table for model, names in columns if "follower" in names and not names["follower"].null}


def bare():
    """A connection of the product's own role that has not said whom it wants to see, as another program would open."""
    params = connection.get_connection_params()
    known = {name: params[name] for name in ("dbname", "user", "password", "host", "port") if name in params}
    return closing(psycopg.connect(**known, autocommit=True))


def test_every_table_of_followers_rows_is_walled():
    guarded = sql.rows("SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity")

    assert {name for (name,) in guarded} == walled()


def test_a_bare_connection_sees_nobody(mei):
    planned(mei, "签合同")

    with bare() as db:
        assert db.execute("SELECT count(*) FROM planner_task").fetchone() == (0,)


def test_a_bare_connection_that_names_a_follower_sees_that_one_only(mei, bo):
    planned(mei, "签合同")
    planned(bo, "buy milk")

    with bare() as db:
        db.execute("SELECT set_config('planner.follower', %s, false)", (str(bo.pk),))
        assert db.execute("SELECT title FROM planner_task").fetchall() == [("buy milk",)]


def test_an_operation_sees_the_rows_of_its_own_follower_only(mei, bo, monkeypatch):
    planned(mei, "签合同")
    planned(bo, "buy milk")
    seen = []
    monkeypatch.setitem(
        VERBS, "create", lambda *_: seen.extend(Task.objects.values_list("title", flat=True)) or Done("好")
    )

    apply("create", Create(title="开会"), scope(bo), key="k-1")

    assert seen == ["buy milk"]
    assert Task.objects.count() == 2


def test_an_operation_can_write_into_no_other_plan(mei, bo, monkeypatch):
    monkeypatch.setitem(VERBS, "create", lambda *_: Task.objects.create(follower=mei, title="偷写") and Done("好"))

    with pytest.raises(ProgrammingError, match="row-level security"):
        apply("create", Create(title="开会"), scope(bo), key="k-1")

    assert not Task.objects.exists()


def test_after_an_operation_inside_a_greater_transaction_everybody_is_seen_again(mei, bo):
    planned(mei, "签合同")

    with transaction.atomic():
        apply("create", Create(title="开会"), scope(bo), key="k-1")

        assert Task.objects.count() == 2


def test_the_doctor_says_when_the_wall_is_passed_by(monkeypatch):
    monkeypatch.setattr(walls, "passed_by", lambda: True)

    assert any("row-level security" in found.text for found in checks())


def test_the_doctor_says_when_a_proxy_drops_whom_we_see(monkeypatch):
    monkeypatch.setattr(walls, "seen", lambda: "")

    assert any("pooling proxy" in found.text for found in checks())

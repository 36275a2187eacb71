import threading

import pytest
from django.db import connection, transaction

from planner import sql
from planner.alarms import raise_alarm
from tests.meter import Meter

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_transaction_with_two_writes_is_four_statements_and_one_write_commit():
    with Meter() as meter, transaction.atomic():
        raise_alarm("test:a", "eins")
        raise_alarm("test:b", "zwei")

    assert (meter.statements, meter.write_commits, meter.connections) == (4, 1, 0), meter


def test_reading_commits_nothing():
    with Meter() as meter:
        sql.rows("SELECT id FROM planner_alarm")

    assert (meter.statements, meter.write_commits) == (1, 0), meter


def test_each_write_outside_a_transaction_commits():
    with Meter() as meter:
        raise_alarm("test:a", "eins")
        raise_alarm("test:a", "eins")

    assert (meter.statements, meter.write_commits) == (2, 2), meter


def test_a_new_connection_is_seen():
    def look():
        sql.rows("SELECT 1")
        connection.close()

    with Meter() as meter:
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()

    assert meter.connections == 1, meter


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such counter")
def test_statements_inside_a_trigger_are_counted():
    sql.execute("CREATE TABLE IF NOT EXISTS test_traces (at timestamptz)")
    sql.execute(
        "CREATE OR REPLACE FUNCTION test_trace() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN INSERT INTO test_traces VALUES (now()); RETURN NEW; END $$"
    )
    sql.execute("CREATE TRIGGER test_trace BEFORE INSERT ON planner_alarm FOR EACH ROW EXECUTE FUNCTION test_trace()")

    with Meter() as meter:
        raise_alarm("test:a", "eins")
    sql.execute("DROP TABLE test_traces; DROP FUNCTION test_trace CASCADE")

    assert meter.statements == 2, meter

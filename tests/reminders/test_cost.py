"""A look costs the same however much is planned: what the database says it read, at two sizes."""

import psycopg
import pytest
from django.db import connection

from benchmarks.reminders import EMPTY, fill, look, wake
from reminders import digest, due
from reminders.look import LOOK

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="EXPLAIN is Postgres's"),
]
LOOKS = {"empty": LOOK, "reminders": due.DUE, "digests": digest.DUE}


def test_a_look_reads_the_same_at_ten_thousand_and_at_sixty_thousand_tasks():
    read: dict[str, list[float]] = {name: [] for name in LOOKS}
    params = connection.get_connection_params()
    names = ("dbname", "user", "password", "host", "port", "options")
    with psycopg.connect(**{n: params[n] for n in names if n in params}, autocommit=True) as db:
        for size in (10_000, 60_000):
            fill(db, size)
            read["empty"].append(look(db, LOOK)[0])
            wake(db)
            for name in ("reminders", "digests"):
                buffers, rows = look(db, LOOKS[name])
                read[name].append(buffers)
                assert rows <= 50, name
        db.execute(EMPTY)

    small_and_large = {name: tuple(buffers) for name, buffers in read.items()}
    assert all(large <= small * 1.3 + 12 for small, large in small_and_large.values()), small_and_large

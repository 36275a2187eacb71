"""Several threads at the same moment, each on its own connection."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from planner import sql


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each returned, in the order of the calls. What one raises is raised here."""
    start = threading.Barrier(len(calls))
    results: list[Any] = [None] * len(calls)

    def run(position: int, call: Callable[[], Any]) -> None:
        start.wait(30)
        try:
            results[position] = call()
        except BaseException as error:  # noqa: BLE001 - handed to the test
            results[position] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "a thread hangs"
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


@contextmanager
def held(work: str | Callable[[], Any], *, commit: bool = False) -> Iterator[threading.Event]:
    """Another connection's open transaction that has done `work`; it ends when the event is set, or with the block."""
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            if callable(work):
                work()
            else:
                sql.execute(work)
            holding.set()
            release.wait(30)
            transaction.set_rollback(not commit)
        connection.close()

    thread = threading.Thread(target=hold)
    thread.start()
    assert holding.wait(30)
    try:
        yield release
    finally:
        release.set()
        thread.join(30)


def until_somebody_waits() -> None:
    """Postgres: until a connection waits for a lock that another holds."""
    pause = threading.Event()
    for _ in range(1000):
        if sql.row("SELECT 1 FROM pg_locks WHERE NOT granted"):
            return
        pause.wait(0.02)
    raise AssertionError("nobody waits for a lock")

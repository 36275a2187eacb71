"""The product's own worker, one batch of two actions at a time; batches and messages are put there beforehand."""

import copy
import os
from itertools import count
from typing import Any

from agent import client, run
from agent.worker import run_next
from benchmarks.floors.plan import ACTIONS, TEXT
from planner.celery import app  # without it a doorbell rings nowhere
from planner.models import Follower, OperationResult
from tests.builders import submitted
from webhook.models import Batch

__all__ = ["Given", "Rules", "Stored", "app", "batch"]
_numbers = count(1)


def batch(kind: str, *, analysis: dict[str, Any] | None) -> Batch:
    """A submitted batch of a new follower."""
    who = Follower.objects.create(app_id="wxbench", openid=f"o-{kind}-{os.getpid()}-{next(_numbers)}")
    return submitted(who, TEXT, analysis=analysis)


class Stored:
    """Understood already, as a second claim finds it: what leases, ledger, graph and texts cost."""

    analysis: dict[str, Any] | None = {"version": 1, "actions": ACTIONS, "chat": ""}

    def __init__(self) -> None:
        client.engine()[0].compiled()
        self.ids: list[int] = []

    def prepare(self, runs: int) -> None:
        self.ids += [batch(type(self).__name__, analysis=self.analysis).pk for _ in range(runs)]

    def run(self) -> None:
        assert run_next()

    def done(self) -> int:
        """Batches that are DONE with both their tasks."""
        results = OperationResult.objects.filter(batch_id__in=self.ids, op="create", status="SUCCEEDED").count()
        assert results == 2 * len(self.ids), f"{results} operations of {len(self.ids)} batches"
        return Batch.objects.filter(pk__in=self.ids, status=Batch.DONE).count()


class Given(Stored):
    """Its understanding costs nothing, as the floor's does; all else is done."""

    analysis = None

    def __init__(self) -> None:
        super().__init__()
        run.understand = lambda this, said: (copy.deepcopy(Stored.analysis), "given")  # type: ignore[assignment]


class Rules(Stored):
    """From the words on."""

    analysis = None

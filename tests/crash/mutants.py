"""Seeded defects: one rule of the product removed each, by a change of its source in the memory of the actors alone.

`cells` are where the matrix looks first: (part of a scenario's name, point, fault). A defect whose old words are no
longer in the source is an error: then the product has changed, and this list must follow it.
"""

import importlib
import inspect
import textwrap
from dataclasses import dataclass
from typing import Any

from tests.crash.actors import CUT, KILL, LOST, PAUSE, RAISE

Cell = tuple[str, str, str]


@dataclass(frozen=True)
class Mutant:
    """`old` → `new` in the source of `target` (module:name), a function, or the text of a constant."""

    rule: str
    target: str
    old: str
    new: str
    cells: tuple[Cell, ...] = ()
    fence: bool = False

    def apply(self) -> None:
        holder, name = self.found()
        value = inspect.getattr_static(holder, name)
        if isinstance(value, str):
            assert self.old in value, f"{self.target} has no {self.old!r}"
            setattr(holder, name, value.replace(self.old, self.new))
            return
        plain = getattr(value, "__func__", value)
        plain = plain.fget if isinstance(plain, property) else inspect.unwrap(plain)
        plain.__code__ = self.compiled(plain)

    def found(self) -> tuple[Any, str]:
        module, _, path = self.target.partition(":")
        *outer, name = path.split(".")
        holder: Any = importlib.import_module(module)
        for part in outer:
            holder = getattr(holder, part)
        return holder, name

    def compiled(self, function: Any) -> Any:
        source = textwrap.dedent(inspect.getsource(function))
        assert self.old in source, f"{self.target} has no {self.old!r}"
        changed = source.replace(self.old, self.new)
        lines = changed.splitlines()
        while lines[0].startswith("@"):
            lines.pop(0)
        made: dict[str, Any] = {}
        exec(compile("\n".join(lines), self.target, "exec"), function.__globals__, made)
        return made[function.__name__].__code__

    def check(self) -> None:
        """Raises when the old words are gone."""
        holder, name = self.found()
        value = inspect.getattr_static(holder, name)
        if isinstance(value, str):
            assert self.old in value, f"{self.target} has no {self.old!r}"
        else:
            plain = getattr(value, "__func__", value)
            self.compiled(plain.fget if isinstance(plain, property) else inspect.unwrap(plain))


HELD = "id = %s AND claim_no = %s AND status = %s"
PLAN, TWO, VANISH = "a plan and its change", "two followers", "a worker vanishes"
QUESTION, EXPIRES, OFF = "a question and its answer", "a question that expires", "a question called off"
FICKLE, LOST_ANSWER, REQUEST = "a model that never", "the answer is lost", "the request is lost"
RING, TEMPLATE, SILENT = "a reminder", "a reminder by template", "a template whose answer is lost"


def fence(rule: str, target: str, old: str, new: str, *cells: Cell) -> Mutant:
    return Mutant(rule, target, old, new, cells, fence=True)


FENCES = [
    fence("the finish names the claim", "planner.leases:Leased.finish", "WHERE {lease.held}",
          "WHERE {lease.held} OR id = {lease.pk}", (PLAN, "finish:before", PAUSE), (PLAN, "operation:committed", PAUSE),
          (PLAN, "send:answered", PAUSE), (PLAN, "analysis:committed", PAUSE)),
    fence("the error path names the claim", "planner.leases:Leased.held_row",
          '"claim_no": lease.claim_no, "status": cls.RUNNING', '"id": lease.pk',
          ("a model that fails", "model:answered", PAUSE), ("a model that fails", "model:asked", PAUSE),
          (PLAN, "admit:before", PAUSE), ("a model that fails", "retry batch:before", PAUSE)),
    fence("operations hold the claim", "planner.operations.ledger:_stored_or_fenced", "if scope.lease is None:", "if True:",
          (PLAN, "operation:before", PAUSE), ("a model that never", "operation:committed", PAUSE)),
    fence("the analysis names the claim", "agent.run:Run._store_analysis", "WHERE {self.lease.held} AND analysis_json IS NULL",
          "WHERE id = {self.lease.pk} AND (%s::bigint, %s::bigint) IS NOT NULL", (FICKLE, "model:answered", PAUSE), (FICKLE, "analysis:before", PAUSE)),
    fence("the route names the claim", "agent.routing:_store", "WHERE {lease.held}",
          "WHERE id = {lease.pk} AND (%s::bigint, %s::bigint) IS NOT NULL", (QUESTION, "route:before", PAUSE), (OFF, "route:before", PAUSE)),
    fence("the claim number grows with each claim", "planner.leases:Leased.claim", "claim_no = claim_no + 1",
          "claim_no = 1", (PLAN, "finish:before", PAUSE), (PLAN, "operation:before", PAUSE), (VANISH, "finish:before", KILL)),
    fence("a sender looks again before it sends", "webhook.delivery:_in_time", "return sql.row", "return True or sql.row",
          (SILENT, "send template:before", PAUSE), (TEMPLATE, "admit:committed", PAUSE), (PLAN, "send:before", PAUSE),
          (PLAN, "admit:committed", PAUSE), (REQUEST, "admit:committed", PAUSE)),
    fence("the rescuer looks whether the owner is dead", "planner.leases:Leased.rescue_next",
          "(c.lease_expires_at < app_now() OR c.heartbeat_at < app_later(%s))", "(%s::float IS NOT NULL)",
          (VANISH, "operation:before", PAUSE), (PLAN, "send:before", PAUSE), (PLAN, "finish:before", PAUSE)),
]  # fmt: skip
LEDGER = [
    Mutant("the key is the action's place", "agent.ledger:key_of", 'f"{batch_id}:{op}:{position}"',
           '(f"{batch_id}:{op}:{position}" + __import__("os").urandom(2).hex())',
           ((PLAN, "finish:before", KILL), (PLAN, "operation:committed", KILL))),
    Mutant("effect and result are one transaction", "planner.operations.ledger:apply",
           'with walls.leaving_as_found(), committing("operation"):',
           'if reach("operation:before") is None:', ((PLAN, "operation:effect", KILL), (PLAN, "operation:effect", RAISE))),
    Mutant("the stored analysis is used again", "agent.run:Run.is_understood",
           "return self.batch.analysis_json is not None", "return False", ((FICKLE, "operation:committed", KILL), (FICKLE, "finish:before", KILL), (PLAN, "finish:before", KILL))),
    Mutant("params are the action as stored", "planner.operations.ledger:_replay", "if stored_hash != digest and",
           "if stored_hash == digest or", ((PLAN, "finish:before", KILL),)),
    Mutant("a refusal is a result too", "planner.operations.ledger:apply",
           "return _store(key, op, values, digest, scope, made)",
           "return _store(key, op, values, digest, scope, made) if isinstance(made, Done) else Outcome(key, op, 'REFUSED', {'summary': 'x'}, replayed=False)",
           (("a refusal", "finish:before", KILL),)),
]  # fmt: skip
FINISHES = [
    Mutant("reply and DONE are one commit", "agent.run:Run.answer", 'with committing("finish"):',
           'if reach("finish:before") is None:', ((PLAN, "send:before", KILL), (PLAN, "doorbell:before", RAISE), (PLAN, "doorbell:before", KILL))),
    Mutant("the reply is written", "agent.run:Run.answer", "enqueue(", "dict(", ((PLAN, "finish:before", KILL),)),
    Mutant("the question is a message", "agent.questions:ask", "enqueue(", "dict(", ((QUESTION, "question:before", KILL),)),
    Mutant("an expiry is said", "agent.questions:expire_next", "enqueue(", "dict(", ((EXPIRES, "expiry:before", KILL),)),
    Mutant("a failure has its review", "webhook.models.batch:Batch.on_exhausted", "Review.objects.get_or_create(", "dict(",
           (("three workers vanish", "rescue batch:before", KILL),)),
    Mutant("a failure is told to the follower", "webhook.models.batch:Batch.on_exhausted", "enqueue(", "dict(",
           (("three workers vanish", "rescue batch:before", KILL),)),
    Mutant("the review comes with the state", "webhook.models.outbound:OutboundMessage.on_exhausted",
           "Review.objects.get_or_create(", "dict(", ((LOST_ANSWER, "unknown:before", KILL),)),
    Mutant("an expired question closes what was pending", "agent.questions:_close",
           "dropped = ledger.drop_from(waiting, int(waiting.question[\"position\"]), reason)", "dropped = ['x']",
           ((EXPIRES, "expiry:before", KILL),)),
    Mutant("expiry is a compare-and-set", "agent.questions:_close", "if not Batch.move(", "if not Batch._default_manager.filter(pk=waiting.pk).update(status='SUBMITTED') and Batch.move(",
           ((EXPIRES, "expiry:before", KILL),)),
]  # fmt: skip
QUEUES = [
    Mutant("rescue comes back to the row", "webhook.sweep:sweep", "for _ in _some(model.rescue_next):", "for _ in ():",
           ((PLAN, "operation:before", KILL), (PLAN, "claim batch:committed", KILL))),
    Mutant("what is quiet is submitted by the sweep as well", "webhook.sweep:submit_quiet",
           "return Batch.move_where(_QUIET, (AT_ONCE,), Batch.COLLECTING, Batch.SUBMITTED)", "return 0",
           ((PLAN, "door:committed", KILL),)),
    Mutant("claims are counted before the work", "planner.leases:Leased.claim", "claims = claims + 1,", "",
           (("three workers vanish", "claim batch:committed", KILL),)),
    Mutant("claims used up end with a person", "webhook.models.batch:Batch.AFTER_DEATH", "'FAILED'", "'SUBMITTED'",
           (("three workers vanish", "rescue batch:committed", KILL), ("three workers vanish", "door:before", KILL))),
    Mutant("batches of a follower keep their order", "webhook.models.batch:Batch.CLAIMABLE", "NOT EXISTS", "TRUE OR NOT EXISTS",
           (("two in a row", "claim batch:before", KILL), (QUESTION, "claim batch:committed", KILL))),
    Mutant("an outage is refunded", "planner.leases:Leased.release", "row.claims -= 1", "row.claims -= 0",
           (("a model that is down", "release batch:before", KILL), ("a long outage", "release batch:before", KILL))),
    Mutant("a retry waits for its time in the row", "planner.leases:Leased.retry", "cls.EXHAUSTED if exhausted else cls.READY",
           "cls.EXHAUSTED", (("a model that fails", "retry batch:before", KILL), (PLAN, "operation:before", RAISE), (PLAN, "operation:effect", RAISE))),
    Mutant("a ring that raises does no harm", "planner.doorbell:_rung", "_publisher.put(name, after)", "raise OSError('no broker')",
           ((PLAN, "doorbell:before", KILL), (PLAN, "door:committed", KILL))),
]  # fmt: skip
DOOR = [
    Mutant("the key is the message's own", "webhook.inbox:_store", "incoming.key,", "incoming.key + __import__('os').urandom(2).hex(),",
           ((PLAN, "door:committed", KILL), (PLAN, "door:answering", RAISE), (PLAN, "door:written", LOST))),
    Mutant("commit before the answer", "webhook.views:_post", 'return HttpResponse("not stored", status=500, content_type=PLAIN)',
           "return success()", ((PLAN, "door:written", CUT), (PLAN, "door:before", CUT), (PLAN, "door:stored", CUT))),
]  # fmt: skip
SENDS = [
    Mutant("a dead sender leaves UNKNOWN", "webhook.models.outbound:OutboundMessage.AFTER_DEATH", "ELSE 'UNKNOWN'", "ELSE 'PENDING'",
           ((PLAN, "send:answered", KILL), (PLAN, "sent:before", KILL))),
    Mutant("a lost answer is UNKNOWN", "webhook.wechat:transport", "name = type(error).__name__",
           "return Failure('no', retry=Retry.LATER, effect=Effect.NONE, code='lost')",
           ((LOST_ANSWER, "unknown:before", KILL),)),
    Mutant("UNKNOWN is not sent again", "webhook.outcomes:_unknown", "OutboundMessage.give_up(admitted.lease, error, status=OutboundMessage.UNKNOWN)",
           "OutboundMessage.retry(admitted.lease, error)", ((LOST_ANSWER, "send:before", KILL), (LOST_ANSWER, "doorbell:before", KILL))),
    Mutant("late truth is written down", "webhook.delivery:_send", "settled_late(admitted.lease.pk, admitted.lease.claim_no)", "pass",
           (("the answer comes after", "door:before", KILL),)),
    Mutant("a claim marks before it sends", "planner.leases:Leased.claim", "SET status = '{cls.RUNNING}', claims",
           "SET status = coalesce(nullif('{cls.RUNNING}', 'SENDING'), 'PENDING'), claims",
           ((PLAN, "send:before", KILL), (PLAN, "send:answered", KILL))),
    Mutant("one template keeps one id", "webhook.models.outbound:OutboundMessage.client_msg_id", 'f"p{self.pk}"',
           'f"p{self.pk}-{self.claims}"', ((SILENT, "unknown:committed", KILL), (TEMPLATE, "send template:answered", KILL))),
    Mutant("a success is recorded", "webhook.delivery:_sent", "OutboundMessage.finish(admitted.lease, OutboundMessage.SENT",
           "OutboundMessage.finish(admitted.lease, OutboundMessage.PENDING", ((PLAN, "sent:before", KILL), (PLAN, "door:before", KILL))),
    Mutant("an old message is sent again once", "webhook.operators:send_again", "if old is None:", "if old is None and (OutboundMessage.objects.filter(pk=row.pk).update(status='PENDING') or True):",
           ((REQUEST, "send again:committed", KILL),)),
]  # fmt: skip
REMINDERS = [
    Mutant("the mark comes with the message", "reminders.scan:scan_next", 'with committing("reminder"):', 'if reach("reminder:before") is None:',
           ((RING, "doorbell:before", KILL), (RING, "doorbell:before", RAISE))),
    Mutant("a ring is marked as rung", "reminders.scan:_mark", "Reminder.CANCELLED if reason else Reminder.SENT", "'CANCELLED'",
           ((RING, "reminder:found", KILL),)),
    Mutant("what is marked is spoken", "reminders.scan:_ring", "if wanted:", "if False:", ((RING, "reminder:found", KILL),)),
]  # fmt: skip
MUTANTS = [*FENCES, *LEDGER, *FINISHES, *QUEUES, *DOOR, *SENDS, *REMINDERS]

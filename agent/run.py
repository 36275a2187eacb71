"""One run of one claimed batch: understand it once, do each action once, then ask or answer.

Nothing is kept in memory that a retry would need: analysis, answers and results are rows, and this object is thrown
away with the claim.
"""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings

from agent import ledger, questions, replies, routing, voice
from agent.analysers import Analyser, understand
from agent.loading import load
from agent.merging import each
from agent.questions import Question
from agent.tools import Toolbox
from planner import sql, texts
from planner.crashpoints import committing, statement
from planner.errors import Effect, Failure, Retry
from planner.leases import Claimed, LeaseLost
from planner.operations import Outcome, Scope, Unclear
from webhook.models import Batch
from webhook.outbox import enqueue


class Run:
    def __init__(
        self, claimed: Claimed, *, model: Analyser | None, tools: Toolbox, step: Callable[[float], None]
    ) -> None:
        self.lease, self.model, self.tools, self.step = claimed.lease, model, tools, step
        self.loaded = load(claimed.lease)
        self.batch, self.follower = self.loaded.batch, self.loaded.follower
        self.outcomes: list[Outcome] = []
        self.note = ""
        self.usage: dict[str, Any] = {}
        self.deadline = time.monotonic() + min(settings.AGENT_TIMEOUT_SECONDS, settings.BATCH_LEASE_SECONDS - 1)

    def seconds_left(self) -> float:
        """Raises when the run's time is over: the claim counts, the stored results stay."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Failure("处理超时", retry=Retry.LATER, effect=Effect.NONE, code="timeout", upstream="agent")
        return left

    def is_understood(self) -> bool:
        return self.batch.analysis_json is not None

    def analyse(self) -> bool:
        """Makes sure the analysis is stored. False: the batch was an answer to an open question and is done."""
        if self.is_understood():
            return True
        said, spoken = self.loaded.said, voice.spoken(self.batch.pk, self.loaded.spoken)
        if not said:
            self._store_analysis(spoken.only(), "")
            return True
        match routing.route(self.loaded, self.lease, spoken=spoken):
            case routing.HANDED_OVER:
                return False
            case routing.TOO_LATE:
                self.note = texts.render("late_answer")
        analysis, analyst = understand(self, said)
        self._store_analysis(spoken.added_to(analysis), analyst)
        return True

    def _store_analysis(self, analysis: dict[str, Any], analyst: str) -> None:
        """First writer wins, under the fence; a later claim takes what is stored."""
        first = f"""
            UPDATE webhook_batch SET analysis_json = %s::jsonb, analysed_by = %s
            WHERE {self.lease.held} AND analysis_json IS NULL"""
        with statement("analysis"):
            stored = sql.execute(first, (analysis, analyst, *self.lease.params))
        if stored != 1:
            raise LeaseLost(f"batch {self.batch.pk}")
        self.batch.analysis_json = analysis

    def act(self) -> Question | None:
        """Each action in order, by its key. The first unclear one becomes the question; what was done stays done."""
        answers = questions.answers_of(self.batch)
        scope = self._scope()
        for position, action in enumerate(self.batch.actions, 1):
            self.step(min(self.seconds_left(), 30.0))
            answer = answers.get(str(position))
            if question := self._do(position, action, answer, scope):
                return question
        return None

    def _scope(self) -> Scope:
        return Scope(
            follower=self.follower,
            sent_at=self.batch.created_at,
            trace_id=self.batch.trace_id,
            batch_id=self.batch.pk,
            lease=self.lease,
        )

    def _do(
        self, position: int, action: dict[str, Any], answer: dict[str, Any] | None, scope: Scope
    ) -> Question | None:
        if answer is not None and answer.get("cancel"):
            with committing("cancelled"):
                self.lease.fence()
                self.outcomes.append(ledger.drop(self.batch, position, action, "cancelled"))
            return None
        if action["op"] == "clarify" and answer is None and (action["missing"] != "target" or action["options"]):
            return Question(position, action["pending"], action["missing"], action["question"], action["options"])
        op = ledger.op_of(action)
        for part, params in enumerate(each(action, answer), 1):
            made = self.tools.call(op, params, scope, key=ledger.key_of(self.batch.pk, op, position, part))
            if isinstance(made, Unclear):
                return _question(position, action, made)
            self.outcomes.append(made)
        return None

    def _opening(self) -> str:
        return "\n".join(filter(None, (voice.lines(self.batch), self.note)))

    def ask(self, question: Question) -> None:
        note = self._opening()
        done = replies.compose(self.outcomes, note=note, unread=self._unread()) if self.outcomes else note
        questions.ask(self.batch, self.lease, question, done=done, usage=self.usage or None)

    def answer(self) -> None:
        """The reply, from stored results, and DONE: one commit."""
        chat = str((self.batch.analysis_json or {}).get("chat", ""))
        text = self._opening()
        if not voice.is_silence(self.batch):
            text = replies.compose(self.outcomes, chat=chat, note=text, unread=self._unread())
        with committing("finish"):
            Batch.finish(self.lease, Batch.DONE, "done", usage=self.usage or None, last_error="")
            enqueue(
                key=f"{self.batch.pk}:reply:1",
                follower_id=self.follower.pk,
                batch_id=self.batch.pk,
                purpose="reply",
                text=text,
                trace_id=self.batch.trace_id,
            )

    def _unread(self) -> list[str]:
        return list((self.batch.analysis_json or {}).get("unread", []))


def _question(position: int, action: dict[str, Any], unclear: Unclear) -> Question:
    pending = action["pending"] if action["op"] == "clarify" else action
    if unclear.missing == "confirm":
        text = texts.render("confirm_delete", titles=unclear.options)
        return Question(position, pending, "confirm", text, [], unclear.data["tasks"])
    shown = len(unclear.options)
    if title := unclear.data.get("repeats"):
        text = texts.render("which_turns", title=title, verb=pending["op"])
        return Question(position, pending, "target", text, unclear.options, unclear.data["tasks"])
    text = texts.render("which_one", verb=pending["op"], total=unclear.data["total"], shown=shown)
    return Question(position, pending, "target", text, unclear.options, unclear.data["tasks"])

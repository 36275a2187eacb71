"""One batch of two actions, the second of which may need a question; two workers, a rescuer, a follower who answers, the
clock that closes questions, an operator. Each worker may die anywhere, be taken for dead while alive, or fail."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step, after_death
from webhook.models import Batch

COLLECTING, SUBMITTED, RUNNING, WAITING = Batch.COLLECTING, Batch.SUBMITTED, Batch.RUNNING, Batch.WAITING
DONE, FAILED, CANCELLED = Batch.DONE, Batch.FAILED, Batch.CANCELLED
MAX_CLAIMS = 3
PLAIN, ASKING = 1, 2  # two plans that the model may come up with; the second has a question
DROPPED = 9


class Worker(NamedTuple):
    at: str = ""  # "", loaded, thought, first, second, asking, finishing, finished, failing
    no: int = 0
    plan: int = 0


class State(NamedTuple):
    status: str = COLLECTING
    claims: int = 0
    no: int = 0
    tried: int = 0  # how often it was really begun since claims last were fresh
    plan: int = 0
    first: int = 0  # the plan under which the result was stored
    second: int = 0
    effects: tuple[int, int] = (0, 0)
    answered: bool = False
    replied: bool = False
    told: bool = False  # what was not done has been said: failure notice or expiry
    review: bool = False
    workers: tuple[Worker, Worker] = (Worker(), Worker())
    answering: int = 0  # 0 not yet, 1 has decided that it is an answer, 2 handed over, 3 too late
    expiring: int = 0
    rescuing: bool = False
    crashes: int = 2
    expiries: int = 2
    errors: int = 1
    clicks: int = 1
    bad: str = ""


IDLE = Worker()
RULES = frozenset(
    [
        "fence of the finish",
        "fence of the error path",
        "fence of the question",
        "fence of the analysis",
        "fence of operations",
        "ledger",
        "first writer wins",
        "stored analysis is used",
        "reply with the finish",
        "rescue in one statement",
        "answer by compare-and-set",
        "expiry by compare-and-set",
        "notice with the failure",
        "claims are counted",
    ]
)


class Batches(Model):
    RULES, STATE, ROW = RULES, State, Batch

    def steps(self, state: State) -> Iterator[Step]:
        if state.status == COLLECTING:
            yield "submit", self.move(state, SUBMITTED)
        for n, worker in enumerate(state.workers):
            yield from self.worker(state, n, worker)
        yield from self.rescue(state)
        yield from self.follower(state)
        yield from self.operator(state)

    def worker(self, state: State, n: int, me: Worker) -> Iterator[Step]:
        def goes(state: State, at: str = "", plan: int = me.plan) -> State:
            workers = list(state.workers)
            workers[n] = Worker(at, me.no, plan) if at else IDLE
            return state._replace(workers=tuple(workers))

        if not me.at:
            yield from self.claim(state, n)
            return
        if state.crashes:
            yield f"!worker {n} dies {me.at}", goes(state._replace(crashes=state.crashes - 1))
        if state.errors and me.at != "failing":
            yield f"!worker {n} fails {me.at}", goes(state._replace(errors=state.errors - 1), "failing")
        held = state.status == RUNNING and state.no == me.no
        for what, after in getattr(self, me.at)(state, me, held, goes):
            yield f"worker {n} {what}", after

    def claim(self, state: State, n: int) -> Iterator[Step]:
        if state.status != SUBMITTED or state.claims >= MAX_CLAIMS:
            return
        counted = state.claims + ("claims are counted" in self.rules)
        workers = list(state.workers)
        workers[n] = Worker("loaded", state.no + 1)
        yield (
            f"worker {n} claims",
            self.move(state, RUNNING, claims=counted, tried=state.tried + 1, no=state.no + 1, workers=tuple(workers)),
        )

    def loaded(self, state, me, held, goes):
        if state.plan and "stored analysis is used" in self.rules:
            yield "takes the stored analysis", goes(state, "first", state.plan)
            return
        for plan in (PLAIN, ASKING):
            yield f"thinks of plan {plan}", goes(state, "thought", plan)

    def thought(self, state, me, held, goes):
        fenced = held or "fence of the analysis" not in self.rules
        free = not state.plan or "first writer wins" not in self.rules
        if fenced and free:
            changed = "the stored analysis was changed" if state.plan not in (0, me.plan) else state.bad
            yield "stores the analysis", goes(state._replace(plan=me.plan, bad=changed), "first")
        else:
            yield "has lost the batch", goes(state)

    def operation(self, state, me, held, goes, name, position, then):
        stored = getattr(state, name)
        if stored and "ledger" in self.rules:
            if stored == me.plan:
                yield "gets the stored result", goes(state, then)
            else:
                bad = "a conflict of a plan with itself" if held else state.bad
                yield "meets a conflict", goes(state._replace(bad=bad), "failing")
        elif held or "fence of operations" not in self.rules:
            effects = list(state.effects)
            effects[position] += 1
            final = state.status in (DONE, CANCELLED, FAILED)
            bad = "an operation took effect after the end" if final else state.bad
            yield f"does {name}", goes(state._replace(**{name: me.plan}, effects=tuple(effects), bad=bad), then)
        else:
            yield "has lost the batch", goes(state)

    def first(self, state, me, held, goes):
        yield from self.operation(state, me, held, goes, "first", 0, "second")

    def second(self, state, me, held, goes):
        if me.plan == ASKING and not state.answered and not state.second:
            yield "must ask", goes(state, "asking")
        else:
            yield from self.operation(state, me, held, goes, "second", 1, "finishing")

    def asking(self, state, me, held, goes):
        if held or "fence of the question" not in self.rules:
            yield "asks", goes(self.move(state, WAITING))
        else:
            yield "has lost the batch", goes(state)

    def finishing(self, state, me, held, goes):
        if not held and "fence of the finish" in self.rules:
            yield "has lost the batch", goes(state)
        elif "reply with the finish" in self.rules:
            yield "replies and finishes", goes(self.move(state, DONE, replied=True))
        else:
            yield "finishes", goes(self.move(state, DONE), "finished")

    def finished(self, state, me, held, goes):
        yield "replies", goes(state._replace(replied=True))

    def failing(self, state, me, held, goes):
        if not held and "fence of the error path" in self.rules:
            yield "has lost the batch", goes(state)
        elif state.claims < MAX_CLAIMS:
            yield "gives it back", goes(self.move(state, SUBMITTED))
        else:
            yield "gives up", goes(self.fail(state))

    def fail(self, state: State) -> State:
        said = "notice with the failure" in self.rules
        return self.move(state, FAILED, told=said or state.told, review=said or state.review)

    def rescue(self, state: State) -> Iterator[Step]:
        orphan = not any(worker.at and worker.no == state.no for worker in state.workers)
        if state.rescuing:
            yield "the rescuer acts on what it read", self._rescued(state._replace(rescuing=False))
        elif state.status == RUNNING and (orphan or state.expiries):
            spent = state if orphan else state._replace(expiries=state.expiries - 1)
            name = "the batch is rescued" if orphan else "!a living worker is taken for dead"
            if "rescue in one statement" in self.rules:
                yield name, self._rescued(spent)
            else:
                yield name, spent._replace(rescuing=True)

    def _rescued(self, state: State) -> State:
        after = after_death(Batch, claims=state.claims, max_claims=MAX_CLAIMS)
        return self.fail(state) if after == FAILED else self.move(state, after)

    def follower(self, state: State) -> Iterator[Step]:
        """An answer and the question's expiry: each looks first and acts later, and one of the two comes late."""
        open_now = state.status == WAITING
        if open_now and state.answering == 0:
            yield "the follower answers", state._replace(answering=1)
        if open_now and state.expiring == 0:
            yield "the question's time is over", state._replace(expiring=1)
        if state.answering == 1:
            if open_now or "answer by compare-and-set" not in self.rules:
                handed = {"answered": True, "claims": 0, "tried": 0, "answering": 2}
                yield "the answer is handed over", self.move(state, SUBMITTED, **handed)
            else:
                yield "the answer is too late, and told so", state._replace(answering=3)
        if state.expiring == 1:
            if open_now or "expiry by compare-and-set" not in self.rules:
                yield "the question is closed", self.move(state, DONE, second=DROPPED, told=True, expiring=2)
            else:
                yield "the question was answered", state._replace(expiring=2)

    def operator(self, state: State) -> Iterator[Step]:
        if not state.clicks:
            return
        spent = state._replace(clicks=state.clicks - 1)
        if state.status == FAILED:
            yield "an operator retries", self.move(spent, SUBMITTED, claims=0, tried=0, review=False)
        if state.status in (COLLECTING, SUBMITTED, WAITING):
            yield "an operator cancels", self.move(spent, CANCELLED)

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if max(state.effects) > 1:
            return "an operation took effect twice"
        if state.tried > min(MAX_CLAIMS, state.claims):
            return "more claims than there are"
        if state.status == DONE and not (state.first and state.second):
            return "done without a result for each action"
        if state.status == DONE and not (state.replied or state.told) and not self._replying(state):
            return "done, and nobody is told"
        if state.status == FAILED and not (state.review and state.told):
            return "failed, and nobody knows"
        if state.status == FAILED and self._faults(state) < MAX_CLAIMS:
            return "failed before its claims were used up by faults"
        return ""

    def _faults(self, state: State) -> int:
        left, first = state.crashes + state.expiries + state.errors, self.start()
        return first.crashes + first.expiries + first.errors - left

    def _replying(self, state: State) -> bool:
        return any(worker.at == "finished" for worker in state.workers)

    def at_rest(self, state: State) -> bool:
        quiet = all(not worker.at for worker in state.workers) and not state.rescuing
        ended = state.status in (DONE, FAILED, CANCELLED) or (state.status == WAITING and not state.expiring)
        return quiet and ended and state.answering != 1 and state.expiring != 1

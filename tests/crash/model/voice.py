"""One voice message that must take the long way: ordered, paid for, asked about; two workers, a rescuer, the deadline,
WeChat's own words where it sent some, an operator who cancels or has it heard again."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step, after_death
from webhook.models import VoiceClip

C = VoiceClip
MAX_CLAIMS = 3
ORDERS = 2  # transcription.hearing.CREATES


class Worker(NamedTuple):
    at: str = ""  # "", claimed, counted, ordered, asking, answered, failing, hopeless, marked
    no: int = 0
    task: bool = False  # it has read the task's number


class State(NamedTuple):
    recognised: bool = False  # WeChat has sent words of its own
    status: str = C.UNHEARD
    claims: int = 0
    no: int = 0
    begun: int = 0  # how often it was really begun in this generation
    creates: int = 0
    paid: int = 0  # by Tencent's count, in all generations: a stale worker of the last may order during the next
    task: bool = False
    settled: int = 0  # how often its batch was told to go on, in this generation
    words: bool = False
    review: bool = False
    workers: tuple[Worker, Worker] = (Worker(), Worker())
    rescuing: bool = False
    expiring: bool = False
    crashes: int = 1
    expiries: int = 1
    errors: int = 1
    clicks: int = 1
    bad: str = ""


IDLE = Worker()
RULES = frozenset(
    [
        "fence of the finish",
        "fence of the error path",
        "fence of the task's number",
        "words with the state",
        "counted before the order",
        "orders are bounded",
        "claims are counted",
        "review with the failure",
        "rescue in one statement",
        "the deadline looks at the state",
        "own words stand in",
    ]
)


class Voices(Model):
    RULES, STATE, ROW = RULES, State, C

    def steps(self, state: State) -> Iterator[Step]:
        for n, worker in enumerate(state.workers):
            yield from self.worker(state, n, worker)
        yield from self.rescue(state)
        yield from self.deadline(state)
        yield from self.operator(state)

    def worker(self, state: State, n: int, me: Worker) -> Iterator[Step]:
        def goes(state: State, at: str = "", task: bool = me.task) -> State:
            workers = list(state.workers)
            workers[n] = Worker(at, me.no, task) if at else IDLE
            return state._replace(workers=tuple(workers))

        if not me.at:
            yield from self.claim(state, n)
            return
        if state.crashes:
            yield f"!worker {n} dies {me.at}", goes(state._replace(crashes=state.crashes - 1))
        held = state.status == C.HEARING and state.no == me.no
        for what, after in getattr(self, me.at)(state, me, held, goes):
            yield f"{'!' if what.startswith('!') else ''}worker {n} {what.lstrip('!')}", after

    def claim(self, state: State, n: int) -> Iterator[Step]:
        if state.status != C.UNHEARD or state.claims >= MAX_CLAIMS:
            return
        workers = list(state.workers)
        workers[n] = Worker("asking" if state.task else "claimed", state.no + 1, state.task)
        counted = state.claims + ("claims are counted" in self.rules)
        claimed = {"claims": counted, "begun": state.begun + 1, "no": state.no + 1, "workers": tuple(workers)}
        yield f"worker {n} claims", self.move(state, C.HEARING, **claimed)

    def claimed(self, state, me, held, goes):
        """Fetched and looked at; the order is counted before it is placed."""
        if state.errors:
            yield "!cannot fetch it", goes(state._replace(errors=state.errors - 1), "failing")
        if "counted before the order" not in self.rules:
            yield "places the order", goes(state._replace(paid=state.paid + 1), "ordered")
        elif not held:
            yield "has lost it", goes(state)
        elif state.creates >= ORDERS and "orders are bounded" in self.rules:
            yield "may not order again", goes(state, "hopeless")
        else:
            yield "counts the order", goes(state._replace(creates=state.creates + 1), "counted")

    def counted(self, state, me, held, goes):
        paid = state._replace(paid=state.paid + 1)
        yield "places the order", goes(paid, "ordered")
        if state.errors:
            spent = {"errors": state.errors - 1}
            yield "!places it, and hears nothing", goes(paid._replace(**spent), "failing")
            yield "!is refused", goes(state._replace(**spent, creates=state.creates - held), "failing")

    def ordered(self, state, me, held, goes):
        """The number is stored with the release, which spends no claim."""
        if not held and "fence of the task's number" in self.rules:
            yield "has lost it", goes(state)
        else:
            uncounted = "counted before the order" not in self.rules
            stored = {"task": True, "creates": state.creates + uncounted, "claims": max(0, state.claims - 1)}
            yield "stores its number", goes(self.move(state, C.UNHEARD, **stored, begun=max(0, state.begun - 1)))

    def asking(self, state, me, held, goes):
        yield "hears the words", goes(state, "answered")
        if state.errors:
            spent = state._replace(errors=state.errors - 1)
            yield "!is told to wait", goes(self.back(spent) if held else spent)
            yield "!is told that the task is gone", goes(spent._replace(task=False) if held else spent, "failing")

    def back(self, state: State) -> State:
        return self.move(state, C.UNHEARD, claims=max(0, state.claims - 1), begun=max(0, state.begun - 1))

    def answered(self, state, me, held, goes):
        if not held and "fence of the finish" in self.rules:
            yield "has lost it", goes(state)
        elif "words with the state" in self.rules:
            yield "writes the words", goes(self.settle(self.move(state, C.HEARD), words=True))
            if state.errors:
                spent = state._replace(errors=state.errors - 1)
                yield "!finds no words in it", goes(self.wordless(spent))
        else:
            yield "marks it as heard", goes(self.move(state, C.HEARD), "marked")

    def wordless(self, state: State) -> State:
        if state.recognised:
            return self.settle(self.move(state, C.HEARD), words=True)
        return self.settle(self.move(state, C.SILENT))

    def marked(self, state, me, held, goes):
        yield "writes the words", goes(self.settle(state, words=True))

    def settle(self, state: State, *, words: bool = False) -> State:
        return state._replace(settled=state.settled + 1, words=words or state.words)

    def failing(self, state, me, held, goes):
        if not held and "fence of the error path" in self.rules:
            yield "has lost it", goes(state)
        elif state.claims < MAX_CLAIMS:
            yield "gives it back", goes(self.move(state, C.UNHEARD))
        else:
            yield "gives up", goes(self.fail(state))

    def hopeless(self, state, me, held, goes):
        if not held and "fence of the error path" in self.rules:
            yield "has lost it", goes(state)
        else:
            yield "gives up", goes(self.fail(state))

    def fail(self, state: State) -> State:
        """FAILED, and in the same commit WeChat's own words or a person."""
        failed = self.move(state, C.FAILED)
        if state.recognised and "own words stand in" in self.rules:
            return self.settle(self.move(failed, C.HEARD), words=True)
        return self.settle(failed)._replace(review="review with the failure" in self.rules)

    def rescue(self, state: State) -> Iterator[Step]:
        orphan = not any(worker.at and worker.no == state.no for worker in state.workers)
        if state.rescuing:
            yield "the rescuer acts on what it read", self._rescued(state._replace(rescuing=False))
        elif state.status == C.HEARING and (orphan or state.expiries):
            spent = state if orphan else state._replace(expiries=state.expiries - 1)
            name = "it is rescued" if orphan else "!a living worker is taken for dead"
            if "rescue in one statement" in self.rules:
                yield name, self._rescued(spent)
            else:
                yield name, spent._replace(rescuing=True)

    def _rescued(self, state: State) -> State:
        after = after_death(C, claims=state.claims, max_claims=MAX_CLAIMS)
        return self.fail(state) if after == C.FAILED else self.move(state, after)

    def deadline(self, state: State) -> Iterator[Step]:
        """May be over at any moment."""
        if state.status in (C.UNHEARD, C.HEARING) and not state.expiring:
            if "the deadline looks at the state" in self.rules:
                yield "it is called late", self.fail(state)
            else:
                yield "it is found to be late", state._replace(expiring=True)
        if state.expiring:
            yield "it is called late after all", self.fail(state)._replace(expiring=False)

    def operator(self, state: State) -> Iterator[Step]:
        if not state.clicks:
            return
        spent = state._replace(clicks=state.clicks - 1)
        if state.status in (C.UNHEARD, C.HEARING):
            yield "an operator cancels its batch", self.move(spent, C.CANCELLED)
        if state.status == C.FAILED:
            fresh = {"claims": 0, "begun": 0, "creates": 0, "settled": 0, "review": False}
            yield "an operator has it heard again", self.move(spent, C.UNHEARD, **fresh)

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if state.settled > 1:
            return "its batch was sent on twice"
        if state.begun > min(MAX_CLAIMS, state.claims):
            return "more claims than there are"
        if state.paid > ORDERS * (1 + self.start().clicks - state.clicks):
            return "paid for more often than allowed"
        if state.status == C.HEARD and not state.words and not any(w.at == "marked" for w in state.workers):
            return "heard, and without words"
        if state.status == C.FAILED and state.recognised:
            return "failed, though WeChat had sent words"
        if state.status == C.FAILED and not state.review:
            return "failed, and nobody knows"
        if state.status in (C.FAILED, C.SILENT) and not state.settled:
            return "at its end, and its batch still waits"
        return ""

    def at_rest(self, state: State) -> bool:
        quiet = all(not worker.at for worker in state.workers) and not (state.rescuing or state.expiring)
        return quiet and state.status in C.FINAL

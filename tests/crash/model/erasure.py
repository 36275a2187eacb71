"""One follower's erasure: two erasers who delete table by table, a worker who may still be at his batch, the person who
writes anew meanwhile, WeChat which delivers an old message once more."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step, after_death
from webhook.models import Erasure

E = Erasure
MAX_CLAIMS = 3
TABLES = ("outbound", "batch", "task")  # in the order of deletion


class Eraser(NamedTuple):
    at: str = ""  # "", table, ending, ended
    no: int = 0
    table: int = 0


class State(NamedTuple):
    status: str = E.PENDING
    claims: int = 0
    no: int = 0
    begun: int = 0
    rows: tuple[bool, bool, bool] = (True, True, True)  # of the one who is erased
    follower: bool = True  # his row, which has lost its openid
    fresh: bool = False  # he has written anew: another row, with a batch of its own
    spoiled: bool = False  # what he has written anew was deleted
    worker: int = 1  # 1 at his batch, 2 has written a task, 0 gone
    alarm: bool = False
    erasers: tuple[Eraser, Eraser] = (Eraser(), Eraser())
    rescuing: bool = False
    redelivered: bool = False
    crashes: int = 2
    expiries: int = 1
    again: int = 1
    bad: str = ""


IDLE = Eraser()
RULES = frozenset(
    [
        "fence of each piece",
        "a deleted batch stops its worker",
        "detached at once",
        "an old message brings nobody back",
        "looks once more before the end",
        "the end is one commit",
        "alarm with the failure",
        "rescue in one statement",
        "claims are counted",
    ]
)


class Erasures(Model):
    RULES, STATE, ROW = RULES, State, E

    def move(self, state: State, after: str, **changes: object) -> State:
        if after == E.FAILED:
            changes["alarm"] = "alarm with the failure" in self.rules
        return super().move(state, after, **changes)

    def steps(self, state: State) -> Iterator[Step]:
        for n, eraser in enumerate(state.erasers):
            yield from self.eraser(state, n, eraser)
        yield from self.rescue(state)
        yield from self.at_work(state)
        yield from self.person(state)
        if state.status == E.FAILED and state.again:
            yield "it is asked for again", self.move(state, E.PENDING, claims=0, begun=0, again=state.again - 1)

    def eraser(self, state: State, n: int, me: Eraser) -> Iterator[Step]:
        def goes(state: State, at: str = "", table: int = 0) -> State:
            erasers = list(state.erasers)
            erasers[n] = Eraser(at, me.no, table) if at else IDLE
            return state._replace(erasers=tuple(erasers))

        if not me.at:
            yield from self.claim(state, n)
            return
        if state.crashes:
            yield f"!eraser {n} dies {me.at}", goes(state._replace(crashes=state.crashes - 1))
        held = state.status == E.ERASING and state.no == me.no
        if me.at != "ended" and not held and "fence of each piece" in self.rules:
            yield f"eraser {n} has lost it", goes(state)
            return
        for what, after in getattr(self, me.at)(state, me, held, goes):
            yield f"eraser {n} {what}", after

    def claim(self, state: State, n: int) -> Iterator[Step]:
        if state.status != E.PENDING or state.claims >= MAX_CLAIMS:
            return
        erasers = list(state.erasers)
        erasers[n] = Eraser("deleting", state.no + 1)
        counted = {"claims": state.claims + ("claims are counted" in self.rules), "begun": state.begun + 1}
        yield f"eraser {n} claims", self.move(state, E.ERASING, **counted, no=state.no + 1, erasers=tuple(erasers))

    def deleting(self, state, me, held, goes):
        rows = list(state.rows)
        rows[me.table] = False
        spoiled = state.spoiled or (state.fresh and "detached at once" not in self.rules)
        last = me.table + 1 == len(TABLES)
        after = state._replace(rows=tuple(rows), spoiled=spoiled)
        yield f"deletes {TABLES[me.table]}", goes(after, "ending" if last else "deleting", 0 if last else me.table + 1)

    def ending(self, state, me, held, goes):
        """With the follower's row locked: what is still there goes first, and then it looks again."""
        if any(state.rows) and "looks once more before the end" in self.rules:
            yield "finds more", goes(state._replace(rows=(False, False, False)), "ending")
            return
        gone = state._replace(follower=False)
        if not held:
            yield "ends what is not its own", goes(gone._replace(bad="an erasure was ended by nobody who holds it"))
        elif "the end is one commit" in self.rules:
            yield "is done", goes(self.move(gone, E.DONE))
        else:
            yield "marks it as done", goes(self.move(state, E.DONE), "ended")

    def ended(self, state, me, held, goes):
        yield "deletes the follower", goes(state._replace(follower=False))

    def rescue(self, state: State) -> Iterator[Step]:
        orphan = not any(eraser.at and eraser.no == state.no for eraser in state.erasers)
        if state.rescuing:
            yield "the rescuer acts on what it read", self._rescued(state._replace(rescuing=False))
        elif state.status == E.ERASING and (orphan or state.expiries):
            spent = state if orphan else state._replace(expiries=state.expiries - 1)
            name = "it is rescued" if orphan else "!a living eraser is taken for dead"
            if "rescue in one statement" in self.rules:
                yield name, self._rescued(spent)
            else:
                yield name, spent._replace(rescuing=True)

    def _rescued(self, state: State) -> State:
        return self.move(state, after_death(E, claims=state.claims, max_claims=MAX_CLAIMS))

    def at_work(self, state: State) -> Iterator[Step]:
        """Each of the worker's writes locks his batch's row first: where it is gone, he has lost it."""
        if not state.worker:
            return
        outbound, batch, task = state.rows
        if not batch and "a deleted batch stops its worker" in self.rules:
            yield "the worker has lost his batch", state._replace(worker=0)
        elif state.worker == 1:
            yield "the worker writes a task", state._replace(worker=2, rows=(outbound, batch, True))
        else:
            yield "the worker replies", state._replace(worker=0, rows=(True, batch, task))

    def person(self, state: State) -> Iterator[Step]:
        if not state.fresh:
            yield "he writes anew", state._replace(fresh=True)
        if not state.redelivered:
            after = state._replace(redelivered=True)
            if "an old message brings nobody back" not in self.rules:
                after = after._replace(follower=True, rows=(state.rows[0], True, state.rows[2]))
            yield "an old message is delivered once more", after

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if state.spoiled:
            return "what he wrote anew is gone as well"
        if state.begun > min(MAX_CLAIMS, state.claims):
            return "more claims than there are"
        ending = any(eraser.at == "ended" for eraser in state.erasers)
        if state.status == E.DONE and (any(state.rows) or (state.follower and not ending)):
            return "done, and something is left"
        if state.status == E.FAILED and not state.alarm:
            return "failed, and nobody knows"
        return ""

    def at_rest(self, state: State) -> bool:
        quiet = all(not eraser.at for eraser in state.erasers) and not state.rescuing and not state.worker
        return quiet and state.status in E.FINAL

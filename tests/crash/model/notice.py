"""Two batches of one follower wait for the model, and two clocks look whom to tell of it: he is told once."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step


class State(NamedTuple):
    waiting: tuple[bool, bool] = (True, True)  # held, the earlier first
    tellers: tuple[int, int] = (-1, -1)  # the batch that each has read
    told: frozenset[int] = frozenset()  # keys of the notices: the batch's number
    notices: int = 0
    crashes: int = 2


RULES = frozenset(["looks again under the follower's lock", "one key per batch"])


class Notices(Model):
    RULES, STATE = RULES, State

    def steps(self, state: State) -> Iterator[Step]:
        for n, batch in enumerate(state.tellers):
            yield from self.teller(state, n, batch)
        for n, held in enumerate(state.waiting):
            if held and not any(state.waiting[:n]):  # in their order
                yield (
                    f"batch {n} goes on",
                    state._replace(waiting=tuple(w and m != n for m, w in enumerate(state.waiting))),
                )

    def teller(self, state: State, n: int, batch: int) -> Iterator[Step]:
        def goes(state: State, to: int = -1) -> State:
            return state._replace(tellers=tuple(to if m == n else other for m, other in enumerate(state.tellers)))

        if batch < 0:
            first = next((m for m, held in enumerate(state.waiting) if held), -1)
            if first >= 0 and not state.told:
                yield f"teller {n} finds batch {first}", goes(state, first)
            return
        if state.crashes:
            yield f"!teller {n} dies", goes(state._replace(crashes=state.crashes - 1))
        if state.told and "looks again under the follower's lock" in self.rules:
            yield f"teller {n} finds him told", goes(state)
        elif batch in state.told and "one key per batch" in self.rules:
            yield f"teller {n} meets the key", goes(state)
        else:
            yield f"teller {n} tells him", goes(state._replace(told=state.told | {batch}, notices=state.notices + 1))

    def wrong(self, state: State) -> str:
        return "he was told twice" if state.notices > 1 else ""

    def at_rest(self, state: State) -> bool:
        idle = all(batch < 0 for batch in state.tellers)
        return idle and (bool(state.told) or not any(state.waiting))

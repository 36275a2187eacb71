"""One message left over, which the follower's next word takes along: WeChat delivers that word up to three times, two doors
may be at it at once, and where the account can push a sender may be quicker."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step
from webhook.models import OutboundMessage

O = OutboundMessage  # noqa: E741 - the states' names stand everywhere below
UNDECIDED, NOTHING, TEXT = "undecided", "nothing", "text"


class Door(NamedTuple):
    at: str = ""  # "", deciding, marking (the text is decided, the row not yet marked), unheard, answering
    text: str = UNDECIDED


class State(NamedTuple):
    status: str = O.PENDING
    decided: str = UNDECIDED
    doors: tuple[Door, Door] = (Door(), Door())
    sender: str = ""  # "", sending
    deliveries: int = 3
    over: bool = False  # WeChat has an answer, or has given up
    shown: int = 0
    passive: bool = False  # the row counts as sent by the answer
    faults: int = 2  # so one of the three deliveries meets none
    bad: str = ""


IDLE = Door()
RULES = frozenset(
    [
        "the answer is decided once",
        "the rows are marked with the answer",
        "what a sender holds is left to him",
        "an unheard commit is looked at again",
    ]
)


class Handovers(Model):
    RULES, STATE, ROW = RULES, State, O

    def steps(self, state: State) -> Iterator[Step]:
        for n, door in enumerate(state.doors):
            yield from self.door(state, n, door)
        yield from self.sender(state)
        idle = all(not door.at for door in state.doors)
        if not state.over and not state.deliveries and idle:
            yield "WeChat gives up", state._replace(over=True)

    def door(self, state: State, n: int, me: Door) -> Iterator[Step]:
        def goes(state: State, at: str = "", text: str = me.text) -> State:
            doors = list(state.doors)
            doors[n] = Door(at, text) if at else IDLE
            return state._replace(doors=tuple(doors))

        if not me.at:
            if state.deliveries and not state.over:
                yield f"WeChat delivers to door {n}", goes(state._replace(deliveries=state.deliveries - 1), "deciding")
            return
        spent = state._replace(faults=state.faults - 1)
        if state.faults:
            yield f"!door {n} dies {me.at}", goes(spent)
        for what, after in getattr(self, me.at)(state, spent, me, goes):
            yield f"{'!' if what.startswith('!') else ''}door {n} {what.lstrip('!')}", after

    def deciding(self, state, spent, me, goes):
        for what, base, at in (("decides", state, "answering"), ("!decides, and hears of no commit", spent, "unheard")):
            if what.startswith("!") and not state.faults:
                continue
            if state.decided != UNDECIDED and "the answer is decided once" in self.rules:
                yield what, goes(base, at, state.decided)
                continue
            free = state.status == O.PENDING
            held = state.status == O.SENDING and "what a sender holds is left to him" not in self.rules
            text = TEXT if free or held else NOTHING
            decided = base._replace(decided=text)
            if text == NOTHING:
                yield what, goes(decided, at, text)
            elif "the rows are marked with the answer" in self.rules:
                yield what, goes(self.move(decided, O.SENT, passive=True), at, text)
            else:
                yield what, goes(decided, "marking", text)

    def marking(self, state, spent, me, goes):
        if state.status == O.PENDING:
            yield "marks the row", goes(self.move(state, O.SENT, passive=True), "answering")
        else:
            yield "finds the row gone", goes(state, "answering")

    def unheard(self, state, spent, me, goes):
        if "an unheard commit is looked at again" in self.rules:
            yield "looks again", goes(state, "deciding")
        else:
            yield "answers with success", goes(state, "answering", NOTHING)

    def answering(self, state, spent, me, goes):
        if state.over:
            yield "answers what nobody waits for", goes(state)
            return
        yield "answers", goes(state._replace(over=True, shown=state.shown + (me.text == TEXT)))
        if state.faults:
            yield "!answers, and it never arrives", goes(spent)

    def sender(self, state: State) -> Iterator[Step]:
        if state.status == O.PENDING and not state.sender:
            yield "a sender claims it", self.move(state, O.SENDING, sender="sending")
        if state.sender:
            sent = state._replace(sender="", shown=state.shown + 1)
            yield "it is sent", self.move(sent, O.SENT) if state.status == O.SENDING else sent

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if state.shown > 1:
            return "it was shown twice"
        if state.over and state.passive and not state.shown:
            return "it counts as sent, and was never shown"
        return ""

    def at_rest(self, state: State) -> bool:
        return state.over and state.status == O.SENT and all(not door.at for door in state.doors) and not state.sender

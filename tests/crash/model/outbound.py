"""One message, by customer message or by template, with two senders, a rescuer, receipts, the follower and an operator.

`reached` is the truth: how often it was shown on the phone. Nobody but WeChat knows it."""

from collections.abc import Iterator
from typing import NamedTuple

from tests.crash.model.explorer import Model, Step, after_death
from webhook.models import OutboundMessage

O = OutboundMessage  # noqa: E741 - the states' names stand everywhere below
MAX_CLAIMS = 4
NEVER, LATELY, LONG_AGO = 0, 1, 2  # the first try
SECONDS = {NEVER: None, LATELY: -10, LONG_AGO: -1000}


class Sender(NamedTuple):
    at: str = ""
    no: int = 0
    tried_before: bool = False


class State(NamedTuple):
    route: str
    status: str = O.PENDING
    claims: int = 0
    no: int = 0
    first_try: int = NEVER
    waiting: bool = False
    reached: int = 0
    accepted: bool = False  # WeChat has taken this client_msg_id
    receipt: str = ""  # on its way: success, failed
    settled: str = ""  # what a receipt or a person has said
    review: bool = False
    senders: tuple[Sender, Sender] = (Sender(), Sender())
    rescuing: bool = False
    crashes: int = 2
    expiries: int = 2
    errors: int = 2
    clicks: int = 1
    bad: str = ""


IDLE = Sender()
RULES = frozenset(
    [
        "mark before sending",
        "look again before sending",
        "fence of the outcome",
        "unknown is final",
        "rescue calls it unknown",
        "rescue in one statement",
        "review with the state",
        "eight minutes for a template",
        "an earlier try is remembered",
    ]
)


class Outbounds(Model):
    RULES, STATE, ROW = RULES, State, O

    def move(self, state: State, after: str, **changes: object) -> State:
        if after in (O.UNKNOWN, O.FAILED):
            changes.setdefault("review", "review with the state" in self.rules)
        return super().move(state, after, **changes)

    def steps(self, state: State) -> Iterator[Step]:
        for n, sender in enumerate(state.senders):
            yield from self.sender(state, n, sender)
        yield from self.rescue(state)
        yield from self.outside(state)
        yield from self.operator(state)

    def sender(self, state: State, n: int, me: Sender) -> Iterator[Step]:
        def goes(state: State, at: str = "", tried: bool = me.tried_before) -> State:
            senders = list(state.senders)
            senders[n] = Sender(at, me.no, tried) if at else IDLE
            return state._replace(senders=tuple(senders))

        if not me.at:
            yield from self.claim(state, n)
            return
        if state.crashes:
            yield f"!sender {n} dies {me.at}", goes(state._replace(crashes=state.crashes - 1))
        held = state.status == O.SENDING and state.no == me.no
        if not held and "mark before sending" not in self.rules and me.at in ("claimed", "admitted"):
            held = state.status == O.PENDING
        for what, after in getattr(self, me.at)(state, me, held, goes):
            yield f"{'!' if what.startswith('!') else ''}sender {n} {what.lstrip('!')}", after

    def claim(self, state: State, n: int) -> Iterator[Step]:
        if state.status != O.PENDING or state.waiting or state.claims >= MAX_CLAIMS:
            return
        senders = list(state.senders)
        senders[n] = Sender("claimed", state.no + 1, state.first_try != NEVER)
        first = state.first_try or LATELY
        claimed = {"claims": state.claims + 1, "no": state.no + 1, "first_try": first, "senders": tuple(senders)}
        if "mark before sending" in self.rules:
            yield f"sender {n} claims", self.move(state, O.SENDING, **claimed)
        else:
            yield f"sender {n} takes it unmarked", state._replace(**claimed)

    def claimed(self, state, me, held, goes):
        late = state.first_try == LONG_AGO and "eight minutes for a template" in self.rules
        if not held:
            yield "has lost it", goes(state)
        elif state.route == O.TEMPLATE and me.tried_before and late:
            yield "is too late for another try", goes(self.move(state, O.UNKNOWN))
        else:
            yield "is admitted", goes(state, "admitted")
            if state.route == O.CUSTOMER and state.errors:
                spent = state._replace(errors=state.errors - 1)
                yield "!finds the window closed", goes(self.refunded(spent, waiting=True))
            yield "finds it unwanted", goes(self.move(state, O.CANCELLED))

    def refunded(self, state: State, **changes: object) -> State:
        return self.move(state, O.PENDING, claims=state.claims - 1, first_try=NEVER, **changes)

    def admitted(self, state, me, held, goes):
        """The look and the call are one step: the gap between them is one write of a socket."""
        if not held and "look again before sending" in self.rules:
            yield "is too late to send", goes(state)
            return
        yield "is accepted", goes(self.accept(state, shown=True), "accepted")
        if not state.errors:
            return
        spent = state._replace(errors=state.errors - 1)
        yield "!hears nothing, though it was accepted", goes(self.accept(spent, shown=True), "silent")
        yield "!hears nothing", goes(spent, "silent")
        for answer in ("busy", "refused", *(("closed",) if state.route == O.CUSTOMER else ())):
            yield f"!is told {answer}", goes(spent, answer)
        if state.route == O.TEMPLATE:
            yield "!is accepted, and the phone refuses", goes(self.accept(spent, shown=False), "accepted")

    def accept(self, state: State, *, shown: bool) -> State:
        if state.route == O.CUSTOMER:
            return state._replace(reached=state.reached + 1)
        if state.accepted and state.first_try == LATELY:
            return state  # WeChat sends one client_msg_id once
        receipt = "success" if shown else "failed"
        return state._replace(reached=state.reached + shown, accepted=True, receipt=receipt)

    def outcome(self, state, held, goes, after):
        if held or "fence of the outcome" not in self.rules:
            yield "records the outcome", goes(after(state))
        else:
            yield "has lost it", goes(state)

    def accepted(self, state, me, held, goes):
        if held or "fence of the outcome" not in self.rules:
            yield "records the success", goes(self.move(state, O.SENT))
        elif state.status == O.UNKNOWN and state.no == me.no:
            yield "records the late success", goes(self.move(state, O.SENT, review=False))
        else:
            yield "has lost it", goes(state)

    def silent(self, state, me, held, goes):
        def after(state: State) -> State:
            if "unknown is final" not in self.rules:
                return self.move(state, O.PENDING)
            young = state.first_try == LATELY or "eight minutes for a template" not in self.rules
            if state.route == O.TEMPLATE and young and state.claims < MAX_CLAIMS:
                return self.move(state, O.PENDING)
            return self.move(state, O.UNKNOWN)

        yield from self.outcome(state, held, goes, after)

    def busy(self, state, me, held, goes):
        def after(state: State) -> State:
            if state.claims >= MAX_CLAIMS:
                return self.move(state, self.surely_not(me))
            first = state.first_try if me.tried_before else NEVER
            return self.move(state, O.PENDING, first_try=first)

        yield from self.outcome(state, held, goes, after)

    def refused(self, state, me, held, goes):
        yield from self.outcome(state, held, goes, lambda state: self.move(state, self.surely_not(me)))

    def closed(self, state, me, held, goes):
        yield from self.outcome(state, held, goes, lambda state: self.refunded(state, waiting=True))

    def surely_not(self, me: Sender) -> str:
        earlier = me.tried_before and "an earlier try is remembered" in self.rules
        return O.UNKNOWN if earlier else O.FAILED

    def rescue(self, state: State) -> Iterator[Step]:
        orphan = not any(sender.at and sender.no == state.no for sender in state.senders)
        if state.rescuing:
            yield "the rescuer acts on what it read", self._rescued(state._replace(rescuing=False))
        elif state.status == O.SENDING and (orphan or state.expiries):
            spent = state if orphan else state._replace(expiries=state.expiries - 1)
            name = "it is rescued" if orphan else "!a living sender is taken for dead"
            if "rescue in one statement" in self.rules:
                yield name, self._rescued(spent)
            else:
                yield name, spent._replace(rescuing=True)

    def _rescued(self, state: State) -> State:
        first, claims = SECONDS[state.first_try], state.claims
        row = {"route": state.route, "first_tried_at": first, "claims": claims, "max_claims": MAX_CLAIMS}
        after = after_death(O, **row) if "rescue calls it unknown" in self.rules else O.PENDING
        return self.move(state, after)

    def outside(self, state: State) -> Iterator[Step]:
        at_it = any(sender.at == "admitted" and sender.no == state.no for sender in state.senders)
        if state.first_try == LATELY and state.route == O.TEMPLATE and not at_it:  # a call is shorter than the margin
            yield "eight minutes go by", state._replace(first_try=LONG_AGO)
        if state.waiting:
            yield "the follower writes", state._replace(waiting=False)
        if state.status == O.PENDING:
            yield "the follower leaves", self.move(state, O.CANCELLED)
            if state.route == O.CUSTOMER:
                yield "a passive answer carries it", self.move(state, O.SENT, reached=state.reached + 1)
        if state.receipt and state.status in (O.SENT, O.UNKNOWN):
            after = O.SENT if state.receipt == "success" else O.FAILED
            told = state._replace(receipt="", settled=state.receipt)
            review = after == O.FAILED
            yield (
                f"a receipt says {state.receipt}",
                (told if after == state.status else self.move(told, after, review=review)),
            )

    def operator(self, state: State) -> Iterator[Step]:
        if state.clicks and state.status == O.UNKNOWN:
            marked = {"clicks": state.clicks - 1, "settled": "person", "review": False}
            yield "an operator marks it delivered", self.move(state, O.SENT, **marked)

    def wrong(self, state: State) -> str:
        if state.bad:
            return state.bad
        if state.reached > 1:
            return "it reached the phone twice"
        if state.status == O.SENT and not state.reached and state.settled != "person" and state.receipt != "failed":
            return "sent, and it never reached the phone"
        if state.status == O.FAILED and state.reached:
            return "failed, and it reached the phone"
        if state.status in (O.FAILED, O.UNKNOWN) and not state.review:
            return "a dead letter that nobody knows of"
        return ""

    def at_rest(self, state: State) -> bool:
        quiet = all(not sender.at for sender in state.senders) and not state.rescuing
        return quiet and (state.status in O.FINAL or (state.status == O.PENDING and state.waiting))

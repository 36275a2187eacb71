"""The breaker's state machine: every state's way in and out, and what holds whatever happens in whatever order."""

from dataclasses import replace

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from planner.upstreams.machine import (
    LONGEST,
    Limits,
    Phase,
    Shut,
    State,
    Ticket,
    abandoned,
    answered,
    enter,
    failed,
    resumed,
    stopped,
)

NOW = 1_800_000_000.0
LIMITS = Limits()
SECONDS = 30.0


def ticket_of(state: State, now: float = NOW) -> tuple[State, Ticket]:
    state, entered = enter(state, now, SECONDS)
    assert isinstance(entered, Ticket)
    return state, entered


def fail(state: State, now: float = NOW, *, rest: float = 0.0, times: int = 1) -> State:
    for _ in range(times):
        state, ticket = ticket_of(state, now)
        state = failed(state, ticket, now, LIMITS, "500", rest)
    return state


def stop(state: State, now: float = NOW) -> State:
    state, ticket = ticket_of(state, now)
    return stopped(state, ticket, now, LIMITS, "401")


def is_shut(state: State, now: float) -> bool:
    return isinstance(enter(state, now, SECONDS)[1], Shut)


OPEN = fail(State(), times=5)


def test_four_failures_in_a_row_do_not_open_it_and_a_success_begins_anew():
    state = fail(State(), times=4)
    state = answered(state, Ticket(state.round))

    assert fail(state, times=4).phase is Phase.CLOSED
    assert fail(state, times=5).phase is Phase.OPEN


def test_twenty_failures_within_thirty_seconds_open_it_although_some_calls_succeed():
    state = State()
    for n in range(20):
        assert state.phase is Phase.CLOSED
        state = answered(fail(state, NOW + n), Ticket(0))

    assert state.phase is Phase.OPEN


def test_failures_that_are_older_than_the_window_are_forgotten():
    state = State()
    for n in range(40):
        state = answered(fail(state, NOW + 2 * n), Ticket(0))

    assert state.phase is Phase.CLOSED
    assert len(state.failures) <= 15


def test_an_open_one_lets_nobody_through_for_ten_seconds_and_then_one():
    assert is_shut(OPEN, NOW + 9.9)

    probing, _ = ticket_of(OPEN, NOW + 10)

    assert is_shut(probing, NOW + 10)
    assert is_shut(probing, NOW + 10 + SECONDS - 0.1)


def test_the_probe_closes_it_or_opens_it_anew():
    probing, probe = ticket_of(OPEN, NOW + 10)

    assert answered(probing, probe).phase is Phase.CLOSED
    again = failed(probing, probe, NOW + 12, LIMITS, "500")
    assert (again.phase, again.since, is_shut(again, NOW + 21.9), is_shut(again, NOW + 22)) == (
        Phase.OPEN, NOW, True, False,
    )  # fmt: skip


def test_a_probe_that_died_makes_room_and_its_late_word_counts_no_more():
    first_out, first = ticket_of(OPEN, NOW + 10)
    second_out, second = ticket_of(first_out, NOW + 10 + SECONDS)

    assert answered(second_out, first) == second_out
    assert failed(second_out, first, NOW + 41, LIMITS, "late") == second_out
    assert answered(second_out, second).phase is Phase.CLOSED


def test_a_probe_that_was_never_made_leaves_its_turn_to_the_next():
    probing, probe = ticket_of(OPEN, NOW + 10)

    assert not is_shut(abandoned(probing, probe), NOW + 10)


@pytest.mark.parametrize("end", [answered, lambda state, ticket: failed(state, ticket, NOW, LIMITS, "500")])
def test_who_went_before_it_opened_says_nothing_of_now(end):
    assert end(OPEN, Ticket(0)) == OPEN


def test_who_went_before_it_opened_cannot_open_it_again_once_it_is_closed():
    probing, probe = ticket_of(OPEN, NOW + 10)
    closed = answered(probing, probe)

    assert failed(closed, Ticket(0), NOW + 11, LIMITS, "500", rest=60) == closed
    assert stopped(closed, Ticket(0), NOW + 11, LIMITS, "401") == closed


def test_one_answer_that_asks_for_rest_is_enough_and_gets_what_it_asks():
    state = fail(State(), rest=40)

    assert (is_shut(state, NOW + 39.9), is_shut(state, NOW + 40)) == (True, False)


def test_what_a_person_must_mend_is_looked_at_less_and_less_often():
    state, waits, now = State(), [], NOW
    for _ in range(7):
        state = stop(state, now)
        waits.append(state.until - now)
        now = state.until

    assert waits == [60, 120, 240, 480, 900, 900, 900]
    assert (state.phase, state.since) == (Phase.STOPPED, NOW)


def test_an_outage_does_not_mend_what_a_person_must():
    state = fail(stop(State()), NOW + 60)

    assert (state.phase, state.reason, state.stops) == (Phase.STOPPED, "401", 1)


def test_a_resumed_one_lets_one_call_find_out():
    state = resumed(stop(State()))
    probing, probe = ticket_of(state, NOW + 1)

    assert is_shut(probing, NOW + 1)
    assert answered(probing, probe).phase is Phase.CLOSED
    assert stopped(probing, probe, NOW + 2, LIMITS, "401").until == NOW + 122


def test_a_clock_that_was_set_back_shuts_nobody_out_for_ever():
    assert not is_shut(OPEN, NOW - 2 * LONGEST)


def test_a_state_survives_its_writing():
    state = fail(stop(fail(State())), NOW + 60)

    assert State.loads(state.dumps()) == state


class Anything(RuleBasedStateMachine):
    """Calls that go, end in any way, end late or never, while the clock runs: what must hold all the time."""

    def __init__(self) -> None:
        super().__init__()
        self.state, self.now = State(), NOW
        self.out: list[tuple[Ticket, float]] = []
        self.probes: set[tuple[int, int]] = set()

    @rule()
    def go(self) -> None:
        state, entered = enter(self.state, self.now, SECONDS)
        if isinstance(entered, Shut):
            assert state == self.state
            assert 0 < entered.seconds <= LONGEST
            return
        if entered.probe:
            living = [end for ticket, end in self.out if ticket.probe and ticket.round == entered.round]
            assert not any(end > self.now for end in living)
            assert (entered.round, entered.probe) not in self.probes
            self.probes.add((entered.round, entered.probe))
        self.state = state
        self.out.append((entered, self.now + SECONDS))

    @rule(how=st.sampled_from(["answered", "failed", "rest", "stopped", "abandoned"]), which=st.integers(0, 20))
    def end(self, how: str, which: int) -> None:
        if not self.out:
            return
        ticket, _ = self.out.pop(which % len(self.out))
        before = self.state
        self.state = {
            "answered": lambda: answered(before, ticket),
            "failed": lambda: failed(before, ticket, self.now, LIMITS, how),
            "rest": lambda: failed(before, ticket, self.now, LIMITS, how, 45.0),
            "stopped": lambda: stopped(before, ticket, self.now, LIMITS, how),
            "abandoned": lambda: abandoned(before, ticket),
        }[how]()
        closes = before.phase is not Phase.CLOSED and self.state.phase is Phase.CLOSED
        assert not closes or (how == "answered" and ticket.probe == before.probe)

    @rule(seconds=st.sampled_from([0.0, 0.5, 9.0, 31.0, 1000.0]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def resume(self) -> None:
        self.state = resumed(self.state)
        self.out = [(ticket, self.now) for ticket, _ in self.out]  # a person may send one beside the probe that is out

    @invariant()
    def never_shut_for_ever(self) -> None:
        assert not is_shut(self.state, self.now + LONGEST + SECONDS)
        assert self.state.phase is Phase.CLOSED or self.state.round > 0

    @invariant()
    def bounded(self) -> None:
        assert len(self.state.failures) <= LIMITS.failures
        assert State.loads(self.state.dumps()) == replace(self.state)


TestAnything = Anything.TestCase
TestAnything.settings = hypothesis_settings(max_examples=60, stateful_step_count=40, deadline=None)

"""Calls to upstreams: what the breaker and the bucket let through, over processes, and while Redis is away."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import redis

from planner import counters, upstreams
from planner.alarms import raise_alarm
from planner.errors import Effect, Failure, Retry
from planner.models import Alarm
from planner.upstreams import Phase, Upstream
from planner.upstreams.machine import Shut, State, Ticket, enter
from planner.upstreams.stores import Fallback, Local, Shared
from tests.races.threads import at_once
from tests.services import redis as own_redis

pytestmark = pytest.mark.django_db(transaction=True)
ASR = Upstream.ASR


def call(*failures: Failure | BaseException | None, name: Upstream = ASR, low: bool = False) -> None:
    """One call after the other; each ends as told."""
    for failure in failures:
        try:
            with upstreams.calling(name, seconds=5, low=low):
                if failure is not None:
                    raise failure
        except Failure as caught:
            if caught is not failure:
                raise


def failure(retry: Retry = Retry.LATER, *, sick: bool = True, **more) -> Failure:
    return Failure("no", retry=retry, effect=Effect.NONE, sick=sick, **more)


def refused(name: Upstream = ASR, *, low: bool = False) -> Failure:
    with pytest.raises(Failure) as caught:
        call(None, name=name, low=low)
    return caught.value


def phase(name: Upstream = ASR) -> Phase:
    return upstreams.states()[name].phase


class TestCalls:
    def test_five_failures_in_a_row_shut_it_and_the_refusal_is_an_outage(self):
        call(*[failure() for _ in range(5)])

        found = refused()

        assert (found.down, found.shut, found.code, found.upstream) == (True, True, "shut", "asr")
        assert 9 < found.retry_after <= 12.1
        assert upstreams.shut(ASR, Upstream.LLM) == {ASR}

    def test_each_upstream_has_its_own(self):
        call(*[failure() for _ in range(5)])

        call(None, name=Upstream.MEDIA)

        assert upstreams.shut(ASR, Upstream.MEDIA) == {ASR}

    def test_the_probe_closes_it(self, clock):
        call(*[failure() for _ in range(5)])
        clock.forward(seconds=10)

        call(None)

        assert phase() is Phase.CLOSED

    @pytest.mark.parametrize("retry", [Retry.NEVER, Retry.USER, Retry.NOW])
    def test_an_answer_that_refuses_our_request_is_no_trouble_of_the_upstream(self, retry):
        call(*[failure(retry, sick=False) for _ in range(25)])

        assert phase() is Phase.CLOSED

    def test_the_failure_that_opens_it_spends_no_claim(self):
        last = failure()
        call(*[failure() for _ in range(4)])
        call(last)

        assert (last.down, last.shut) == (True, True)

    def test_a_failing_probe_spends_no_claim_whatever_the_error(self, clock):
        call(*[failure() for _ in range(5)])
        clock.forward(seconds=10)
        probe = failure(sick=False)

        call(probe)

        assert (probe.down, probe.shut) == (True, False)

    def test_what_breaks_the_caller_says_nothing_and_frees_the_probe(self, clock):
        call(*[failure() for _ in range(5)])
        clock.forward(seconds=10)

        with pytest.raises(KeyError):
            call(KeyError("ours"))

        assert phase() is Phase.OPEN
        call(None)

    def test_retry_after_rests_everybody(self, clock):
        call(failure(retry_after=40.0))
        assert 40 <= refused().retry_after <= 48.1

        clock.forward(seconds=41)
        call(None)

    def test_a_day_that_is_used_up_is_asked_about_once_an_hour(self, clock):
        call(failure(Retry.QUOTA, sick=False))

        clock.forward(minutes=59)
        assert refused().shut
        clock.forward(minutes=2)
        call(None)

    def test_what_a_person_must_mend_stands_still_until_he_says_so(self, clock):
        call(failure(Retry.OPERATOR, sick=False))
        clock.forward(seconds=30)
        assert (phase(), refused().shut) == (Phase.STOPPED, True)

        assert upstreams.resume(ASR) is True

        call(None)
        assert phase() is Phase.CLOSED

    def test_who_waits_for_a_person_looks_again_within_seconds_of_his_word(self):
        call(failure(Retry.OPERATOR))

        assert refused().retry_after <= 6.1

    def test_a_mended_upstream_closes_its_alarms_and_no_others(self):
        raise_alarm("a", "no", upstream="asr")
        raise_alarm("b", "no", upstream="llm")
        call(failure(Retry.OPERATOR))
        upstreams.resume(ASR)

        call(None)

        assert list(Alarm.objects.filter(closed_at=None).values_list("key", flat=True)) == ["b"]

    def test_openings_and_closings_are_counted(self, clock):
        before = counters.read().get('breaker{to="open",upstream="asr"}', 0)

        call(*[failure() for _ in range(5)])

        assert counters.read()['breaker{to="open",upstream="asr"}'] - before == 1


class TestBucket:
    @pytest.fixture(autouse=True)
    def slow(self, settings):
        settings.UPSTREAM_RATES = {**settings.UPSTREAM_RATES, "asr": 0.5}

    def test_a_dry_bucket_is_no_failure_and_says_when(self):
        call(None)

        found = refused()

        assert (found.code, found.down, found.shut) == ("dry", True, False)
        assert 1 < found.retry_after <= 3
        assert phase() is Phase.CLOSED

    def test_it_fills_again(self, clock):
        call(None)
        clock.forward(seconds=2)

        call(None)

    def test_a_probe_that_the_bucket_refused_is_still_to_be_made(self, clock):
        call(failure(retry_after=1.0))
        clock.forward(seconds=1.5)
        assert refused().code == "dry"

        clock.forward(seconds=2)
        call(None)

    def test_work_that_nobody_waits_for_leaves_half_to_the_others(self, settings, clock):
        settings.UPSTREAM_RATES = {**settings.UPSTREAM_RATES, "asr": 3}
        call(None)
        clock.forward(minutes=1)

        call(None, None, low=True)
        assert refused(low=True).code == "dry"

        call(None)


def test_the_settings_name_every_upstream(settings):
    assert set(settings.UPSTREAM_RATES) == set(Upstream)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with own_redis() as url:
        yield url


@pytest.fixture(params=["local", "shared"])
def both(request, server) -> Iterator[Local | Shared]:
    """The same contract, in this process and in Redis."""
    known = Local() if request.param == "local" else Shared(server)
    known.clear()
    yield known
    known.clear()


class TestStores:
    def test_a_state_is_kept_and_read(self, both):
        both.update("x", lambda state, now: (State(round=3, reason="原因"), None))

        (state, other), now = both.read(["x", "y"])

        assert (state.round, state.reason, other) == (3, "原因", State())
        assert now > 1_700_000_000

    def test_one_of_many_gets_the_probe(self, both):
        both.update("x", lambda state, now: (State(phase=Phase.OPEN, round=1, until=now - 1), None))

        with ThreadPoolExecutor(12) as pool:
            asked = [pool.submit(both.update, "x", lambda state, now: enter(state, now, 30)) for _ in range(12)]
        entered = [one.result() for one in asked]

        assert sorted(type(one).__name__ for one in entered) == ["Shut"] * 11 + ["Ticket"]

    def test_no_change_of_many_is_lost(self, both):
        def one_more(state: State, now: float) -> tuple[State, None]:
            return State(round=state.round + 1), None

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: both.update("x", one_more), range(40)))

        assert both.read(["x"])[0][0].round == 40

    def test_a_bucket_that_nobody_remembers_starts_empty_and_fills_to_its_burst(self, both, clock):
        assert both.take("x", 0.5, 1.0) == 0
        assert 0.3 < both.take("x", 0.5, 1.0) <= 0.5

        clock.forward(minutes=1)

        assert [both.take("x", 0.5, 1.0) for _ in range(3)] == [0, 0, 0]
        assert both.take("x", 0.5, 1.0) > 0


def test_two_clients_of_one_redis_share_the_probe(server):
    one, two = Shared(server), Shared(server)
    one.clear()
    one.update("x", lambda state, now: (State(phase=Phase.OPEN, round=1, until=now - 1), None))

    entered = at_once(
        *(lambda known=known: known.update("x", lambda s, now: enter(s, now, 30)) for known in (one, two))
    )

    assert {type(one) for one in entered} == {Ticket, Shut}


def test_what_another_version_wrote_is_no_reason_to_stop(server):
    known = Shared(server)
    known.client.set("planner:upstream:x", '{"phase": "half", "colour": 1}')

    assert known.read(["x"])[0] == [State()]
    known.update("x", lambda state, now: (State(round=1), None))
    assert known.read(["x"])[0][0].round == 1


class TestWithoutRedis:
    def test_a_redis_that_is_away_stops_nobody_and_breakers_work_on_alone(self, tmp_path: Path, settings):
        settings.REDIS_URL = f"unix://{tmp_path}/nobody"

        call(*[failure() for _ in range(5)])

        assert refused().shut
        assert upstreams.resume(ASR) is False

    def test_it_is_asked_again_when_it_is_back(self, server, monkeypatch, tmp_path):
        known = Fallback(f"unix://{tmp_path}/nobody")
        known.update("x", lambda state, now: (State(round=7), None))
        known.shared, known.away_until = Shared(server), 0.0
        known.shared.clear()

        assert known.read(["x"])[0] == [State()]
        assert known.is_shared

    def test_a_flushed_redis_loses_history_and_nothing_else(self, server, settings):
        settings.REDIS_URL = server
        call(failure(Retry.OPERATOR))
        assert phase() is Phase.STOPPED

        redis.Redis.from_url(server).flushall()

        call(None)
        assert phase() is Phase.CLOSED

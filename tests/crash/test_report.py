"""What the proof's figures call kept and what missed; and which cells a matrix has."""

import ast

import pytest

from tests.crash.actors import LOST, Fault
from tests.crash.deployed import outlasted, recovered
from tests.crash.matrix import Plan, Result, cells
from tests.crash.outage import Outage
from tests.crash.play import Scenario
from tests.crash.points import uncalled
from tests.crash.recovery import CRASH, EVERYBODY, FLUSH, Recoveries
from tests.crash.report import spread

ONE, TWO = Scenario("one", []), Scenario("two", [])


def missed(figures) -> list[str]:
    return [name for name, *_, kept in figures if not kept]


def test_a_slow_recovery_misses_its_goal_and_a_quick_one_does_not():
    seconds = {EVERYBODY: [50.0] * 18 + [80.0] * 2, FLUSH: [14.0], CRASH: [11.0]}

    assert missed(recovered(Recoveries(seconds), 1)) == ["recovery after a kill", f"recovery, {CRASH}"]


def test_work_that_nobody_took_up_again_is_missed():
    assert missed(recovered(Recoveries(violations=["batch 7 was never taken up"]), 1)) == ["recoveries that failed"]


@pytest.mark.parametrize(
    ("found", "number"),
    [
        (Outage(2, 10, after=90, states={"DONE": 2}, told=(1, 2)), 0),
        (Outage(2, 10, after=190, states={"DONE": 1, "FAILED": 1}, reviews={"batch": 1}, told=(2, 2)), 4),
    ],
)
def test_an_outage_is_outlasted_when_all_is_done_soon_and_nobody_was_asked(found, number):
    assert len(missed(outlasted(found))) == number


def test_a_spread_names_its_ends():
    assert spread([3.0, 1.0, 2.0]) == "n = 3, p50 2.0 s, p95 3.0 s, max 3.0 s"


def test_each_cell_comes_once_before_any_comes_again_and_goes_through_the_days():
    plan = Plan({"finish:written": [(ONE, 1), (ONE, 2), (TWO, 1)]}, [])

    runs = list(cells(plan, repeats=2))

    assert len(runs) == 12
    assert {(day.name, fault.nth) for day, fault in runs[:6]} == {("one", 1)}
    assert {(day.name, fault.nth) for day, fault in runs[6:]} == {("two", 1)}


def test_a_commit_is_lost_only_where_one_follows():
    plan = Plan({"finish:committed": [(ONE, 1)]}, [])

    assert LOST not in {fault.kind for _, fault in cells(plan, repeats=1)}


def test_a_plan_is_read_as_it_was_written(tmp_path):
    edges = {("batch", "RUNNING", "DONE")}
    plan = Plan({"finish:written": [(ONE, 2)]}, [Result("one", None, False, [], 1.5, edges=edges)])

    plan.write(str(tmp_path / "plan"))

    assert Plan.read(str(tmp_path / "plan"), [ONE, TWO]) == plan


def test_a_verb_that_no_code_uses_has_no_points():
    tree = ast.parse("Batch.retry(lease)\nErasure.release(lease)")

    assert uncalled([tree], ["batch", "erasure"]) == {
        "release batch", "give up batch", "retry erasure", "give up erasure"}  # fmt: skip


def test_a_fault_says_what_it_is():
    assert str(Fault("finish:written", "kill", 2)) == "kill at finish:written (2.)"

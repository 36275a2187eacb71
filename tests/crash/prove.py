"""The proof from the command line: what to run, what to tell, what to return."""

import argparse
import platform
import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from tests.crash.stage import Stage

PARTS = ("quick", "matrix", "random", "mutants", "recovery", "outage", "load")
ROOT = Path(__file__).resolve().parents[2]
QUICK = ("finish:before", "finish:written", "operation:before", "operation:written", "operation:committed", "send:before",
         "send:answered", "door:written", "door:committed", "claim batch:committed", "analysis:before", "question:written",
         "answer:committed", "reminder:written", "rescue batch:written", "sent:before")  # fmt: skip


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="manage.py prove", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the points that matter most, once each: three minutes")
    parser.add_argument("--matrix", action="store_true", help="every point × every fault")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each cell of the matrix (3)")
    parser.add_argument(
        "--part", default="1/1", metavar="K/N", help="the Kth of N parts of the matrix, for several at once"
    )
    parser.add_argument(
        "--first", default="", metavar="POINT", help="from this point on, to go on where a run was cut off"
    )
    parser.add_argument(
        "--plan", default="", metavar="FILE", help="where points are passed: read, or found out and written"
    )
    parser.add_argument("--only", default="", help="cells whose point, fault or scenario contain this")
    parser.add_argument("--random", type=int, default=0, metavar="N", help="N random runs")
    parser.add_argument(
        "--seed", type=int, default=1, help="the first one's seed (1); the next have the numbers after it"
    )
    parser.add_argument(
        "--mutants", action="store_true", help="seeded defects: which layer catches each, in how many runs"
    )
    parser.add_argument(
        "--recovery", type=int, default=0, metavar="N", help="N waves of real workers, killed while at work"
    )
    parser.add_argument("--outage", type=int, default=0, metavar="N", help="N batches wait while the model is away")
    parser.add_argument("--away", type=float, default=10, help="so many minutes (10)")
    parser.add_argument(
        "--load", type=int, default=0, metavar="N", help="N messages to real processes under faults, N/2 without"
    )
    parser.add_argument(
        "--speed", type=float, default=1, help="seconds of the product in a real one, for the last three (1)"
    )
    parser.add_argument("--minutes", type=float, default=0, help="begin no new run after so long (0: no limit)")
    parser.add_argument("--report", default="", metavar="FILE.html", help="write what was found as one page")
    return parser


class Told:
    """Lines as they come, and the time that is left."""

    def __init__(self, minutes: float) -> None:
        self.began, self.limit = time.monotonic(), minutes * 60
        self.violations = 0

    def __call__(self, line: str, violations: list[str] | tuple[str, ...] = ()) -> None:
        self.violations += bool(violations)
        print(f"{time.monotonic() - self.began:7.1f}s {line}", flush=True)
        for violation in violations:
            print(f"         ✗ {violation}", flush=True)

    @property
    def over(self) -> bool:
        return bool(self.limit) and time.monotonic() - self.began > self.limit


def main(argv: list[str]) -> int:
    options = arguments().parse_args(argv)
    if not any(getattr(options, name) for name in PARTS):
        options.quick = True
    told = Told(options.minutes)
    with Stage() as stage:
        from tests.crash import deployed
        from tests.crash.report import Report

        told("the stage is set")
        report = Report("Proof", facts(argv))
        if options.quick or options.matrix:
            directed(stage, options, report, told)
        if options.random:
            randomly(stage, options, report, told)
        if options.mutants:
            sensitivity(stage, options, report, told)
        if options.recovery:
            deployed.recovering(stage, options, report, told)
        if options.outage:
            deployed.waiting(stage, options, report, told)
        if options.load:
            deployed.loaded(options, report, told)
        report.facts["seconds"] = f"{time.monotonic() - told.began:.0f}"
        if options.report:
            report.write(options.report)
    for goal, wanted, measured, kept in report.figures:
        print(f"{'✓' if kept else '✗'} {goal}: {measured} (goal: {wanted})")
    return 0 if all(kept for *_, kept in report.figures) else 1


def facts(argv: list[str]) -> dict[str, str]:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    return {"commit": commit.strip() or "unknown", "command": "manage.py prove " + " ".join(argv),
            "machine": f"{platform.machine()}, Python {platform.python_version()}"}  # fmt: skip


def directed(stage, options, report, told) -> None:
    from tests.crash.matrix import Runner, cells
    from tests.crash.scenarios import scenarios

    runner = Runner(stage)
    quick = options.quick and not options.matrix
    days = [day for day in scenarios() if not (quick and day.rare)]
    plan = planned(runner, days, options.plan, told)
    repeats = 1 if options.quick else options.repeats
    part, parts = map(int, options.part.split("/"))
    wanted = [cell for cell in cells(plan, repeats=repeats) if chosen(cell, options)][part - 1 :: parts]
    if options.minutes:
        random.Random(options.seed).shuffle(wanted)  # what there is time for shall be of every kind
    for scenario, fault in wanted:
        if told.over:
            break
        result = runner.run(scenario, fault)
        report.results.append(result)
        told(f"{fault} in “{scenario.name}”" + ("" if result.struck else " (not struck)"), result.violations)
    judged(report, plan, wanted, quick=quick)


def planned(runner, days, path, told):
    from tests.crash.matrix import Plan, survey

    if path and Path(path).exists():
        return Plan.read(path, days)
    plan = survey(runner, days, lambda result: told(f"unharmed: {result.scenario}", result.violations))
    if path:
        plan.write(path)
    return plan


def chosen(cell, options) -> bool:
    scenario, fault = cell
    if fault.point < options.first:
        return False
    if options.quick and not options.matrix and fault.point not in QUICK:
        return False
    return options.only in f"{fault} {scenario.name}"


def judged(report, plan, wanted, *, quick: bool) -> None:
    from tests.crash.points import points

    hit = {result.cell for result in report.results if result.struck}
    planned = {(fault.point, fault.kind) for _, fault in wanted}
    lost = {result.cell for result in report.results if result.fault.kind == "answer lost" and result.struck}
    every = set(QUICK) if quick else set(points())
    passed = every & set(plan.passed)
    wrong = sum(bool(result.violations) for result in plan.quiet)
    report.figures += [
        ("unharmed days with a violation", "0", f"{wrong} of {len(plan.quiet)}", not wrong),
        ("crash points that some day passes", str(len(every)), str(len(passed)), passed == every),
        ("directed runs", str(len(wanted)), str(len(report.results)), len(report.results) == len(wanted)),
        ("directed runs with a violation", "0", str(len(report.violations)), not report.violations),
        ("cells struck", str(len(planned)), str(len(hit)), hit == planned),
        ("commits whose answer was lost", "25", str(len(lost)), quick or len(lost) >= 25),
    ]
    if not quick:
        moves(report, plan)
    report.sections.append(
        (
            "Unharmed",
            ["scenario", "seconds", "violations"],
            [[q.scenario, f"{q.seconds:.1f}", "; ".join(q.violations)] for q in plan.quiet],
        )
    )
    if plan.unreached:
        report.sections.append(("Points that no scenario passes", ["point"], [[name] for name in plan.unreached]))


def moves(report, plan) -> None:
    """The explorer makes every move of the product's tables and no other (test_explorer.py): what did real runs make?"""
    from django.apps import apps

    known = {
        (str(model._meta.model_name), *move)
        for model in apps.get_models()
        if hasattr(model, "TRANSITIONS")
        for move in model.TRANSITIONS
    }
    walked = {edge for result in (*plan.quiet, *report.results) for edge in result.edges}
    walked = {edge for edge in walked if edge[0] in {machine for machine, *_ in known}}
    report.figures += [
        ("moves that runs made and the explorer does not know", "0", str(len(walked - known)), walked <= known),
        ("moves of the explorer that runs made", str(len(known)), str(len(walked & known)), known <= walked),
    ]
    report.sections.append(("Moves that no run made", ["machine", "from", "to"], [[*e] for e in sorted(known - walked)]))


def randomly(stage, options, report, told) -> None:
    from tests.crash.campaign import Campaign

    campaign, outcomes = Campaign(stage), []
    for seed in range(options.seed, options.seed + options.random):
        if told.over:
            break
        outcome = campaign.one(seed)
        outcomes.append(outcome)
        told(f"seed {seed}: {', '.join(outcome.faults)}", outcome.violations)
    wrong = [outcome for outcome in outcomes if outcome.violations]
    if recovered := [outcome.recovery for outcome in outcomes if outcome.recovery]:
        report.recoveries["random runs"] = recovered
    report.figures += [
        ("random runs", str(options.random), str(len(outcomes)), len(outcomes) == options.random),
        ("random runs with a violation", "0", str(len(wrong)), not wrong),
    ]
    rows = [[str(o.seed), ", ".join(o.faults), "; ".join(o.violations)] for o in outcomes]
    report.sections.append(("Random runs", ["seed", "faults", "violations"], rows))


def sensitivity(stage, options, report, told) -> None:
    from tests.crash.matrix import Runner
    from tests.crash.mutants import MUTANTS

    rows, caught = [], 0
    for mutant in MUTANTS:
        if told.over:
            break
        if options.only and options.only not in mutant.rule:
            continue
        runs, why = hunt(Runner(stage, mutant.apply), mutant)
        caught += bool(why)
        rows.append([mutant.rule, mutant.target, str(runs), why or "survived"])
        told(f"without “{mutant.rule}”: " + (f"caught in run {runs}: {why}" if why else f"SURVIVED {runs} runs"))
    report.figures.append(("seeded defects caught", str(len(rows)), str(caught), caught == len(rows)))
    report.sections.append(("Seeded defects", ["rule removed", "where", "runs", "caught by"], rows))


def hunt(runner, mutant) -> tuple[int, str]:
    """Runs until one is judged wrong: first the scenario unharmed, then the cells named for it."""
    runs = 0
    for scenario, fault in likely(mutant):
        result = runner.run(scenario, fault)
        runs += 1
        if "ProgrammingError" in str(result.violations):
            raise AssertionError(f"“{mutant.rule}” is no statement any more: {result.violations}")
        if result.violations:
            return runs, f"{fault or 'unharmed'} in “{scenario.name}”: {result.violations[0]}"
    return runs, ""


def likely(mutant) -> Iterator:
    from tests.crash.actors import HALF, PAUSE, Fault
    from tests.crash.scenarios import scenarios

    known = scenarios()
    for part, point, kind in mutant.cells:
        scenario = next(each for each in known if each.name.startswith(part))
        for nth in (1, 2):
            if kind == PAUSE:
                yield scenario, Fault(point, HALF, nth)
            yield scenario, Fault(point, kind, nth)

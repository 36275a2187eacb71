"""The parts of the proof that run the product as it is deployed: recovery, an outage, load."""

from tests.crash.live import live
from tests.crash.outage import Outage, outage
from tests.crash.recovery import CRASH, EVERYBODY, FLUSH, KINDS, WORKERS, Recoveries, Waves
from tests.crash.report import at, spread

MOST = {"p95 after a kill": 75.0, FLUSH: 15.0, CRASH: 10.0}  # seconds
OUTAGE_END = 180.0
RATE = 6.0  # messages a real second
KILLS = 20.0  # real seconds from one to the next


def recovering(stage, options, report, told) -> None:
    with live(stage, speed=options.speed, workers=len(WORKERS)) as here:
        waves = Waves(here, options.seed)
        kinds = [kind for kind in KINDS if options.speed == 1 or kind != EVERYBODY]  # to start is never scaled
        for number in range(options.recovery):
            if told.over:
                break
            kind, before = kinds[number % len(kinds)], len(waves.found.violations)
            waves.strike(kind)
            told(f"{kind}: {spread(waves.found.seconds.get(kind, []))}", waves.found.violations[before:])
    report.recoveries |= waves.found.seconds
    report.figures += recovered(waves.found, options.speed)
    report.sections.append(("Not recovered", ["what"], [[what] for what in waves.found.violations]))


def recovered(found: Recoveries, speed: float) -> list[tuple[str, str, str, bool]]:
    scale = "" if speed == 1 else f", time ×{speed:g}"
    kills = found.of_kills
    p95 = at(kills, 0.95) if kills else 0.0
    figures = [("recoveries that failed", "0", str(len(found.violations)), not found.violations)]
    if kills:
        most = MOST["p95 after a kill"]
        figures.append((f"recovery after a kill{scale}", f"p95 ≤ {most:g} s", spread(kills), p95 <= most))
    for kind in (FLUSH, CRASH):
        if values := found.seconds.get(kind):
            figures.append(
                (f"recovery, {kind}{scale}", f"max ≤ {MOST[kind]:g} s", spread(values), max(values) <= MOST[kind])
            )
    return figures


def waiting(stage, options, report, told) -> None:
    usual = {"UPSTREAM_RATES": "", "LLM_TIMEOUT_SECONDS": "30"}
    with live(stage, speed=options.speed, processes=4, **usual) as here:
        found = outage(here, batches=options.outage, minutes=options.away)
    told(f"{found}")
    report.figures += outlasted(found)


def outlasted(found: Outage) -> list[tuple[str, str, str, bool]]:
    done = found.states.get("DONE", 0)
    name = f"{found.batches} batches, the model away for {found.minutes:g} minutes"
    calls = found.calls.get("calls", 0)
    return [
        (f"{name}: in review", "0", str(found.reviews or 0), not found.reviews),
        (f"{name}: done", str(found.batches), str(found.states), done == found.batches),
        ("… after its end", f"≤ {OUTAGE_END:g} s", f"{found.after:.0f} s", found.after <= OUTAGE_END),
        ("… notices to one follower", "1", f"{found.told[0]} ({found.told[1]} followers)", found.told[0] <= 1),
        ("… calls of the model in vain, of all", "", f"{found.calls.get('away', 0)} of {calls}", True),
        ("… messages not sent", "0", str(found.unsent), not found.unsent),
    ]


def loaded(options, report, told) -> None:
    """Twice the soak: without faults nobody may be asked; under kills, flushes and crashes nothing may be lost."""
    from benchmarks.soak.run import Soak, played

    number = options.load // 2
    quiet = played(Soak(messages=number, minutes=minutes(number), faults=0.0, seed=options.seed), told)
    told(f"{quiet.report}", quiet.wrong)
    report.figures += [
        ("messages without a fault, acknowledged", str(number), str(quiet.acknowledged), quiet.acknowledged >= number),
        ("… handed to a person", "0", str(quiet.reviews or 0), not quiet.reviews),
        ("… wrong in the balance", "0", str(len(quiet.wrong)), not quiet.wrong),
    ]
    number = options.load
    under = Soak(messages=number, minutes=minutes(number), kills=KILLS, seed=options.seed + 1, model=True)
    hard = played(under, told)
    told(f"{hard.report}", hard.wrong)
    asked = hard.reviews.get("batch", 0)
    report.figures += [
        (
            "messages under faults and kills, acknowledged",
            str(number),
            str(hard.acknowledged),
            hard.acknowledged >= number,
        ),
        ("… lost", "0", str(hard.lost), not hard.lost),
        ("… customer messages twice on a phone", "0", str(hard.doubled), not hard.doubled),
        ("… wrong in the balance", "0", str(len(hard.wrong)), not hard.wrong),
        ("… batches handed to a person", "≤ 0.5 %", f"{asked} of {hard.batches}", asked <= 0.005 * hard.batches),
    ]


def minutes(messages: int) -> float:
    """Simulated, at ten times the speed: what two cores can carry."""
    return max(5.0, messages / RATE / 60 * 10)

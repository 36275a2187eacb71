"""One soak from its first message to its balance."""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import psycopg

from benchmarks.rig import ROOT, Services, services
from benchmarks.soak.clock import FastClock
from tests.processes.fleet import OTHERS, Fleet

DRAIN = 120  # real seconds
FOLLOWERS = 1000
A_FOLLOWER = 3  # messages, at the least that the traffic gives on average


@dataclass(frozen=True)
class Soak:
    """`messages` 0: all that the followers write; else as many followers as they need."""

    followers: int = 0
    messages: int = 0
    minutes: float = 60
    speed: float = 10
    faults: float = 0.05
    kills: float = 0
    seed: int = 1
    model: bool = False

    def turns(self) -> list[Any]:
        from benchmarks.soak import traffic

        wanted = self.messages + self.messages // 50  # some are never acknowledged while everything dies
        followers = self.followers or -(-wanted // A_FOLLOWER) or FOLLOWERS
        turns = traffic.hour(followers=followers, seconds=self.minutes * 60, seed=self.seed, voice=True)
        return turns[:wanted] if self.messages else turns


@dataclass
class End:
    """`wrong` must be empty. `reviews`: how many things were handed to a person, by kind."""

    report: dict[str, Any]
    wrong: list[str]
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    batches: int = 0
    reviews: dict[str, int] = field(default_factory=dict)


def played(soak: Soak, tell: Callable[[str], None] = print) -> End:
    os.chdir(ROOT)
    with services() as here:
        os.environ.update(here.environment)
        import django

        django.setup()
        return _played(soak, here, tell)


def _played(soak: Soak, here: Services, tell: Callable[[str], None]) -> End:
    from benchmarks.soak import sheet
    from benchmarks.soak.door import Door
    from benchmarks.soak.kills import killing

    turns, clock = soak.turns(), FastClock(here.database, soak.speed)
    tell(f"{len(turns)} messages, {soak}")
    began = time.monotonic()
    with upstreams(soak, clock, turns) as (phones, told, settings):
        with product({**here.environment, **clock.environment(), **settings}) as (url, fleet):
            door = Door(f"{url}/wechat/callback", clock)
            with killing(here, fleet, every=soak.kills, seed=soak.seed) as killed:
                door.play(turns)
            with psycopg.connect(here.database, autocommit=True) as db:
                drained(db, sheet.unrest)
                balance = sheet.drawn(db, turns, door, phones)
    faults = {name: number for name, number in told().items() if number}
    report = {"seed": soak.seed, "seconds": round(time.monotonic() - began), "faults": faults, "killed": dict(killed)}
    return End(
        {**report, **balance.counts},
        balance.wrong,
        acknowledged=len(door.acknowledged),
        lost=balance.lost,
        doubled=balance.doubled,
        batches=balance.batches,
        reviews=balance.reviews,
    )


def drained(db, unrest) -> None:
    """At rest, or nothing has become less for so long."""
    least, deadline = None, time.monotonic() + DRAIN
    while (left := sum(unrest(db).values())) and time.monotonic() < deadline:
        if least is None or left < least:
            least, deadline = left, time.monotonic() + DRAIN
        time.sleep(0.5)


@contextlib.contextmanager
def upstreams(soak: Soak, clock: FastClock, turns) -> Iterator[tuple]:
    """(phones, what failed how often, settings)."""
    from benchmarks.soak.upstreams import SoakAsr, SoakModel, SoakWeChat
    from tests.doubles.asr import SECRET_ID, SECRET_KEY
    from tests.sounds import amr

    wechat, asr = SoakWeChat(soak.faults, soak.seed), SoakAsr(soak.faults, soak.seed + 1)
    model = SoakModel(soak.faults, soak.seed + 2, lambda: clock.now)
    for turn in turns:
        if turn.kind == "voice":
            sound = amr(2) + turn.number.to_bytes(8, "big") * 4
            wechat.media.holds(f"media-{turn.number}", sound)
            asr.heard[sound] = turn.text + "。"
    doubles = {"wechat": wechat, "asr": asr, "llm": model}

    def told() -> dict[str, int]:
        return {f"{name}: {kind}": n for name, double in doubles.items() for kind, n in double.faults.told.items()}

    with wechat, asr, model:
        settings = {
            "WECHAT_API_BASE": wechat.url,
            "WECHAT_APP_SECRET": "soak",
            "TENCENT_ASR_ENDPOINT": asr.url,
            "TENCENT_SECRET_ID": SECRET_ID,
            "TENCENT_SECRET_KEY": SECRET_KEY,
            **({"LLM_BASE_URL": model.url + "/v1", "LLM_MODEL": "soak", "LLM_API_KEY": "k"} if soak.model else {}),
        }
        yield wechat.phones, told, settings


@contextlib.contextmanager
def product(environment: dict[str, str]) -> Iterator[tuple[str, Fleet]]:
    """Web, workers and clock, as in production."""
    with tempfile.TemporaryDirectory() as folder, Fleet(environment, folder) as fleet:
        url = fleet.web()
        fleet.worker("batches", "batches", 2)
        fleet.worker("others", OTHERS, 2)
        fleet.beat()
        yield url, fleet

"""The cast, the clock, and the doubles that every test may ask for.

Mei plans in Shanghai, Bo lives in New York, Chen has left.
"""

import socket
from collections.abc import Iterator

import pytest

import planner.celery  # noqa: F401 - the doorbells need a current app
from planner.models import Follower
from planner.upstreams import stores
from tests.builders import follower
from tests.clock import Clock
from tests.doubles.asr import SECRET_ID, SECRET_KEY, FakeAsr
from tests.doubles.wechat import FakeWeChat


@pytest.fixture(autouse=True)
def healthy() -> None:
    """What one test learned about the upstreams is no news to the next."""
    stores.store().clear()


@pytest.fixture
def mei(db) -> Follower:
    return follower("o-mei-000000000000000000001")


@pytest.fixture
def bo(db) -> Follower:
    return follower("o-bo-0000000000000000000002", timezone="America/New_York")


@pytest.fixture
def chen(db) -> Follower:
    return follower("o-chen-00000000000000000003", left=True)


@pytest.fixture
def clock(db) -> Iterator[Clock]:
    moved = Clock()
    yield moved
    moved.reset()


@pytest.fixture
def wechat(settings) -> Iterator[FakeWeChat]:
    """WeChat's API as a real HTTP server on loopback; `wechat.client()` is the product's own adapter pointed at it."""
    with FakeWeChat() as fake:
        settings.WECHAT_API_BASE = fake.url
        yield fake


@pytest.fixture
def asr(settings) -> Iterator[FakeAsr]:
    """Tencent's recognition as a real HTTP server, below a path; the product's own client is pointed at it."""
    with FakeAsr() as fake:
        settings.TENCENT_ASR_ENDPOINT = f"{fake.url}/asr"
        settings.TENCENT_SECRET_ID, settings.TENCENT_SECRET_KEY = SECRET_ID, SECRET_KEY
        yield fake


@pytest.fixture
def free_port() -> int:
    """On which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

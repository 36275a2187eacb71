"""tests/vectors/times.txt: expressions as people say them."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from planner.when import find
from tests.planner.words import shown

ZONE = ZoneInfo("Asia/Shanghai")


def rows():
    said = None
    for line in (Path(__file__).parents[1] / "vectors/times.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            said = datetime.fromisoformat(line[1:]).replace(tzinfo=ZONE)
        elif " | " in line:
            words, wanted = line.split(" | ")
            yield pytest.param(said, words, wanted, id=f"{words} {said:%m-%d %H}")


TABLE = list(rows())


def test_the_table_is_found():
    assert len(TABLE) > 250


@pytest.mark.parametrize(("said", "words", "wanted"), TABLE)
def test_it_is_read(said, words, wanted):
    assert (" && ".join(shown(told.when) for told in find(words, said)) or "no time") == wanted

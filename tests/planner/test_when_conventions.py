"""docs/time.md is the table of conventions; each of its rows is read again."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from planner.when import resolve
from tests.planner.words import ROWS, shown

ZONE = ZoneInfo("Asia/Shanghai")


def test_the_table_is_found():
    assert len(ROWS) > 80


@pytest.mark.parametrize(("words", "said", "wanted"), ROWS, ids=[f"{words} {said}" for words, said, _ in ROWS])
def test_words_are_read_as_the_table_says(words, said, wanted):
    ref = datetime.fromisoformat(said).replace(tzinfo=ZONE)

    assert shown(resolve(words, ref)) == wanted.strip()

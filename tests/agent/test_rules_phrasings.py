"""What followers write, line by line, and how the rules read it: tests/vectors/phrasings.txt.

A line «@ 2026-04-30 21:15» says when those behind it are written; the first ones are of a Wednesday at ten.
"""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent.analysis import Said
from agent.rules import analyse
from tests.agent.shorthand import short

ZONE = ZoneInfo("Asia/Shanghai")
LINES = (Path(__file__).parent.parent / "vectors" / "phrasings.txt").read_text(encoding="utf-8").splitlines()


def table() -> Iterator[tuple[datetime, str, str]]:
    written = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
    for line in LINES:
        if line.startswith("@ "):
            written = datetime.fromisoformat(line[2:]).replace(tzinfo=ZONE)
        elif line and not line.startswith("#"):
            yield (written, *line.split(" → "))


TABLE = list(table())


@pytest.mark.parametrize(("written", "text", "reading"), TABLE, ids=[text for _, text, _ in TABLE])
def test_what_is_said_is_read_so(written, text, reading):
    understood = analyse([Said(text=text.replace("⏎", "\n"), sent_at=written)], zone=ZONE)

    assert short(understood) == reading


def test_the_table_is_there():
    assert len(TABLE) > 200

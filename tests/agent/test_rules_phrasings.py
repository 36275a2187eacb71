"""What followers write, line by line, as the rules read it on a Wednesday at ten: tests/vectors/phrasings.txt."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agent.analysis import Said
from agent.rules import analyse
from tests.agent.shorthand import short

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 3, 11, 10, 0, tzinfo=ZONE)
LINES = (Path(__file__).parent.parent / "vectors" / "phrasings.txt").read_text(encoding="utf-8").splitlines()
TABLE = [line.split(" → ") for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(("text", "reading"), TABLE, ids=[text for text, _ in TABLE])
def test_what_is_said_is_read_so(text, reading):
    understood = analyse([Said(text=text.replace("⏎", "\n"), sent_at=NOW)], zone=ZONE)

    assert short(understood) == reading


def test_the_table_is_there():
    assert len(TABLE) > 200

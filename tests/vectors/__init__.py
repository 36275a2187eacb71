"""Known answers of the platform's cryptography and wire format. Every name, token and key in them is invented, but for
the official documentation's own examples."""

import json
from pathlib import Path
from typing import Any

WECHAT: dict[str, Any] = json.loads((Path(__file__).parent / "wechat.json").read_text())
ACCOUNT = WECHAT["account"]


def named(part: str, *, by: str = "name") -> dict[str, Any]:
    """Arguments of `pytest.mark.parametrize`: one case an entry."""
    cases = WECHAT[part]
    return {"argnames": "case", "argvalues": cases, "ids": [str(case[by]) for case in cases]}

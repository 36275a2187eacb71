"""What a test asks of the door."""

from typing import Any

from planner.models import Follower
from webhook.models import Batch, InboundMessage

MEI = "o-mei-000000000000000000001"
ADDRESS = "/wechat/callback"


def refused(response: Any) -> bool:
    """Every refusal is the same to the last byte, so that it teaches nothing."""
    return (response.status_code, response.content, response["Content-Type"]) == (
        403,
        b"forbidden",
        "text/plain; charset=utf-8",
    )


def nothing_stored() -> bool:
    return not (InboundMessage.objects.exists() or Batch.objects.exists() or Follower.objects.exists())

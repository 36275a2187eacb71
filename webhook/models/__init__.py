"""What came from WeChat (InboundMessage, VoiceClip), what is done with it (Batch, Attempt), what goes back
(OutboundMessage)."""

from webhook.models.attempt import Attempt
from webhook.models.batch import Batch
from webhook.models.clip import VoiceClip
from webhook.models.erasure import Erasure
from webhook.models.inbound import InboundMessage
from webhook.models.outbound import OutboundMessage
from webhook.models.wechat import AccessToken, Receipt

__all__ = [
    "AccessToken",
    "Attempt",
    "Batch",
    "Erasure",
    "InboundMessage",
    "OutboundMessage",
    "Receipt",
    "VoiceClip",
]

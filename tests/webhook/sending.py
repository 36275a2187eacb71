"""What a test asks of delivery."""

from tests.clock import Clock
from tests.doubles.wechat import FakeWeChat
from webhook.delivery import deliver_next
from webhook.models import OutboundMessage
from webhook.sweep import sweep


def deliver(wechat: FakeWeChat, times: int = 1) -> None:
    for _ in range(times):
        deliver_next(wechat.client())


def the_row() -> OutboundMessage:
    return OutboundMessage.objects.get()


def never_again(wechat: FakeWeChat, clock: Clock) -> int:
    """How often WeChat is called for it from now on, whatever the sweep and the clock do."""
    before = len(wechat.sends())
    for _ in range(4):
        clock.forward(hours=2)
        sweep()
        deliver(wechat, 2)
    return len(wechat.sends()) - before

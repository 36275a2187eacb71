"""What each kind of account may do, as WeChat's table of permissions has it."""

from dataclasses import dataclass

from django.conf import settings


@dataclass(frozen=True)
class Abilities:
    """`customer`: may speak first, inside the follower's window; `template`: may send template messages; `menu`: may
    set its menu by a call. Every account may answer passively."""

    customer: bool
    template: bool
    menu: bool


KINDS = {
    "service": Abilities(customer=True, template=True, menu=True),
    "subscription": Abilities(customer=True, template=False, menu=True),
    "test": Abilities(customer=True, template=True, menu=True),
    "unverified": Abilities(customer=False, template=False, menu=False),
}


def abilities() -> Abilities:
    return KINDS[settings.WECHAT_ACCOUNT_KIND]


def may_send_templates() -> bool:
    return abilities().template and bool(settings.WECHAT_REMINDER_TEMPLATE_ID)


def template_ready() -> bool:
    """Allowed to this account, and configured in full."""
    return may_send_templates() and bool(settings.WECHAT_REMINDER_TEMPLATE_FIELDS)

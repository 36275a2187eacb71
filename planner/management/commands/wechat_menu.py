"""`manage.py wechat_menu`: sets the account's menu. Repeating it changes nothing."""

from typing import Any

from django.core.management.base import CommandError

from planner.crashpoints import outside
from planner.errors import Failure, Retry
from planner.management.plain import PlainCommand, account
from webhook import menu
from webhook.kinds import abilities
from webhook.tokens import Tokens
from webhook.wechat import WeChat

BY_HAND = (
    "WeChat gives most unverified accounts no menu by a call. Followers may write the words instead: "
    "今天有什么安排, 这周有什么安排"
)


class Command(PlainCommand):
    help = "Sets the account's menu: 今天, 本周, 帮助."

    def handle(self, *args: Any, **options: Any) -> None:
        account()
        try:
            _set(WeChat())
        except Failure as failure:
            hint = "" if abilities().menu else f". {BY_HAND}"
            raise CommandError(f"{failure.reason}{hint}") from None
        names = "、".join(menu.BUTTONS.values())
        self.stdout.write(f"menu set: {names}. A phone shows it within five minutes, once the chat is opened anew")


def _set(wechat: WeChat) -> None:
    """A refused token is renewed, once."""
    tokens = Tokens(wechat)
    token = tokens.current()
    try:
        _call(wechat, token)
    except Failure as failure:
        if failure.retry is not Retry.NOW:
            raise
        _call(wechat, tokens.renewed(token))


def _call(wechat: WeChat, token: str) -> None:
    with outside("menu"):
        wechat.create_menu(token, menu.body())

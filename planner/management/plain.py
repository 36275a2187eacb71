"""What the operators' commands share: whatever is wrong is one line that says what to do, never a traceback."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import ProgrammingError

from webhook.incoming import OPENID

NO_TABLES = "the database has not all tables: run manage.py migrate first"
NO_DATABASE = "the database does not answer: is DATABASE_URL right, and is the server up? manage.py doctor tells more"


class PlainCommand(BaseCommand):
    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except DatabaseError as error:
            missing = isinstance(error, ProgrammingError) or "no such" in str(error)
            raise CommandError(NO_TABLES if missing else NO_DATABASE) from None


def account() -> str:
    """This account's AppID. Raises CommandError."""
    if not settings.WECHAT_APP_ID:
        raise CommandError("WECHAT_APP_ID is not set: which account is meant? See docs/connecting.md")
    return settings.WECHAT_APP_ID


def checked(openid: str) -> str:
    """Raises CommandError for what cannot be an openid."""
    if not OPENID.fullmatch(openid):
        raise CommandError("an openid has letters, digits, - and _ alone; it stands on the follower's page in /admin/")
    return openid

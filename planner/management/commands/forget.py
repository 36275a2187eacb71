"""Erases all that is stored about one follower: detached at once, deleted here and now."""

import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from planner.management.plain import PlainCommand, account, checked
from planner.models import Follower
from webhook import forgetting
from webhook.models import Erasure

WAIT_SECONDS = 600


class Command(PlainCommand):
    help = "Erases all that is stored about a follower. It cannot be undone; a killed run is finished by the workers."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("openid")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *args: Any, openid: str, yes: bool, **options: Any) -> None:
        follower = Follower.objects.filter(app_id=account(), openid=checked(openid)).first()
        if follower is not None:
            if not (yes or _confirmed(follower.pk)):
                raise CommandError("nothing was erased")
            forgetting.begin(follower.pk, by="manage.py forget")
        erasure = self._erasure(openid)
        if erasure is None:
            raise CommandError("nobody of this openid is known to this account: nothing to erase")
        Erasure.move(erasure.pk, Erasure.FAILED, Erasure.PENDING, claims=0)
        self._finish(erasure)

    def _erasure(self, openid: str) -> Erasure | None:
        """The last one of this openid, be it done, so that a repeat says so."""
        digests = forgetting.digest_of(settings.WECHAT_APP_ID, openid)
        return Erasure.objects.filter(digest__in=digests).order_by("-id").first()

    def _finish(self, erasure: Erasure) -> None:
        """Works along, beside whoever has claimed it; one that was killed gives it up after the heartbeat's silence."""
        deadline = time.monotonic() + WAIT_SECONDS
        while erasure.status != Erasure.DONE:
            if time.monotonic() > deadline:
                raise CommandError(f"erasure {erasure.pk} is still {erasure.status}; the workers go on with it")
            if not forgetting.erase_next():
                Erasure.rescue_next()
                time.sleep(0.5)
            erasure.refresh_from_db()
        self.stdout.write(f"erasure {erasure.pk} is done: {erasure.rows_erased} rows and the follower are gone")


def _confirmed(follower_id: int) -> bool:
    try:
        return input(f"Erase all of follower {follower_id}? It cannot be undone. [y/N] ").lower() == "y"
    except EOFError:
        raise CommandError("nothing was erased: nobody is there to be asked. Repeat it with --yes") from None

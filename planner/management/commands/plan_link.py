"""Prints a follower's key to his own plan, good for a day."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from planner import links
from planner.management.plain import PlainCommand, account, checked
from planner.models import Follower


class Command(PlainCommand):
    help = "Prints the key with which /api/tasks/ shows one follower's plan for 24 hours. Whoever has it, has the plan."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("openid")

    def handle(self, *args: Any, openid: str, **options: Any) -> None:
        known = {"app_id": account(), "openid": checked(openid), "forgotten_at": None}
        follower = Follower.objects.filter(**known).first()
        if follower is None:
            raise CommandError("nobody of this openid is known to this account")
        self.stdout.write(links.plan_key(follower.pk))

"""Who may use the operators' pages. Two roles, as groups: 查看 looks, 运营 presses the buttons too."""

import secrets
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser
from django.db.models import Q

from planner.management.plain import PlainCommand

VIEWER, OPERATOR = "查看", "运营"
APPS = ("planner", "webhook")
ACTED_ON = ("batch", "outboundmessage", "review", "alarm", "voiceclip")


class Command(PlainCommand):
    help = (
        "Lets somebody into /admin/ as an operator, or with --viewer to look only; prints a new user's password once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--viewer", action="store_true", help="may look at everything and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        role = VIEWER if options["viewer"] else OPERATOR
        try:
            User._meta.get_field("username").clean(options["name"], None)
        except ValidationError:
            raise CommandError("a name has letters, digits and @ . + - _, at most 150") from None
        user, new = User.objects.get_or_create(username=options["name"])
        user.is_staff = user.is_active = True
        if new:
            password = secrets.token_urlsafe(12)
            user.set_password(password)
            self.stdout.write(f"password, shown once, to be changed after signing in: {password}")
        user.save()
        user.groups.set([group(role)])
        self.stdout.write(f"{user.username} may use /admin/ as {role}")


def group(role: str) -> Group:
    """With the permissions that the role has today: tables come and go with releases."""
    found, _ = Group.objects.get_or_create(name=role)
    granted = Q(codename__startswith="view_") & ~Q(codename="view_accesstoken")
    if role == OPERATOR:
        granted |= Q(codename__in=[f"change_{model}" for model in ACTED_ON])
    ours = Q(content_type__app_label__in=APPS) & granted
    found.permissions.set(Permission.objects.filter(ours | Q(codename="view_logentry")))
    return found

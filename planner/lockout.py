"""The admin's door: whoever tries passwords is locked out for a quarter of an hour."""

from typing import Any

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from planner import sql
from planner.digests import digests
from planner.models import FailedLogin

SECONDS = 900
# Of one name from one address; of one address; of one name from wherever, high, since anybody could lock it.
TRIES, TRIES_OF_ADDRESS, TRIES_OF_NAME = 5, 20, 50

_COUNTS = """
    SELECT count(CASE WHEN name = %s AND address = %s THEN 1 END), count(CASE WHEN address = %s THEN 1 END),
        count(CASE WHEN name = %s THEN 1 END)
    FROM planner_failedlogin WHERE (name = %s OR address = %s) AND at > app_later(%s)"""


class Guarded(AdminAuthenticationForm):
    def clean(self) -> dict[str, Any]:
        """Locked before the password is looked at: a right one tells nothing either."""
        name, address = _name(self.data.get("username", "")), client_address(self.request) if self.request else ""
        if _locked(name, address):
            raise ValidationError("尝试次数太多，请 15 分钟后再试。", code="locked")
        return super().clean()


def client_address(request: HttpRequest) -> str:
    """The peer's, or behind our own proxy what it said last; a client's own word for it counts nowhere."""
    told = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.SECURE_PROXY_SSL_HEADER else ""
    return (told.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", ""))[:45]


def _name(typed: str) -> str:
    return digests("login", typed.casefold())[0]


def _locked(name: str, address: str) -> bool:
    found = sql.row(_COUNTS, (name, address, address, name, name, address, -SECONDS))
    assert found is not None
    return bool(found[0] >= TRIES or found[1] >= TRIES_OF_ADDRESS or found[2] >= TRIES_OF_NAME)


def note(*, credentials: dict[str, Any], request: HttpRequest | None = None, **kwargs: Any) -> None:
    """Receiver of `user_login_failed`."""
    if request is not None:
        FailedLogin.objects.create(name=_name(str(credentials.get("username", ""))), address=client_address(request))

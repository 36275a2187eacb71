"""S22: the key to a follower's own plan."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from planner.limits import buckets
from planner.links import plan_key
from planner.models import OperationResult, Task
from tests.builders import planned

pytestmark = pytest.mark.django_db


def answer(key: str):
    return Client(headers={"Authorization": f"Bearer {key}"}).get("/api/tasks/")


def test_the_command_hands_out_a_key_that_opens_the_plan(mei, capsys):
    planned(mei, "开会")

    call_command("plan_link", mei.openid)

    assert answer(capsys.readouterr().out.strip()).json()[0]["title"] == "开会"


def test_nobody_unknown_gets_one(db):
    with pytest.raises(CommandError):
        call_command("plan_link", "o-nobody")


@pytest.mark.parametrize("part", [0, 1, 2], ids=["whose", "when", "seal"])
def test_a_changed_old_or_foreign_key_opens_nothing(mei, bo, part):
    own, other = plan_key(mei.pk).split(":"), plan_key(bo.pk).split(":")
    own[part] = other[part] if part != 1 else "1aaaaa"

    assert answer(":".join(own)).status_code == 401


def test_a_signature_for_another_purpose_opens_nothing(mei):
    from django.core.signing import TimestampSigner

    assert answer(TimestampSigner(salt="another purpose").sign(str(mei.pk))).status_code == 401


def test_a_key_is_over_after_a_day(mei, monkeypatch):
    import django.core.signing

    key = plan_key(mei.pk)
    now = django.core.signing.time.time()
    monkeypatch.setattr(django.core.signing.time, "time", lambda: now + 24 * 3600 + 5)

    assert answer(key).status_code == 401


def test_looking_changes_nothing_and_is_kept_by_nobody(mei):
    planned(mei, "开会")
    before = list(Task.objects.values()), OperationResult.objects.count()

    looks = [answer(plan_key(mei.pk)) for _ in range(2)]

    assert (list(Task.objects.values()), OperationResult.objects.count()) == before
    assert {(look["Cache-Control"], look["Referrer-Policy"]) for look in looks} == {("no-store", "no-referrer")}


def test_a_key_that_is_hammered_has_to_wait_and_the_others_have_not(mei, bo, settings):
    settings.API_MINUTE_REQUESTS = 3
    buckets.cache_clear()

    codes = [answer(plan_key(mei.pk)).status_code for _ in range(5)]

    assert codes == [200, 200, 200, 429, 429]
    assert answer(plan_key(bo.pk)).status_code == 200
    buckets.cache_clear()

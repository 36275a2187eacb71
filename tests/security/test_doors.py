"""S16, S18: every address × every role. An address that comes later must say here who may use it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from planner.links import plan_key
from planner.models import Task
from tests.builders import planned
from tests.webhook.desk import client, root, user

pytestmark = pytest.mark.django_db
CLOSED = {302, 401, 403, 404, 405}
PUBLIC = {
    "/wechat/callback": 403,
    "/healthz": 200,
    "/readyz": 200,
    "/metrics": 200,
    "/admin/login/": 200,
    "/api/schema/": 200,
}
READ_ONLY = {"/admin/login/", "/healthz", "/readyz", "/metrics"}  # nothing to change there
FILLED = {"<int:pk>": "1", "<str:name>": "undo", "<path:object_id>": "1", "<id>": "1", "<int:content_type_id>": "1"}


def addresses(patterns=None, start: str = "/") -> list[str]:
    found = []
    for entry in get_resolver().url_patterns if patterns is None else patterns:
        part = str(entry.pattern).lstrip("^").rstrip("$").replace("(?=agent/|tools/)", "")
        if isinstance(entry, URLResolver):
            found += addresses(entry.url_patterns, start + part)
        elif isinstance(entry, URLPattern):
            found.append(start + part)
    return found


def filled(address: str) -> str:
    for hole, value in FILLED.items():
        address = address.replace(hole, value)
    return address.replace("(?P<app_label>planner|webhook|auth)/", "planner/").replace("(?P<url>.*)", "nowhere")


def all_of_them() -> list[str]:
    return sorted({filled(address) for address in addresses()})


def test_the_crawl_finds_the_whole_house():
    found = all_of_them()

    assert len(found) > 60
    assert {"/wechat/callback", "/api/tasks/1/", "/agent/runs", "/tools/undo", "/admin/planner/task/"} <= set(found)


def test_a_stranger_gets_nowhere_but_to_the_public_doors():
    stranger = Client(raise_request_exception=False)

    answers = {address: stranger.get(address).status_code for address in all_of_them()}

    assert {address: code for address, code in answers.items() if address in PUBLIC} == PUBLIC
    assert {a: code for a, code in answers.items() if a not in PUBLIC and code not in CLOSED} == {}


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_a_stranger_changes_nothing_by_any_method(mei, method):
    planned(mei, "开会")
    stranger = Client(raise_request_exception=False)

    codes = {
        address: getattr(stranger, method)(address).status_code for address in all_of_them() if address not in READ_ONLY
    }

    assert {a: code for a, code in codes.items() if code not in CLOSED | {400}} == {}
    assert Task.objects.get().status == Task.OPEN


def test_a_followers_key_opens_his_plan_and_no_other_door(mei):
    planned(mei, "开会")
    holder = Client(headers={"Authorization": f"Bearer {plan_key(mei.pk)}"}, raise_request_exception=False)

    opened = {address for address in all_of_them() if holder.get(address).status_code == 200}

    assert {address for address in opened if address not in PUBLIC} <= {"/api/tasks/", "/api/tasks/1/"}
    assert "/api/tasks/" in opened


def test_a_user_without_rights_sees_no_list(mei):
    nobody = client(user("nobody"))

    codes = {
        a: nobody.get(a).status_code for a in all_of_them() if a.startswith(("/admin/planner/", "/admin/webhook/"))
    }

    assert len(codes) > 20
    assert {a: code for a, code in codes.items() if code not in CLOSED} == {}


def test_a_viewer_sees_and_gets_no_page_that_writes():
    viewer = client(user("viewer", "view"))

    codes = {a: viewer.get(a).status_code for a in all_of_them() if a.endswith(("/add/", "/delete/"))}

    assert {a: code for a, code in codes.items() if code not in CLOSED} == {}


def test_a_user_of_the_web_site_who_is_no_staff_gets_no_plan(mei):
    someone = client(User.objects.create(username="someone"))

    assert someone.get(f"/api/tasks/?follower={mei.pk}").status_code in (401, 403)


def test_not_even_the_superuser_edits_work_by_hand():
    boss = root()
    editable = ("/admin/auth/", "/admin/password_change/", "/admin/login/", "/admin/logout/")

    codes = {
        a: boss.get(a).status_code
        for a in all_of_them()
        if a.endswith(("/add/", "/delete/")) and not a.startswith(editable)
    }

    assert codes
    assert set(codes.values()) <= {302, 403}


def test_no_account_is_there_from_the_start():
    assert not User.objects.exists()

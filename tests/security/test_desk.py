"""S16, S17: the operators' door locks, what they do and look at is written down for good, and no line tells a text."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.test import Client

from planner.lockout import client_address
from planner.models import FailedLogin
from planner.operators import resolve
from tests.builders import planned, submitted
from tests.webhook.desk import client, page, root, user
from webhook.models import Batch

pytestmark = pytest.mark.django_db
POSTGRES = pytest.mark.skipif(connection.vendor == "sqlite", reason="the trigger is Postgres's")
PASSWORD = "a-long-password-of-op"


def tried(name: str, password: str, address: str = "203.0.113.7") -> bool:
    visitor = Client(REMOTE_ADDR=address)
    visitor.post("/admin/login/?next=/admin/", {"username": name, "password": password})
    return "_auth_user_id" in visitor.session


@pytest.fixture
def op() -> User:
    return User.objects.create_user("op", "", PASSWORD, is_staff=True)


@pytest.fixture(autouse=True)
def quick_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


def test_after_five_wrong_passwords_even_the_right_one_waits_a_quarter_of_an_hour(op, clock):
    for _ in range(5):
        assert not tried("op", "wrong")

    assert not tried("op", PASSWORD)
    clock.forward(minutes=16)
    assert tried("op", PASSWORD)


def test_an_operator_elsewhere_is_not_locked_out_by_a_strangers_tries(op):
    for _ in range(6):
        tried("op", "wrong", "198.51.100.9")

    assert tried("op", PASSWORD)


def test_one_address_cannot_go_through_all_names(op):
    for n in range(20):
        tried(f"name-{n}", "wrong")

    assert not tried("op", PASSWORD)


def test_many_addresses_cannot_go_through_one_name(op):
    for n in range(50):
        tried("op", "wrong", f"203.0.113.{n}")

    assert not tried("op", PASSWORD, "198.51.100.9")


def test_a_failed_login_keeps_no_name():
    tried("secret-user-name", "wrong")

    assert "secret" not in FailedLogin.objects.get().name


@pytest.mark.parametrize(
    ("behind", "forwarded", "address"),
    [(False, "1.1.1.1", "10.0.0.1"), (True, "1.1.1.1, 2.2.2.2", "2.2.2.2"), (True, "", "10.0.0.1")],
)
def test_only_our_own_proxys_last_word_is_believed(rf, settings, behind, forwarded, address):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if behind else None
    request = rf.get("/admin/", REMOTE_ADDR="10.0.0.1", **({"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}))

    assert client_address(request) == address


def audited(mei) -> LogEntry:
    batch = submitted(mei, "金丝雀")
    Batch.give_up(Batch.claim(900).lease, "程序错误")
    assert page(client(user("viewer", "view")), f"webhook/batch/{batch.pk}/change/")
    return LogEntry.objects.get()


def test_reading_what_a_follower_wrote_is_written_down_with_the_readers_name(mei):
    line = audited(mei)

    assert (line.user.username, line.change_message, line.object_id) == ("viewer", "查看", str(Batch.objects.get().pk))


def test_an_audit_line_names_a_number_and_no_text(mei):
    task = planned(mei, "金丝雀")
    page(root(), f"planner/task/{task.pk}/change/")

    line = LogEntry.objects.get()
    assert line.object_repr == f"任务 {task.pk}"
    assert "金丝雀" not in str(vars(line))


@POSTGRES
@pytest.mark.parametrize("change", ["update", "delete"])
def test_the_database_lets_nobody_change_or_delete_an_audit_line(mei, change):
    line = audited(mei)

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        LogEntry.objects.update(change_message="") if change == "update" else line.delete()

    assert LogEntry.objects.get().change_message == "查看"


@POSTGRES
def test_an_operator_with_audit_lines_cannot_be_deleted_with_them(mei):
    audited(mei)

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        User.objects.get(username="viewer").delete()


def test_the_audit_page_shows_and_changes_nothing(mei):
    line, boss = audited(mei), root()

    assert "查看" in page(boss, "admin/logentry/")
    codes = {boss.post(f"/admin/admin/logentry/{line.pk}/{verb}/").status_code for verb in ("change", "delete")}
    assert codes == {403}


def test_each_act_has_one_line(mei):
    audited(mei)
    from planner.models import Review

    resolve(Review.objects.get(), user("op2", "view", "change"))

    assert list(LogEntry.objects.order_by("id").values_list("user__username", flat=True)) == ["viewer", "op2"]


def test_a_session_ends_within_a_working_day(settings):
    assert settings.SESSION_COOKIE_AGE <= 12 * 3600
    assert settings.SESSION_EXPIRE_AT_BROWSER_CLOSE

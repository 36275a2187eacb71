"""Who may see and who may press what; and that nothing is editable by hand."""

import pytest
from django.test import Client

from planner.models import Alarm, Review
from planner.operators import close, resolve
from tests.builders import outbound, submitted
from tests.races.threads import at_once
from tests.webhook.desk import LISTS, act, client, page, root, user
from webhook.models import Batch, OutboundMessage

pytestmark = pytest.mark.django_db
RACE = pytest.mark.django_db(transaction=True)
ROLES = {"viewer": ["view"], "operator": ["view", "change"], "changer": ["change"], "nobody": []}


def failed_batch(who) -> Batch:
    batch = submitted(who, "两件事")
    Batch.give_up(Batch.claim(900).lease, "程序错误")
    return batch


def unknown(who) -> OutboundMessage:
    row = outbound(who, "也许送到了")
    OutboundMessage.give_up(OutboundMessage.claim(60).lease, "超时", status=OutboundMessage.UNKNOWN)
    return row


def pressed(row) -> bool:
    row.refresh_from_db()
    match row:
        case Batch():
            return row.status != Batch.FAILED
        case OutboundMessage():
            return row.status == OutboundMessage.SENT or row.resent_as_id is not None
        case Review():
            return row.resolution != ""
    return row.closed_at is not None


BUTTONS = {
    "retry": ("webhook/batch", failed_batch, {}),
    "delivered": ("webhook/outboundmessage", unknown, {}),
    "again": ("webhook/outboundmessage", unknown, {"confirmed": "yes"}),
    "resolve": ("planner/review", lambda who: Review.objects.create(kind="batch", object_id=1, reason="错"), {}),
    "close": ("planner/alarm", lambda who: Alarm.objects.create(key="wechat:token", detail="AppSecret 不对"), {}),
}


@pytest.mark.parametrize("button", BUTTONS)
@pytest.mark.parametrize("role", ROLES)
def test_only_who_may_change_the_model_presses_its_buttons(mei, role, button):
    address, build, more = BUTTONS[button]
    row = build(mei)

    act(client(user(role, *ROLES[role])), address, button, row, **more)

    assert pressed(row) == ("change" in ROLES[role])


@pytest.mark.parametrize("role", ROLES)
def test_only_who_may_see_or_change_a_model_opens_its_pages(mei, role):
    batch = failed_batch(mei)
    signed_in = client(user(role, *ROLES[role]))

    answers = {signed_in.get(f"/admin/webhook/batch/{path}").status_code for path in ("", f"{batch.pk}/change/")}

    assert answers == ({403} if role == "nobody" else {200})


def test_a_viewer_is_shown_no_button(mei):
    batch = failed_batch(mei)

    told = page(client(user("viewer", "view")), f"webhook/batch/{batch.pk}/change/")

    assert "两件事" in told
    assert 'name="action"' not in told


@pytest.mark.parametrize("address", LISTS)
def test_nobody_gets_in_without_signing_in(address):
    answer = Client().get(f"/admin/{address}/")

    assert (answer.status_code, answer.url) == (302, f"/admin/login/?next=/admin/{address}/")


@pytest.mark.parametrize("address", LISTS)
def test_nothing_is_added_by_hand(address):
    assert root().get(f"/admin/{address}/add/").status_code == 403


@pytest.mark.parametrize("verb", ["change", "delete"])
def test_not_even_the_superuser_edits_or_deletes_a_row(mei, verb):
    batch = failed_batch(mei)

    answer = root().post(f"/admin/webhook/batch/{batch.pk}/{verb}/", {"status": "DONE", "post": "yes"})

    batch.refresh_from_db()
    assert (answer.status_code, batch.status) == (403, Batch.FAILED)


def test_the_access_token_has_no_page():
    assert root().get("/admin/webhook/accesstoken/").status_code == 404


def test_lists_show_no_full_openid(mei):
    failed_batch(mei)
    unknown(mei)
    boss = root()

    for address in LISTS:
        assert mei.openid not in page(boss, f"{address}/"), address


def test_an_action_on_all_pages_at_once_is_refused(mei):
    batch = failed_batch(mei)

    told = act(client(user("op", "view", "change")), "webhook/batch", "retry", batch, select_across="1")

    assert not pressed(batch)
    assert "没有改动" in told


def test_a_review_is_resolved_with_name_and_time(mei):
    failed_batch(mei)

    act(client(user("op", "view", "change")), "planner/review", "resolve", Review.objects.get())

    review = Review.objects.get()
    assert (review.resolution, review.resolved_by) == ("已处理", "op")
    assert review.resolved_at is not None


@RACE
def test_of_two_operators_one_resolves(mei):
    failed_batch(mei)
    review, boss = Review.objects.get(), user("op", "view", "change")

    assert sorted(at_once(*[lambda: resolve(review, boss)] * 2)) == [False, True]


def test_closing_an_old_alarm_leaves_the_one_raised_since_open():
    boss = user("op", "view", "change")
    old = Alarm.objects.create(key="wechat:token", detail="不对")
    assert close(old, boss)
    fresh = Alarm.objects.create(key="wechat:token", detail="又不对")

    assert not close(old, boss)

    fresh.refresh_from_db()
    assert fresh.closed_at is None


def test_open_reviews_come_first_and_resolved_ones_on_request(mei):
    failed_batch(mei)
    resolved = Review.objects.create(kind="batch", object_id=77, reason="旧错误", resolution="已处理")
    boss = root()

    assert f"/review/{resolved.pk}/" not in page(boss, "planner/review/")
    assert f"/review/{resolved.pk}/" in page(boss, "planner/review/?open=no")
    assert f"/batch/{Batch.objects.get().pk}/change/" in page(boss, "planner/review/")

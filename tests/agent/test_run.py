"""A batch from claim to reply: each action takes effect once, and the answer says what the ledger holds."""

import pytest

from agent.worker import run_next
from planner.actions import Create
from planner.clock import app_now
from planner.models import OperationResult, Review, Task
from planner.operations import OperationConflict, apply
from tests.agent.actions import UNDO, analysis, complete, create, delete, move, query
from tests.builders import planned, scope, soon, submitted
from webhook.models import Attempt, Batch, OutboundMessage

pytestmark = pytest.mark.django_db(transaction=True)


def reply(batch: Batch) -> str:
    return "\n".join(OutboundMessage.objects.filter(batch=batch).order_by("id").values_list("text", flat=True))


def test_two_actions_are_done_in_order_and_said(mei):
    batch = submitted(mei, analysis=analysis(create("开会", soon(days=1)), create("交报告", soon(days=2))))

    assert run_next()

    batch.refresh_from_db()
    assert batch.status == Batch.DONE
    assert list(Task.objects.order_by("id").values_list("title", flat=True)) == ["开会", "交报告"]
    keys = OperationResult.objects.order_by("id").values_list("operation_key", flat=True)
    assert list(keys) == [f"{batch.pk}:create:1", f"{batch.pk}:create:2"]
    assert "记下了 2 件" in reply(batch)
    assert Attempt.objects.get(object_id=batch.pk).outcome == "done"


def test_an_empty_queue_is_said_and_costs_nothing(mei):
    assert run_next() is False


def test_a_second_claim_repeats_no_effect_and_sends_the_missing_reply(mei, clock):
    batch = submitted(mei, analysis=analysis(create("开会"), create("交报告")))
    claimed = Batch.claim(900)
    apply_first(batch, claimed.lease, mei)
    clock.forward(minutes=16)
    assert Batch.rescue_next()

    assert run_next()

    assert Task.objects.filter(follower=mei).count() == 2
    assert OutboundMessage.objects.filter(batch=batch).count() == 1
    assert [a.outcome for a in Attempt.objects.order_by("claim_no")] == ["died", "done"]


def apply_first(batch: Batch, lease, who) -> None:
    from planner.actions import Create

    made = scope(who, batch=batch, lease=lease)
    apply("create", Create.model_validate(batch.actions[0]), made, key=f"{batch.pk}:create:1")


def test_the_same_key_with_other_parameters_is_a_dead_letter(mei):
    batch = submitted(mei, analysis=analysis(create("开会")))
    OperationResult.objects.create(
        operation_key=f"{batch.pk}:create:1",
        follower=mei,
        op="create",
        params={},
        params_hash="another",
        status=OperationResult.SUCCEEDED,
        result={"summary": ""},
    )

    assert run_next()

    batch.refresh_from_db()
    assert batch.status == Batch.FAILED
    assert batch.claims == 1
    assert Review.objects.get().object_id == batch.pk
    assert not Task.objects.exists()


def test_a_refusal_is_stored_said_and_does_not_stop_the_rest(mei):
    batch = submitted(mei, analysis=analysis(complete("写周报"), create("买牛奶")))

    assert run_next()

    refused = OperationResult.objects.get(op="complete")
    assert refused.status == OperationResult.REFUSED
    assert "没找到“写周报”" in reply(batch)
    assert Task.objects.get().title == "买牛奶"


def test_a_move_keeps_the_task_and_says_both_times(mei):
    task = planned(mei, "开会", soon(days=1))
    batch = submitted(mei, analysis=analysis(move("开会", soon(days=2))))

    assert run_next()

    task.refresh_from_db()
    assert task.start == soon(days=2) or abs((task.start - soon(days=2)).total_seconds()) < 5
    assert "→" in reply(batch)


def test_undo_takes_back_the_whole_last_batch_and_then_the_one_before(mei):
    for actions in ([create("一")], [create("二"), create("三")], [UNDO], [UNDO]):
        submitted(mei, analysis=analysis(*actions))
        assert run_next()

    assert set(Task.objects.filter(status=Task.DELETED).values_list("title", flat=True)) == {"一", "二", "三"}
    assert OperationResult.objects.filter(op="undo", status=OperationResult.SUCCEEDED).count() == 2


def test_undo_of_a_completion_reopens_and_rings_again(mei):
    task = planned(mei, "写周报", soon(hours=1))
    for actions in ([complete("写周报")], [UNDO]):
        submitted(mei, analysis=analysis(*actions))
        assert run_next()

    task.refresh_from_db()
    assert task.status == Task.OPEN
    assert task.reminders.filter(status="PENDING").count() == 1


def test_a_long_list_says_how_many_and_how_to_get_more(mei):
    for n in range(45):
        Task.objects.create(follower=mei, title=f"第{n}件")
    batch = submitted(mei, analysis=analysis(query()))

    assert run_next()

    assert "共 45 件" in reply(batch)
    assert "下一页" in reply(batch)
    assert OperationResult.objects.get().result["total"] == 45


def test_a_task_of_another_follower_does_not_exist(mei, bo):
    planned(bo, "开会")
    batch = submitted(mei, analysis=analysis(delete("开会")))

    assert run_next()

    assert "没找到" in reply(batch)
    assert Task.objects.get().status == Task.OPEN


def test_three_claims_that_fail_end_in_one_notice_and_one_review(mei, clock):
    batch = submitted(mei, analysis={"version": 1, "actions": [{"op": "create", "title": ""}], "chat": ""})

    for _ in range(5):
        run_next()
        clock.forward(minutes=15)

    batch.refresh_from_db()
    assert (batch.status, batch.claims) == (Batch.FAILED, 3)
    assert OutboundMessage.objects.get(batch=batch).key == f"{batch.pk}:failed:1"
    assert "没有任何改动" in reply(batch)
    assert Review.objects.count() == 1


def test_a_failure_after_an_effect_says_what_was_done(mei, clock):
    broken = {"op": "create", "title": ""}
    batch = submitted(mei, analysis=analysis(create("开会"), broken))

    for _ in range(3):
        run_next()
        clock.forward(minutes=15)

    assert "已经办好的" in reply(batch)
    assert "开会" in reply(batch)


def test_a_stale_owner_can_neither_act_nor_finish(mei, clock):
    batch = submitted(mei, analysis=analysis(create("开会")))
    stale = Batch.claim(900).lease
    clock.forward(minutes=16)
    Batch.rescue_next()
    Batch.claim(900)

    from planner.leases import LeaseLost

    with pytest.raises(LeaseLost):
        apply_first(batch, stale, mei)
    with pytest.raises(LeaseLost):
        Batch.finish(stale, Batch.DONE, "done")
    with pytest.raises(LeaseLost):
        Batch.retry(stale, "late error")
    assert not Task.objects.exists()


def test_a_replay_gets_the_stored_result_even_when_the_task_is_gone(mei):
    from planner.actions import Create

    first = apply("create", Create(title="开会"), scope(mei), key="api:one")
    Task.objects.all().update(status=Task.DELETED)

    again = apply("create", Create(title="开会"), scope(mei), key="api:one")

    assert again.replayed
    assert again.digest == first.digest
    assert Task.objects.count() == 1
    with pytest.raises(OperationConflict):
        apply("create", Create(title="别的"), scope(mei), key="api:one")


class Later(Create):
    """A coming version, with one more thing that may be said."""

    colour: str | None = None


def test_a_field_that_a_later_version_adds_leaves_the_hash_as_it_is(mei):
    apply("create", Create(title="开会"), scope(mei), key="api:one")

    assert apply("create", Later(title="开会"), scope(mei), key="api:one").replayed
    with pytest.raises(OperationConflict):
        apply("create", Later(title="开会", colour="red"), scope(mei), key="api:one")


def test_what_an_older_version_stored_with_the_hash_of_its_day_is_a_replay(mei):
    apply("create", Create(title="开会"), scope(mei), key="api:one")
    OperationResult.objects.update(params_hash="of all fields")

    assert apply("create", Create(title="开会"), scope(mei), key="api:one").replayed
    with pytest.raises(OperationConflict):
        apply("create", Create(title="开会", notes="三楼"), scope(mei), key="api:one")


def test_the_analysis_is_stored_once_and_never_replaced(mei):
    stored = analysis(create("开会"))
    batch = submitted(mei, "别的话", analysis=stored)

    assert run_next()

    batch.refresh_from_db()
    assert batch.analysis_json == stored
    assert app_now() > batch.created_at


def test_a_clock_alone_keeps_the_day_of_the_task(mei):
    task = planned(mei, "看牙医", soon(days=3).astimezone(mei.zone).replace(hour=10, minute=0, second=0))
    change = {"op": "update", "target": {"text": "牙医"}, "changes": {"start": soon(days=1).isoformat(), "keep_day": True}}
    submitted(mei, analysis=analysis(change))

    assert run_next()

    day = task.start.astimezone(mei.zone).date()
    task.refresh_from_db()
    assert task.start.astimezone(mei.zone).date() == day
    assert task.version == 2


def test_all_that_fit_are_completed_at_once_and_undone_at_once(mei):
    planned(mei, "一")
    planned(mei, "二")
    for actions in ([{"op": "complete", "target": {"every": True}}], [UNDO]):
        batch = submitted(mei, analysis=analysis(*actions))
        assert run_next()

    assert Task.objects.filter(status=Task.OPEN).count() == 2
    assert "撤销了" in reply(batch)


def test_a_repeat_is_kept_as_a_series_and_said_so(mei):
    weekly = create("例会", soon(days=1), repeat="每周一", rrule="FREQ=WEEKLY;BYDAY=MO")
    batch = submitted(mei, analysis=analysis(weekly))

    assert run_next()

    assert "记下了：每周一" in reply(batch)
    assert Task.objects.get().rrule.startswith("FREQ=WEEKLY;BYDAY=MO;BYHOUR=")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"digest_time": "08:00"}, "每天 08:00 发早报"),
        ({"quiet_hours": "22:00-07:00"}, "等结束了再发"),
        ({"nag": True}, "没完成就反复提醒"),
        ({"default_lead": 15}, "提前15分钟"),
        ({"timezone": "Asia/Tokyo"}, "还是原来的钟点"),
    ],
)
def test_a_setting_is_kept_and_its_answer_says_what_it_does(mei, change, said):
    batch = submitted(mei, analysis=analysis({"op": "set", "changes": change}))

    assert run_next()

    mei.refresh_from_db()
    assert {"timezone": mei.timezone, **mei.preferences}.items() >= change.items()
    assert said in reply(batch)

"""What operators do, and who did it: each act is one compare-and-set that leaves its line in the audit log.

`who` is written in the transaction of the act, so there is no change without a name and no name without a change.
"""

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model

from planner import upstreams
from planner.clock import AppNow
from planner.crashpoints import committing
from planner.models import Alarm, Review
from planner.upstreams import Upstream


def audit(who: User, row: Model, act: str) -> None:
    """One line, for ever: the database refuses to change or delete it (migration 0008). It names the row by number,
    never by what a follower wrote."""
    LogEntry.objects.create(
        user_id=who.pk,
        content_type=ContentType.objects.get_for_model(row),
        object_id=row.pk,
        object_repr=f"{row._meta.verbose_name} {row.pk}",
        action_flag=CHANGE,
        change_message=act,
    )


def settle_reviews(kind: str, object_id: int, resolution: str, who: User) -> None:
    """What was waiting for a person about this object waits no more. In the caller's transaction."""
    Review.objects.filter(kind=kind, object_id=object_id, resolution="").update(
        resolution=resolution, resolved_by=who.get_username(), resolved_at=AppNow()
    )


def resolve(review: Review, who: User) -> bool:
    """«已处理»: settled outside, or nothing to be done. False when somebody was first."""
    with committing("resolve review"):
        settled = {"resolution": "已处理", "resolved_by": who.get_username(), "resolved_at": AppNow()}
        if not Review.objects.filter(pk=review.pk, resolution="").update(**settled):
            return False
        audit(who, review, "标记为已处理")
    return True


def resume(alarm: Alarm, who: User) -> bool:
    """«恢复上游»: it is mended, says the operator; the next call finds out, and raises the alarm anew if it is not."""
    with committing("alarm resumed"):
        still_open = Alarm.objects.filter(pk=alarm.pk, closed_at__isnull=True).exclude(upstream="")
        if not still_open.update(closed_at=AppNow()):
            return False
        audit(who, alarm, "恢复上游")
    upstreams.resume(Upstream(alarm.upstream))
    return True


def close(alarm: Alarm, who: User) -> bool:
    """This row alone: the same matter raised again meanwhile is a new alarm and stays open."""
    with committing("close alarm"):
        if not Alarm.objects.filter(pk=alarm.pk, closed_at__isnull=True).update(closed_at=AppNow()):
            return False
        audit(who, alarm, "关闭警报")
    return True

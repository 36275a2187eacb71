"""The morning's overview: what today holds and what is overdue, once a day, at the follower's hour."""

from datetime import datetime, time, timedelta

from planner import agenda, nearby, series, sql, texts, trace
from planner.crashpoints import committing, reach
from planner.models import Follower
from planner.quiet import end_of_quiet
from planner.reminding import next_digest
from webhook.outbox import enqueue

DUE = """
    SELECT id, timezone, preferences, unfollowed_at, digest_at, app_now() FROM planner_follower
    WHERE digest_at <= app_now() ORDER BY digest_at, id LIMIT 1 FOR UPDATE SKIP LOCKED"""
_NEXT = "UPDATE planner_follower SET digest_at = %s WHERE id = %s"
LATE = timedelta(minutes=30)


def digest_next() -> bool:
    """Hands over one digest that is due. False when none is. A day has one, by its key, whoever scans."""
    with committing("digest"):
        found = sql.row(DUE)
        if found is None:
            return False
        pk, timezone, preferences, unfollowed_at, due_at, now = found
        follower = Follower(id=pk, timezone=timezone, preferences=sql.loads(preferences), unfollowed_at=unfollowed_at)
        _day_of(follower, sql.moment(due_at), sql.clock(now))
    return True


def _day_of(follower: Follower, due_at: datetime, now: datetime) -> None:
    """One that comes late speaks of today, not of the days that were missed; in quiet hours it waits for their end."""
    quiet_until = end_of_quiet(now, follower) if now - due_at > LATE else None
    sql.execute(_NEXT, (quiet_until or next_digest(follower, now), follower.pk))
    reach("digest:planned")
    if quiet_until is None and not follower.unfollowed_at:
        _send(follower, now)


def _send(follower: Follower, now: datetime) -> None:
    zone = follower.zone
    day = series.wall(now, zone).date()
    begins, ends = (series.instant(datetime.combine(day + timedelta(days=n), time()), zone) for n in (0, 1))
    today = nearby.occupied(follower, begins, ends)
    on = {task.pk for task in today}
    overdue = agenda.listing(follower, agenda.Range(end=begins, status="overdue"))
    late = [task for task in overdue.tasks if task.pk not in on]
    if not today and not late:
        return
    text = texts.render(
        "digest",
        day=texts.day(now, zone),
        lines=[(texts.clock(task, zone), task.title) for task in today[: agenda.PAGE]],
        total=len(today),
        late=[(texts.planned(task, zone), task.title) for task in late],
        overdue=overdue.total - (len(overdue.tasks) - len(late)),
    )
    key = f"digest:{follower.pk}:{day:%Y-%m-%d}"
    enqueue(key=key, follower_id=follower.pk, purpose="digest", text=text, trace_id=trace.new_trace_id())

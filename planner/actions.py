"""The parameters of every operation: an action of `analysis_json` (version 1), absolute and checked.

Every instant is aware and computed from when the message was sent, in the follower's zone: a retry after midnight
means the same day. `when`, `repeat` and `remind` keep the follower's own words.
"""

from datetime import time
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Part(BaseModel):
    """Unknown fields are dropped; a wrong one is an error that names its path."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Target(Part):
    """Which task is meant, in the follower's words; never an id.

    `start`/`end` are the day or instant that `when` resolved to; `position` is 「第二个」 (from 1) in what was last
    listed, -1 its last; `every` means all that fit but those that `but` names, and deletes only after the follower's
    explicit yes. `any_day`: a clock time or a part of the day was named and no day. `unnamed`: nothing says which one,
    so it is asked.

    `series`, of a task that repeats: the whole of it (True), or one turn alone (False); None where the words do not
    say. With a day (`start`) it is that day's turn.
    """

    text: str = ""
    when: str | None = None
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    position: int | None = None
    every: bool = False
    but: str = ""
    any_day: bool = False
    unnamed: bool = False
    series: bool | None = None
    chosen: int | None = None  # the task the follower picked from the options; set by his stored answer alone
    turn: AwareDatetime | None = None  # of what he picked: the turn as it was shown


class Create(Part):
    """`end` is exclusive. `remind` holds the words, `remind_at` the absolute moments among them; a lead («提前10分钟»)
    stays in words alone, so that it moves with the task."""

    op: Literal["create"] = "create"
    title: Annotated[str, Field(min_length=1, max_length=200)]
    when: str | None = None
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    all_day: bool = False
    remind: list[str] = []
    remind_at: list[AwareDatetime] = []
    repeat: str | None = None
    rrule: str | None = None
    notes: Annotated[str, Field(max_length=2000)] = ""
    resolved_by: Literal["resolver", "model"] = "resolver"


class Changes(Part):
    """Only what is named changes. `keep_clock`: the words named a day alone, the task keeps its time of day;
    `keep_day`: a clock alone, it keeps its day; `keep_week`: «不是周三，是周四», the day is one of the task's own week;
    `either_half`: «改到九点», morning or evening, whichever is nearer to what it was.
    `instead_of`: the words of the old title that `title` takes the place of; all of it when empty.
    `shift_seconds`: «推后一小时», relative to the task's own start.
    `remind_days`: «前一天晚上八点提醒», days before the task's own and the clock there."""

    title: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    when: str | None = None
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    all_day: bool | None = None
    keep_clock: bool = False
    keep_day: bool = False
    keep_week: bool = False
    either_half: bool = False
    instead_of: str = ""
    shift_seconds: int | None = None
    remind: list[str] | None = None
    remind_at: list[AwareDatetime] | None = None
    repeat: str | None = None
    rrule: str | None = None
    notes: Annotated[str, Field(max_length=2000)] | None = None
    remind_days: list[tuple[int, time]] | None = None
    resolved_by: Literal["resolver", "model"] = "resolver"


class Update(Part):
    op: Literal["update"] = "update"
    target: Target
    changes: Changes


class Complete(Part):
    op: Literal["complete"] = "complete"
    target: Target


class Reopen(Part):
    op: Literal["reopen"] = "reopen"
    target: Target


class Delete(Part):
    """`confirmed`: exactly the tasks that the follower's yes was about; set by his stored answer alone."""

    op: Literal["delete"] = "delete"
    target: Target
    confirmed: list[int] | None = None


class Query(Part):
    """Open tasks in [start, end), or all when both are null. `page` counts from 1. `status`: open · done · overdue.

    `free` asks for the hours without any.
    """

    op: Literal["query"] = "query"
    range: str = ""
    start: AwareDatetime | None = None
    end: AwareDatetime | None = None
    text: str = ""
    status: Literal["open", "done", "overdue"] = "open"
    page: Annotated[int, Field(ge=1, le=1000)] = 1
    free: bool = False


class Snooze(Part):
    op: Literal["snooze"] = "snooze"
    target: Target = Target()
    when: str | None = None
    at: AwareDatetime | None = None


class Undo(Part):
    op: Literal["undo"] = "undo"


class Preferences(Part):
    timezone: str | None = None
    digest_time: str | None = None
    quiet_hours: str | None = None
    default_lead: int | None = None
    nag: bool | None = None


class Set(Part):
    op: Literal["set"] = "set"
    changes: Preferences

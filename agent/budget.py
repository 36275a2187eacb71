"""How much the model may still cost today: for one follower and for all, counted in rows that all processes share.

The last call of a day may go over: what a call costs is known when it has been made.
"""

from datetime import date
from zoneinfo import ZoneInfo

from django.conf import settings

from planner import counters, sql
from planner.alarms import close_alarm, raise_alarm
from planner.clock import app_now
from planner.crashpoints import committing, statement
from planner.errors import Effect, Failure, Retry

USED_UP = "budget"
EVERYBODY = 0

_ADD = """
    INSERT INTO planner_modeluse (day, follower_id, calls, tokens) VALUES (%s, %s, 1, %s)
    ON CONFLICT (day, follower_id) DO UPDATE
    SET calls = planner_modeluse.calls + 1, tokens = planner_modeluse.tokens + excluded.tokens RETURNING calls"""


def check(follower_id: int) -> None:
    """Raises Failure when this follower, or all together, have used up their day."""
    found = sql.rows(
        "SELECT follower_id, tokens FROM planner_modeluse WHERE day = %s AND follower_id IN (%s, %s)",
        (_today(), EVERYBODY, follower_id),
    )
    used = {int(who): int(tokens) for who, tokens in found}
    if 0 < settings.LLM_DAILY_TOKENS <= used.get(EVERYBODY, 0):
        with statement("budget alarm"):
            raise_alarm("llm:budget", "模型今天的总用量到了 LLM_DAILY_TOKENS，零点恢复；其间由规则处理。")
        raise _used_up("all", "今天的模型总用量已用完")
    if 0 < settings.LLM_DAILY_TOKENS_PER_FOLLOWER <= used.get(follower_id, 0):
        with statement("follower's budget alarm"):
            raise_alarm("llm:budget-follower", "有关注者用完了今天的模型用量（LLM_DAILY_TOKENS_PER_FOLLOWER）。")
        raise _used_up("follower", "这位关注者今天的模型用量已用完")


def spend(follower_id: int, tokens: int) -> None:
    """One call more. With the day's first the alarms of the day before are over."""
    today = _today()
    with committing("model use"):
        sql.row(_ADD, (today, follower_id, tokens))
        first = sql.row(_ADD, (today, EVERYBODY, tokens))  # last: all processes meet here
        if first and first[0] == 1:
            close_alarm("llm:budget")
            close_alarm("llm:budget-follower")


def _today() -> date:
    return app_now().astimezone(ZoneInfo(settings.TIME_ZONE_DEFAULT)).date()


def _used_up(scope: str, reason: str) -> Failure:
    counters.count("budget", scope=scope)
    return Failure(reason, retry=Retry.NEVER, effect=Effect.NONE, code=USED_UP, upstream="llm")

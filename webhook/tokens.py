"""The account's access_token: one row for all processes, fetched by one of them, never in a loop.

Whoever sets `fetching_until` fetches; everybody else gives his work back for a moment instead of waiting. A token that
WeChat refused is renewed once per failure, and only while the stored one is still the one that failed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import NoReturn, TypeVar

from django.conf import settings

from planner import counters, sql
from planner.alarms import close_alarm, raise_alarm
from planner.clock import CHINA, app_now
from planner.crashpoints import committing, outside, statement
from planner.errors import Failure, Retry
from planner.upstreams import Upstream
from webhook.wechat import WeChat, token_down

T = TypeVar("T")
MARGIN_SECONDS = 300  # stable_token hands out the next token from five minutes before the end
FETCH_SECONDS = 20
FORCE_SECONDS = 30  # WeChat: force_refresh at most every 30 s, 20 a day
FORCES_A_DAY = 18  # two are left for a person
BLOCK_SECONDS = 60  # after an answer that only a person can mend
ELSEWHERE = "访问令牌刚换又失效：可能有别的程序在刷新同一账号的令牌，请停掉它，或让它也改用 stable_token"
FORCED_OUT_SECONDS = 600
FORCED_OUT = "今天强制刷新访问令牌的次数已用完：令牌反复失效，请查是否有别的程序在刷新。额度在微信零点恢复。"
_FORCED = """, forced_at = app_now(), forced_day = %s,
    forced_count = CASE WHEN forced_day = %s THEN forced_count + 1 ELSE 1 END"""
_MAY_FORCE = """ AND (forced_at IS NULL OR forced_at < app_later(%s))
    AND (forced_day IS NULL OR forced_day <> %s OR forced_count < %s)"""


def _today() -> date:
    """WeChat's, whose quotas turn at midnight in China."""
    return app_now().astimezone(CHINA).date()


@dataclass
class Tokens:
    wechat: WeChat

    def current(self) -> str:
        """The stored token, or a fetched one. Raises Failure (effect none)."""
        return self._stored(but="") or self._fetch(failed="", force=False)

    def used_for(self, request: Callable[[str], T]) -> T:
        """What `request` makes of the token; a refused one is renewed and the request repeated, once."""
        token = self.current()
        try:
            return request(token)
        except Failure as failure:
            if failure.retry is not Retry.NOW:
                raise
        fresh = self.renewed(token)
        try:
            return request(fresh)
        except Failure as failure:
            if failure.retry is Retry.NOW:
                raise self._killed_elsewhere(fresh, failure) from None
            raise

    def at_hand(self) -> bool:
        """Is there one, so that nothing needs to be fetched?"""
        return bool(self._stored(but=""))

    def renewed(self, failed: str) -> str:
        """After WeChat refused `failed`: another process's newer one, or the one fetch that this failure is worth."""
        if stored := self._stored(but=failed):
            return stored
        token = self._fetch(failed=failed, force=False)
        return self._fetch(failed=failed, force=True) if token == failed else token

    def _stored(self, *, but: str) -> str:
        found = sql.row(
            "SELECT token FROM webhook_accesstoken WHERE app_id = %s AND token <> %s AND expires_at > app_now()",
            (self._app, but),
        )
        return str(found[0]) if found else ""

    def _killed_elsewhere(self, token: str, failure: Failure) -> Failure:
        """A fresh token was refused as well: no third try, or two programs would take turns in killing each other's."""
        with statement("token alarm"):
            raise_alarm("wechat:token-elsewhere", ELSEWHERE)
        self._rest(token, BLOCK_SECONDS)
        return token_down(f"{failure.reason}，刚换过", retry_after=BLOCK_SECONDS)

    @property
    def _app(self) -> str:
        return settings.WECHAT_APP_ID

    def _fetch(self, *, failed: str, force: bool) -> str:
        if not self._take(failed=failed, force=force):
            if stored := self._stored(but=failed):
                return stored
            self._rests(failed=failed, force=force)
        counters.count("token_fetches", forced=str(force).lower())
        try:
            with outside("token"):
                token, life = self.wechat.fetch_token(force=force)
        except Failure as failure:
            self._failed(failure)
            raise
        with committing("token stored"):
            sql.execute(
                "UPDATE webhook_accesstoken SET token = %s, expires_at = app_later(%s), fetching_until = NULL,"
                " blocked_until = NULL WHERE app_id = %s",
                (token, max(30.0, life - MARGIN_SECONDS), self._app),
            )
            close_alarm("wechat:token")
        return token

    def _take(self, *, failed: str, force: bool) -> bool:
        """Becomes the one who fetches; not if somebody else is at it, has just done it, or all must rest."""
        with statement("token row"):
            sql.execute(
                "INSERT INTO webhook_accesstoken (app_id, token, fetches, forced_count) VALUES (%s, '', 0, 0)"
                " ON CONFLICT (app_id) DO NOTHING",
                (self._app,),
            )
        sets, condition, day = (_FORCED, _MAY_FORCE, (_today(),)) if force else ("", "", ())
        limits = (-FORCE_SECONDS, *day, FORCES_A_DAY) if force else ()
        take = f"""
            UPDATE webhook_accesstoken SET fetching_until = app_later(%s), fetches = fetches + 1{sets}
            WHERE app_id = %s AND (token IN ('', %s) OR expires_at < app_now())
            AND (fetching_until IS NULL OR fetching_until < app_now())
            AND (blocked_until IS NULL OR blocked_until < app_now()){condition}"""
        with statement("token turn"):
            return sql.execute(take, (FETCH_SECONDS, *day, *day, self._app, failed, *limits)) == 1

    def _rests(self, *, failed: str, force: bool) -> NoReturn:
        """Raises, always: no token now. One that cannot even be forced away yet is dropped, so that nobody tries it."""
        if force and self._forced_out():
            with statement("forced out alarm"):
                raise_alarm("wechat:token-forced", FORCED_OUT)
            self._rest(failed, FORCED_OUT_SECONDS)
        elif force and self._later("forced_at", -FORCE_SECONDS):
            self._rest(failed, FORCE_SECONDS)
        raise token_down("访问令牌正在获取，或暂停获取", retry_after=10 if self._later("blocked_until", 5) else 0.5)

    def _forced_out(self) -> bool:
        found = "SELECT 1 FROM webhook_accesstoken WHERE app_id = %s AND forced_day = %s AND forced_count >= %s"
        return sql.row(found, (self._app, _today(), FORCES_A_DAY)) is not None

    def _later(self, column: str, seconds: float) -> bool:
        statement = f"SELECT 1 FROM webhook_accesstoken WHERE app_id = %s AND {column} > app_later(%s)"
        return sql.row(statement, (self._app, seconds)) is not None

    def _rest(self, dead: str, seconds: float) -> None:
        """Drops the dead token and keeps everybody from fetching for a while: what needs one waits, and WeChat is left
        alone. Not if another process has stored a newer one meanwhile."""
        drop = """
            UPDATE webhook_accesstoken SET token = '', blocked_until = app_later(%s) WHERE app_id = %s AND token = %s"""
        with statement("token dropped"):
            sql.execute(drop, (seconds, self._app, dead))

    def _failed(self, failure: Failure) -> None:
        operator = failure.retry is Retry.OPERATOR
        with committing("token refused"):
            sql.execute(
                "UPDATE webhook_accesstoken SET fetching_until = NULL, blocked_until = app_later(%s) WHERE app_id = %s",
                (BLOCK_SECONDS if operator else 1, self._app),
            )
            if operator:
                raise_alarm("wechat:token", failure.reason + "。改好后会自动恢复。", upstream=Upstream.TOKEN)

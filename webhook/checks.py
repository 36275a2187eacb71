"""WeChat's part of `doctor`: keys, token and IP list, template."""

import base64
from collections.abc import Iterator

from django.conf import settings
from django.db import Error as DatabaseError

from planner.errors import Failure
from planner.findings import Finding, bad, note, ok
from webhook.kinds import abilities
from webhook.tokens import Tokens
from webhook.wechat import WeChat


def checks() -> Iterator[Finding]:
    if missing := [n for n in ("WECHAT_APP_ID", "WECHAT_APP_SECRET", "WECHAT_TOKEN") if not getattr(settings, n)]:
        yield bad("WeChat", ", ".join(missing) + " not set: see docs/connecting.md")
        return
    if settings.WECHAT_ACCOUNT_KIND == "unverified":
        yield note(
            "WECHAT_ACCOUNT_KIND",
            "an unverified account cannot push: answers come with the follower's own messages, reminders with the next"
            " one. Run the web under ASGI, where a held message costs no thread",
        )
    yield _aes_key()
    wechat = WeChat()
    try:
        token = Tokens(wechat).current()
    except Failure as failure:
        yield bad("WeChat token", failure.reason)
        return
    except DatabaseError:
        return  # the database's own line says so
    yield ok("WeChat token", "fetched: AppID, AppSecret and this server's IP are accepted")
    yield from _template(wechat, token)


def _aes_key() -> Finding:
    if not settings.WECHAT_AES_KEY:
        return note(
            "WECHAT_AES_KEY", "is empty: in plain mode whoever saw one address can speak as anybody. Use safe mode"
        )
    try:
        length = len(base64.b64decode(settings.WECHAT_AES_KEY + "=", validate=True))
    except ValueError:
        length = 0
    if len(settings.WECHAT_AES_KEY) != 43 or length != 32:
        return bad("WECHAT_AES_KEY", "must be the 43 letters and digits that the WeChat console shows")
    return ok("WECHAT_AES_KEY", "safe mode: plain bodies are refused")


def _template(wechat: WeChat, token: str) -> Iterator[Finding]:
    template_id, fields = settings.WECHAT_REMINDER_TEMPLATE_ID, settings.WECHAT_REMINDER_TEMPLATE_FIELDS
    if not template_id:
        yield note("template", "none is configured: reminders go as customer messages, within 48 hours only")
        return
    if not abilities().template:
        yield bad("template", f"a {settings.WECHAT_ACCOUNT_KIND} account has no template messages: empty the setting")
        return
    try:
        templates = wechat.templates(token)
    except Failure as failure:
        yield bad("template", failure.reason)
        return
    yield _compare(templates.get(template_id), fields)


def _compare(content: str | None, fields: dict[str, str]) -> Finding:
    if content is None:
        return bad("template", "the id is not among this account's templates: copy it from the console")
    if not fields:
        return bad("template", "WECHAT_REMINDER_TEMPLATE_FIELDS is empty: e.g. thing1=title,time2=when")
    if wrong := [key for key in fields if f"{{{{{key}.DATA}}}}" not in content]:
        return bad("template", f"the template has no field {', '.join(wrong)}; it reads: {' '.join(content.split())}")
    return ok("template", "is this account's, and has all the fields named")

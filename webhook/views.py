"""`/wechat/callback`: WeChat's verification, messages and events."""

import logging
import time
from dataclasses import dataclass
from itertools import product

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from planner import counters, trace
from planner.alarms import raise_alarm
from planner.crashpoints import reach, statement
from planner.limits import buckets
from webhook import inbox, protocol
from webhook.holding import hold_in_thread
from webhook.incoming import Incoming, Kind, read
from webhook.passive import Undecided
from webhook.plain import is_number
from webhook.protocol import Account, Refusal, Unreadable

PATH = "/wechat/callback"
log = logging.getLogger(__name__)
PLAIN = "text/plain; charset=utf-8"


def account() -> Account:
    return accounts()[0]


def accounts() -> list[Account]:
    """The current one, then those with a token or key that is being rotated out."""
    tokens = [settings.WECHAT_TOKEN, *settings.WECHAT_TOKEN_FALLBACKS]
    keys = [settings.WECHAT_AES_KEY, *(settings.WECHAT_AES_KEY_FALLBACKS if settings.WECHAT_AES_KEY else [])]
    skew = settings.WECHAT_TIMESTAMP_SKEW_SECONDS
    return [Account(settings.WECHAT_APP_ID, token, key, skew) for token, key in product(tokens, keys)]


@dataclass(frozen=True)
class Taken:
    """A message that is stored, and whose answer is to be decided."""

    held: Undecided
    incoming: Incoming
    ours: Account
    query: dict[str, str]


@csrf_exempt
def callback(request: HttpRequest) -> HttpResponse:
    """Under WSGI; webhook/door.py does the same under ASGI."""
    taken = take(request)
    return taken if isinstance(taken, HttpResponse) else answered(taken, hold_in_thread(taken.held))


def answered(taken: Taken, text: str | None) -> HttpResponse:
    """None: WeChat is to deliver it once more, and has long cut this delivery off."""
    if text is None:
        return HttpResponse("not yet", status=503, content_type=PLAIN)
    return _answer(taken.incoming, taken.ours, taken.query, text) if text else success()


def take(request: HttpRequest) -> HttpResponse | Taken:
    """403 for what is not proven to be WeChat's, 400 for what is no body of a message, `success` for what is signed and
    needs no answer, 500 when the message could not be stored — so that WeChat delivers it again."""
    query, now = request.GET.dict(), time.time()
    try:
        known = accounts()
        ours, _ = protocol.by_any(known, lambda one: protocol.check_query(one, query, now=now))
        if request.method == "GET":
            return HttpResponse(query.get("echostr", ""), content_type=PLAIN)
        if request.method != "POST":
            return HttpResponse(status=405)
        return _post(request, [one for one in known if one.token == ours.token], query)
    except Refusal as error:
        counters.count("refusals", reason=str(error))
        log.warning("refused", extra={"reason": str(error), "method": request.method})
        return HttpResponse("forbidden", status=403, content_type=PLAIN)


def _post(request: HttpRequest, ours: list[Account], query: dict[str, str]) -> HttpResponse | Taken:
    body = _body(request)
    if body is None:
        log.warning("body too large or broken off")
        return HttpResponse("bad request", status=400, content_type=PLAIN)
    try:
        return _take_in(ours, query, body)
    except DatabaseError as error:
        connection.close()
        log.error("message not stored", extra={"error": type(error).__name__})
        return HttpResponse("not stored", status=500, content_type=PLAIN)


def _body(request: HttpRequest) -> bytes | None:
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not is_number(length) or int(length) > protocol.MAX_BODY:
        return None
    try:
        body = request.body
        return body if len(body) <= protocol.MAX_BODY else None
    except OSError:  # the peer went away, or the body is larger than it said
        return None


def _take_in(known: list[Account], query: dict[str, str], body: bytes) -> HttpResponse | Taken:
    ours = known[0]
    try:
        ours, fields = protocol.by_any(known, lambda one: protocol.open_body(one, query, body))
        incoming = read(ours.app_id, fields)
    except Unreadable as error:
        return _unreadable(ours, body, error)
    if incoming.kind is Kind.UNKNOWN:
        log.info("event ignored", extra={"detail": incoming.detail.split(" ")[0]})
        return success()
    reach("door:verified")
    token = trace.current.set("")
    try:
        answer = _accept(incoming, ours.app_id) if _in_measure(incoming) else _too_fast(incoming)
    finally:
        trace.current.reset(token)
    reach("door:answering")
    if isinstance(answer, Undecided):
        return Taken(answer, incoming, ours, query)
    return _answer(incoming, ours, query, answer) if answer else success()


def _unreadable(ours: Account, body: bytes, error: Unreadable) -> HttpResponse:
    """In plain mode the signature does not cover the body, so garbage is a bad request; an authentic body that nobody
    can read will never become readable: `success`, and an alarm."""
    log.warning("unreadable body", extra={"reason": str(error), "bytes": len(body)})
    counters.count("refusals", reason="unreadable")
    if not ours.aes_key:
        return HttpResponse("bad request", status=400, content_type=PLAIN)
    text = (error.text or body)[:4096].decode(errors="replace")
    with statement("unreadable"):
        raise_alarm("webhook:unreadable", f"签名正确但无法解析的消息（{error}），前 4 kB：\n{text}")
    return success()


def _in_measure(incoming: Incoming) -> bool:
    return incoming.is_event or buckets("door", settings.FOLLOWER_MINUTE_MESSAGES).admits(incoming.openid)


def _too_fast(incoming: Incoming) -> str | Undecided:
    """One look: a redelivery of what was taken in keeps its answer."""
    known = inbox.stored(incoming)
    return inbox.declined_answer(incoming, "too_many") if known is None else known


def _accept(incoming: Incoming, app_id: str) -> str | Undecided:
    """Once more on a fresh connection when the kept one has died, as after a restart of the database: the first message
    must not pay for it, and its key makes the repeat harmless."""
    try:
        return inbox.accept(incoming, app_id)
    except DatabaseError:
        if connection.in_atomic_block or connection.is_usable():
            raise
        connection.close()
    return inbox.accept(incoming, app_id)


def _answer(incoming: Incoming, ours: Account, query: dict[str, str], text: str) -> HttpResponse:
    """The passive answer, encrypted whenever the request was."""
    xml = protocol.reply(to=incoming.openid, sender=incoming.account, text=text)
    if ours.aes_key:
        now = str(int(time.time()))
        xml = protocol.encrypt(ours, xml, nonce=query.get("nonce", ""), timestamp=now)
    return HttpResponse(xml, content_type="application/xml; charset=utf-8")


def success() -> HttpResponse:
    return HttpResponse("success", content_type=PLAIN)

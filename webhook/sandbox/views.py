"""The demo's chat page, and its way to the sandbox server: same origin, so that the page needs no other address."""

import base64
import http.client
import json
import re
import secrets
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webhook.sandbox.phones import MAX_SOUND

OPENID = re.compile(r"o[A-Za-z0-9_]{27}")
ACTIONS = ("say", "speak", "tap", "follow", "unfollow")
POLL_SECONDS = 20
ABSENT = "微信仿真没有启动：请用 python3 manage.py demo"
SUGGESTIONS = ("周三下午三点和客户开会", "今天有什么安排", "10秒后提醒我喝水", "撤销")


@require_http_methods(["GET", "HEAD", "POST"])
def phones(request: HttpRequest) -> HttpResponse:
    """GET goes to the latest follower's chat; POST makes a new follower."""
    status, answer = _ask("POST" if request.method == "POST" else "GET", "/phones")
    if status == 200 and not answer["openid"]:
        status, answer = _ask("POST", "/phones")
    if status != 200:
        return HttpResponse(ABSENT, status=502, content_type="text/plain; charset=utf-8")
    return HttpResponseRedirect(f"/sandbox/{answer['openid']}/")


@require_safe
@ensure_csrf_cookie
def page(request: HttpRequest, openid: str) -> HttpResponse:
    status, _ = _ask("GET", f"/phones/{_checked(openid)}/chat")
    if status == 404:  # a follower of an earlier run: there is a newer one
        return HttpResponseRedirect("/sandbox/")
    nonce = secrets.token_urlsafe(16)
    context = {"nonce": nonce, "suggestions": SUGGESTIONS, "zone": settings.TIME_ZONE_DEFAULT}
    response = render(request, "sandbox/chat.html", context)
    response["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
        "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


@require_safe
def chat(request: HttpRequest, openid: str) -> JsonResponse:
    """What is new behind `after`; waits for it."""
    after = request.GET.get("after", "0")
    if not after.isdecimal() or len(after) > 9:
        return JsonResponse({"error": "after"}, status=400)
    wait = POLL_SECONDS if request.GET.get("wait") == "1" else 0
    status, answer = _ask("GET", f"/phones/{_checked(openid)}/chat?" + urlencode({"after": int(after), "wait": wait}))
    return JsonResponse(answer, status=status)


@require_POST
def act(request: HttpRequest, openid: str, action: str) -> JsonResponse:
    if action not in ACTIONS:
        raise Http404
    data = _spoken(request) if action == "speak" else {"text": request.POST.get("text", "")}
    if data is None:
        return JsonResponse({"error": "语音要有内容，最多 2 MB"}, status=400)
    status, answer = _ask("POST", f"/phones/{_checked(openid)}/{action}", data)
    return JsonResponse(answer, status=status)


def _spoken(request: HttpRequest) -> dict[str, Any] | None:
    """The recording, or any file; None for what WeChat would not take."""
    file, seconds = request.FILES.get("audio"), request.POST.get("seconds", "1")
    if not isinstance(file, UploadedFile) or not 0 < (file.size or 0) <= MAX_SOUND:
        return None
    known = int(seconds) if seconds.isascii() and seconds.isdecimal() and len(seconds) < 3 else 1
    return {"audio": base64.b64encode(file.read()).decode(), "seconds": known}


def _checked(openid: str) -> str:
    if not OPENID.fullmatch(openid):
        raise Http404
    return openid


def _ask(method: str, path: str, data: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
    """One call of the sandbox server; 502 when it does not answer."""
    base = urlsplit(settings.WECHAT_API_BASE)
    connection = http.client.HTTPConnection(base.hostname or "", base.port, timeout=POLL_SECONDS + 10)
    body = json.dumps(data).encode() if data is not None else None
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return 502, {"error": "sandbox"}
    finally:
        connection.close()

"""For monitors: alive, ready, and the figures."""

import hmac
import ipaddress

from celery import current_app
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from kombu.exceptions import OperationalError as BrokerError

from planner import sql


def healthz(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


def readyz(request: HttpRequest) -> HttpResponse:
    """503 with what is missing. A broker that is away delays work and loses none, yet traffic should go elsewhere."""
    missing = [name for name, check in (("database", _database), ("broker", _broker)) if not check()]
    body = {"status": "ready"} if not missing else {"status": "not ready", "missing": missing}
    return JsonResponse(body, status=503 if missing else 200)


def _database() -> bool:
    try:
        return sql.row("SELECT 1 FROM django_migrations WHERE app = 'webhook' LIMIT 1") is not None
    except DatabaseError:
        connection.close()
        return False


def _broker() -> bool:
    if not settings.REDIS_URL:
        return True
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
    except (OSError, BrokerError):
        return False
    return True


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text; from this machine, or with METRICS_TOKEN as bearer."""
    if not _may_read(request):
        return HttpResponse("forbidden", status=403, content_type="text/plain")
    from planner.metrics import exposition  # noqa: PLC0415 - prometheus_client: 0.05 s that the door does without

    return HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read(request: HttpRequest) -> bool:
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if settings.METRICS_TOKEN and hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode()):
        return True
    # A request that a proxy passed on comes from loopback too, but says for whom.
    forwarded = "HTTP_X_FORWARDED_FOR" in request.META or "HTTP_FORWARDED" in request.META
    try:
        return not forwarded and ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False

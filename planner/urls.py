"""Every address of the service. Composition root."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path

from planner import health
from webhook.views import callback

admin.site.site_header = admin.site.site_title = "日程助手"
admin.site.index_title = "运营后台"



def _at_first_use(urlconf: str, namespace: str) -> tuple[str, str, str]:
    """Like `include`, but imported when the first such request comes: 25 MB that the door and the admin do without."""
    return urlconf, namespace, namespace


urlpatterns = [
    path("wechat/callback", callback),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("admin/", admin.site.urls),
    path("api/", _at_first_use("planner.api", "api")),
    re_path(r"^(?=agent/|tools/)", _at_first_use("agent.api", "agent")),
]
if settings.SANDBOX:
    urlpatterns.append(path("sandbox/", include("webhook.sandbox.urls")))

"""Every address of the service. Composition root."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

from planner import health
from webhook.views import callback

admin.site.site_header = admin.site.site_title = "日程助手"
admin.site.index_title = "运营后台"

urlpatterns = [
    path("wechat/callback", callback),
    path("healthz", health.healthz),
    path("readyz", health.readyz),
    path("metrics", health.metrics),
    path("admin/", admin.site.urls),
    path("api/", include("planner.api")),
    path("", include("agent.api")),
]
if settings.SANDBOX:
    urlpatterns.append(path("sandbox/", include("webhook.sandbox.urls")))

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.settings")
os.environ.setdefault("PLANNER_ROLE", "web")
os.environ.setdefault("DB_POOL", "1")  # threads of an event loop's pool come and go; connections should not

from planner.loading import loading

with loading():
    from django.core.asgi import get_asgi_application

    django_application = get_asgi_application()

    from planner.celery import app as celery_app  # the doorbells' way out
    from planner.undelayed import Undelayed
    from planner.urls import urlpatterns  # the views, which the first request would wait for
    from webhook.door import Door

application = Undelayed(Door(django_application))

__all__ = ["application", "celery_app", "urlpatterns"]

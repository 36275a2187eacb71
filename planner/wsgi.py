import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.settings")
os.environ.setdefault("PLANNER_ROLE", "web")

from planner.loading import loading

with loading():
    from django.core.wsgi import get_wsgi_application

    application = get_wsgi_application()

    from planner.celery import app as celery_app  # the doorbells' way out
    from planner.urls import urlpatterns  # the views, which the first request would wait for

__all__ = ["application", "celery_app", "urlpatterns"]

"""The imports that a process of that kind cannot do without, on bare Django."""

_DJANGO = """
from django.conf import settings
settings.configure(USE_TZ=True, INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes",
    "django.contrib.sessions", "django.contrib.messages", "django.contrib.admin", "rest_framework"],
    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "x"}})
import django; django.setup()
import rest_framework.views, psycopg
import wechatpy; from wechatpy.utils import check_signature
"""
_CELERY = "import celery; from celery.apps import worker; import kombu.transport.redis\n"
WEB = _DJANGO
LIGHT = _DJANGO + _CELERY
BATCHES = LIGHT + "from langgraph.graph import StateGraph\n"

"""The least that a durable webhook must do, on bare Django: signature, parse, one insert and one update in one
transaction, on persistent connections."""

import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, transaction
from django.http import HttpResponse, HttpResponseForbidden
from django.urls import path
from wechatpy import parse_message
from wechatpy.exceptions import InvalidSignatureException
from wechatpy.utils import check_signature

from benchmarks.rig import TOKEN
from planner.env import database

SCHEMA = """
    CREATE TABLE floor_message (id bigserial PRIMARY KEY, key text UNIQUE NOT NULL, follower text NOT NULL,
        kind text NOT NULL, body text NOT NULL, answer text NOT NULL DEFAULT '', sent_at timestamptz NOT NULL,
        trace_id uuid NOT NULL DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE floor_batch (follower text PRIMARY KEY, available_at timestamptz NOT NULL, messages int NOT NULL);
    INSERT INTO floor_batch
        SELECT 'o-follower-' || lpad(n::text, 16, '0'), now(), 0 FROM generate_series(0, 999) n;
"""
STORE = """
    INSERT INTO floor_message (key, follower, kind, body, sent_at) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT (key) DO NOTHING RETURNING answer"""
JOIN = """
    UPDATE floor_batch SET available_at = now() + interval '3 seconds', messages = messages + 1 WHERE follower = %s"""


def callback(request):
    query = request.GET
    try:
        check_signature(TOKEN, query.get("signature", ""), query.get("timestamp", ""), query.get("nonce", ""))
    except InvalidSignatureException:
        return HttpResponseForbidden()
    message = parse_message(request.body)
    row = [f"msg:{message.id}", message.source, message.type, message.content, message.create_time.astimezone()]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE, row)
        if cursor.fetchone() is not None:
            cursor.execute(JOIN, [message.source])
    return HttpResponse("success")


urlpatterns = [path("wechat/callback", callback)]


def application():
    address = database(os.environ["DATABASE_URL"], sqlite_file="", options={})
    settings.configure(
        SECRET_KEY="floor",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        MIDDLEWARE=[],
        INSTALLED_APPS=[],
        DATABASES={"default": {**address, "CONN_MAX_AGE": None}},
    )
    django.setup()
    return get_wsgi_application()

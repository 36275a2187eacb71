"""Row-level security for what is a follower's own (planner/walls.py). Another program's role in this database, and an
operation that forgot for whom it is, see nothing of it."""

from importlib import import_module

from django.db import migrations

on_postgres = import_module("planner.migrations.0002_clock").on_postgres

TABLES = (
    "planner_task",
    "planner_reminder",
    "planner_operationresult",
    "webhook_batch",
    "webhook_inboundmessage",
    "webhook_outboundmessage",
    "webhook_voiceclip",
)
# A CASE, for Postgres then thinks that half of the rows may be seen; with «=» it expects next to none, and reads the
# whole table for a page of fifty.
BUILD = """
    CREATE POLICY own_follower ON {table} USING (
        CASE current_setting('planner.follower', true)
            WHEN 'all' THEN true ELSE follower_id::text = current_setting('planner.follower', true) END);
    ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
"""
TAKE_DOWN = """
    ALTER TABLE {table} DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY;
    DROP POLICY own_follower ON {table};
"""


def each(words):
    return on_postgres("".join(words.format(table=table) for table in TABLES))


class Migration(migrations.Migration):
    dependencies = [("planner", "0009_refused"), ("webhook", "0005_voice")]
    operations = [migrations.RunPython(each(BUILD), each(TAKE_DOWN))]

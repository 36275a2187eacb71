"""`app_now()` and `app_later(seconds)`: the clock of every lease, expiry and due time (planner/clock.py).

STABLE, although clock_timestamp() is not: one value for a whole statement is wanted, and only so may an index be used.
"""

from django.db import migrations

CREATE = """
    CREATE FUNCTION app_now() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp(); END $$;
    CREATE FUNCTION app_later(seconds double precision) RETURNS timestamptz LANGUAGE plpgsql STABLE AS
        $$ BEGIN RETURN clock_timestamp() + make_interval(secs => seconds); END $$;
"""
DROP = "DROP FUNCTION app_now(); DROP FUNCTION app_later(double precision);"


def on_postgres(statements):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(statements)

    return run


class Migration(migrations.Migration):
    dependencies = [("planner", "0001_initial")]
    operations = [migrations.RunPython(on_postgres(CREATE), on_postgres(DROP))]

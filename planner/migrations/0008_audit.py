from django.db import migrations, models

import planner.fields

FOR_EVER = """
    CREATE FUNCTION keep_audit() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'; END $$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON django_admin_log
        FOR EACH ROW EXECUTE FUNCTION keep_audit();
"""
NO_MORE = "DROP TRIGGER append_only ON django_admin_log; DROP FUNCTION keep_audit();"


def on_postgres(statements):
    def run(apps, schema_editor):
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(statements)

    return run


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0007_voice"),
        ("admin", "0003_logentry_add_action_flag_choices"),
    ]

    operations = [
        migrations.CreateModel(
            name="FailedLogin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=64, verbose_name="用户名摘要")),
                ("address", models.CharField(max_length=45, verbose_name="地址")),
                ("at", planner.fields.CreatedAt(editable=False, null=True, verbose_name="时间")),
            ],
            options={
                "verbose_name": "登录失败",
                "verbose_name_plural": "登录失败",
                "indexes": [
                    models.Index(fields=["address", "at"], name="failures_of_address"),
                    models.Index(fields=["name", "at"], name="failures_of_name"),
                ],
            },
        ),
        migrations.RunPython(on_postgres(FOR_EVER), on_postgres(NO_MORE)),
    ]

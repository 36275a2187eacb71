"""Tasks that repeat, and reminders that know their follower and their turn.

Of several reminders of one task for one moment (of different versions) the one that has rung stays, else the newest.
"""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
    UPDATE planner_reminder SET follower_id =
        (SELECT t.follower_id FROM planner_task t WHERE t.id = planner_reminder.task_id)"""
ORPHANS = "DELETE FROM planner_reminder WHERE follower_id IS NULL"
DOUBLES = """
    DELETE FROM planner_reminder WHERE EXISTS (SELECT 1 FROM planner_reminder o
        WHERE o.task_id = planner_reminder.task_id AND o.due_at = planner_reminder.due_at
        AND o.id <> planner_reminder.id
        AND (CASE o.status WHEN 'SENT' THEN 1 ELSE 0 END, o.id)
            > (CASE planner_reminder.status WHEN 'SENT' THEN 1 ELSE 0 END, planner_reminder.id))"""


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0005_forgetting"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="reminder",
            name="one_reminder_per_moment",
        ),
        migrations.AddField(
            model_name="follower",
            name="digest_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="下次早报"),
        ),
        migrations.AddField(
            model_name="reminder",
            name="follower",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="planner.follower",
                verbose_name="关注者",
            ),
        ),
        migrations.RunSQL([FILL, ORPHANS, DOUBLES], migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="reminder",
            name="follower",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="planner.follower",
                verbose_name="关注者",
            ),
        ),
        migrations.AddField(
            model_name="reminder",
            name="kind",
            field=models.CharField(
                choices=[("LEAD", "按提前量"), ("MOMENT", "指定时间"), ("NAG", "催办")],
                default="LEAD",
                max_length=6,
                verbose_name="种类",
            ),
        ),
        migrations.AddField(
            model_name="reminder",
            name="nth",
            field=models.PositiveSmallIntegerField(default=0, verbose_name="第几次催办"),
        ),
        migrations.AddField(
            model_name="reminder",
            name="rung_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="交付时间"),
        ),
        migrations.AddField(
            model_name="reminder",
            name="turn",
            field=models.DateTimeField(blank=True, null=True, verbose_name="哪一次"),
        ),
        migrations.AddField(
            model_name="task",
            name="exdates",
            field=models.JSONField(blank=True, default=list, verbose_name="除去的几次"),
        ),
        migrations.AddField(
            model_name="task",
            name="repeat",
            field=models.CharField(blank=True, max_length=60, verbose_name="重复"),
        ),
        migrations.AddField(
            model_name="task",
            name="rrule",
            field=models.CharField(blank=True, max_length=255, verbose_name="重复规则"),
        ),
        migrations.AddField(
            model_name="task",
            name="series",
            field=models.ForeignKey(
                blank=True,
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="turns",
                to="planner.task",
                verbose_name="系列",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="turn_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="原定时间"),
        ),
        migrations.AddIndex(
            model_name="follower",
            index=models.Index(
                condition=models.Q(("digest_at__isnull", False)), fields=["digest_at", "id"], name="due_digests"
            ),
        ),
        migrations.AddIndex(
            model_name="reminder",
            index=models.Index(
                condition=models.Q(("status", "PENDING")), fields=["follower", "due_at"], name="pending_of_follower"
            ),
        ),
        migrations.AddIndex(
            model_name="reminder",
            index=models.Index(
                condition=models.Q(("status", "SENT")), fields=["follower", "-rung_at"], name="rung_of_follower"
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                condition=models.Q(("status", "OPEN"), models.Q(("rrule", ""), _negated=True)),
                fields=["follower", "id"],
                name="open_series_of_follower",
            ),
        ),
        migrations.AddConstraint(
            model_name="reminder",
            constraint=models.UniqueConstraint(fields=("task", "due_at"), name="a_task_rings_once_at_a_moment"),
        ),
    ]

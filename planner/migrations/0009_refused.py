from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0008_audit"),
    ]

    operations = [
        migrations.AddField(
            model_name="follower",
            name="refused_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="拒收时间"),
        ),
    ]

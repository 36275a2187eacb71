from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0006_recurrence"),
    ]

    operations = [
        migrations.AlterField(
            model_name="review",
            name="kind",
            field=models.CharField(
                choices=[("batch", "批次"), ("outbound", "外发消息"), ("voice", "语音")],
                max_length=16,
                verbose_name="类别",
            ),
        ),
    ]

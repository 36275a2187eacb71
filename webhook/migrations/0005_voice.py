import django.db.models.deletion
from django.db import migrations, models

import planner.fields


class Migration(migrations.Migration):
    dependencies = [
        ("planner", "0007_voice"),
        ("webhook", "0004_forgetting"),
    ]

    operations = [
        migrations.AlterField(
            model_name="attempt",
            name="kind",
            field=models.CharField(
                choices=[("batch", "批次"), ("outbound", "外发消息"), ("voice", "语音")],
                max_length=10,
                verbose_name="类别",
            ),
        ),
        migrations.CreateModel(
            name="VoiceClip",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("available_at", models.DateTimeField(verbose_name="可执行时间")),
                ("claims", models.PositiveSmallIntegerField(default=0, verbose_name="领取次数")),
                ("max_claims", models.PositiveSmallIntegerField(default=3, verbose_name="最多领取")),
                ("claim_no", models.BigIntegerField(default=0, verbose_name="领取号")),
                ("claimed_at", models.DateTimeField(blank=True, null=True, verbose_name="领取时间")),
                ("owner", models.CharField(blank=True, max_length=12, verbose_name="领取者")),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True, verbose_name="心跳")),
                ("lease_expires_at", models.DateTimeField(blank=True, null=True, verbose_name="租约到期")),
                ("last_error", models.CharField(blank=True, max_length=500, verbose_name="最近错误")),
                (
                    "held_for",
                    models.CharField(blank=True, db_default="", default="", max_length=20, verbose_name="等待的上游"),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="结束时间")),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("UNHEARD", "待识别"),
                            ("HEARING", "识别中"),
                            ("HEARD", "已识别"),
                            ("SILENT", "没有话"),
                            ("FAILED", "失败"),
                            ("CANCELLED", "已取消"),
                        ],
                        default="UNHEARD",
                        max_length=12,
                        verbose_name="状态",
                    ),
                ),
                ("generation", models.PositiveIntegerField(default=1, verbose_name="代")),
                ("media_id", models.CharField(blank=True, max_length=256, verbose_name="MediaId")),
                ("media_id_16k", models.CharField(blank=True, max_length=256, verbose_name="MediaId16K")),
                ("format", models.CharField(blank=True, max_length=16, verbose_name="声称的格式")),
                ("recognition", models.TextField(blank=True, verbose_name="微信的识别")),
                ("rendition", models.PositiveSmallIntegerField(default=0, verbose_name="第几种形式")),
                ("codec", models.CharField(blank=True, max_length=12, verbose_name="编码")),
                ("seconds", models.FloatField(blank=True, null=True, verbose_name="时长（秒）")),
                ("creates", models.PositiveSmallIntegerField(default=0, verbose_name="长语音提交次数")),
                ("rec_task", models.BigIntegerField(blank=True, null=True, verbose_name="识别任务号")),
                ("polls", models.PositiveSmallIntegerField(default=0, verbose_name="查询次数")),
                ("heard_by", models.CharField(blank=True, max_length=12, verbose_name="识别者")),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("late", "过了期限"),
                            ("gone", "录音已过期"),
                            ("too_long", "太长"),
                            ("unreadable", "格式读不了"),
                            ("unavailable", "识别不了"),
                        ],
                        max_length=12,
                        verbose_name="失败原因",
                    ),
                ),
                ("deadline_at", models.DateTimeField(verbose_name="最晚")),
                ("trace_id", models.UUIDField(verbose_name="trace_id")),
                ("created_at", planner.fields.CreatedAt(editable=False, null=True, verbose_name="时间")),
                (
                    "batch",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clips",
                        to="webhook.batch",
                        verbose_name="批次",
                    ),
                ),
                (
                    "follower",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clips",
                        to="planner.follower",
                        verbose_name="关注者",
                    ),
                ),
                (
                    "message",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="clip",
                        to="webhook.inboundmessage",
                        verbose_name="消息",
                    ),
                ),
            ],
            options={
                "verbose_name": "语音",
                "verbose_name_plural": "语音",
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "UNHEARD")), fields=["available_at", "id"], name="claimable_clips"
                    ),
                    models.Index(condition=models.Q(("status", "HEARING")), fields=["id"], name="hearing_clips"),
                    models.Index(
                        condition=models.Q(("status__in", ["UNHEARD", "HEARING"])),
                        fields=["batch"],
                        name="unheard_of_batch",
                    ),
                    models.Index(
                        condition=models.Q(("status__in", ["UNHEARD", "HEARING"])),
                        fields=["deadline_at"],
                        name="clip_deadlines",
                    ),
                    models.Index(fields=["status", "-id"], name="clips_by_status"),
                    models.Index(fields=["follower", "-id"], name="clips_of_follower"),
                    models.Index(fields=["trace_id"], name="clips_by_trace"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("lease_expires_at__isnull", False), ("status", "HEARING")),
                            models.Q(
                                models.Q(("status", "HEARING"), _negated=True), ("lease_expires_at__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="a_clip_is_heard_iff_leased",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["HEARD", "SILENT", "FAILED", "CANCELLED"]),
                            ),
                            models.Q(
                                models.Q(("status__in", ["HEARD", "SILENT", "FAILED", "CANCELLED"]), _negated=True),
                                ("finished_at__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="a_clip_is_final_iff_finished",
                    ),
                ],
            },
        ),
    ]

from typing import Any

from django.apps import AppConfig
from django.contrib.auth.signals import user_login_failed
from django.db.backends.signals import connection_created

from planner.clock import register_on_sqlite


class PlannerConfig(AppConfig):
    name = "planner"
    verbose_name = "计划"

    def ready(self) -> None:
        connection_created.connect(register_on_sqlite, dispatch_uid="planner.clock")
        user_login_failed.connect(_note_failure, dispatch_uid="planner.lockout")


def _note_failure(**told: Any) -> None:
    from planner.lockout import note  # noqa: PLC0415 - the admin's forms, which no worker needs

    note(**told)

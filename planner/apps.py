from django.apps import AppConfig
from django.db.backends.signals import connection_created

from planner.clock import register_on_sqlite


class PlannerConfig(AppConfig):
    name = "planner"
    verbose_name = "计划"

    def ready(self) -> None:
        connection_created.connect(register_on_sqlite, dispatch_uid="planner.clock")

from typing import Any

from django.db import models

from planner.clock import AppNow


class CreatedAt(models.DateTimeField):
    """Set by the database's clock when the row is inserted."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("editable", False)
        super().__init__(*args, **kwargs)

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        value = getattr(model_instance, self.attname)
        return AppNow() if add and value is None else value

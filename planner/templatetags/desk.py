"""Template helpers of the operators' pages."""

import json
from typing import Any

from django import template
from django.db.models import Model
from django.urls import reverse
from django.utils.safestring import SafeString

from planner import cells
from planner.models import Follower

register = template.Library()


@register.filter
def indented(value: Any) -> str:
    return "（无）" if value in (None, "", {}, []) else json.dumps(value, ensure_ascii=False, indent=2)


@register.filter
def to_row(row: Model) -> SafeString:
    return cells.link(row, row.pk)


@register.filter
def address(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


@register.filter
def person(follower: Follower) -> SafeString | str:
    return cells.person(follower)


@register.filter
def said(row: Any) -> str:
    """What is asked about, in words: the text of a message, what an alarm says, the messages of a batch."""
    for name in ("text", "detail"):
        if hasattr(row, name):
            return str(getattr(row, name))
    return "\n".join(message.text for message in row.messages.all())

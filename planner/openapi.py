"""What `/api/` looks like to a machine. Loaded by the first request for the schema, never at start."""

from functools import cache
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import include, path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView

from planner.api import OneTask, TaskIn, TaskOut, Tasks, Turn

KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)
FOLLOWER = OpenApiParameter("follower", int, description="operators only: whose plan")
PATTERNS = [path("api/", include("planner.api"))]
LIST = [FOLLOWER, OpenApiParameter("after", int), OpenApiParameter("status", str, enum=["OPEN", "DONE"])]


@cache
def _describe() -> None:
    """Gives the views their descriptions, once."""
    Tasks.get = extend_schema(operation_id="tasks_list", parameters=LIST, responses=TaskOut(many=True))(Tasks.get)  # type: ignore[method-assign]
    change: dict[str, Any] = {"parameters": [FOLLOWER, KEY]}
    Tasks.post = extend_schema(**change, request=TaskIn, responses={201: TaskOut})(Tasks.post)  # type: ignore[method-assign]
    OneTask.get = extend_schema(parameters=[FOLLOWER], responses=TaskOut)(OneTask.get)  # type: ignore[method-assign]
    OneTask.patch = extend_schema(**change, request=TaskIn(partial=True), responses=TaskOut)(OneTask.patch)  # type: ignore[method-assign]
    OneTask.delete = extend_schema(**change, request=None, responses={204: None})(OneTask.delete)  # type: ignore[method-assign]
    Turn.post = extend_schema(**change, request=None, responses=TaskOut)(Turn.post)  # type: ignore[method-assign]


def described(request: HttpRequest) -> HttpResponseBase:
    _describe()
    view = SpectacularAPIView.as_view(authentication_classes=[], permission_classes=[], patterns=PATTERNS)
    response: HttpResponseBase = view(request)
    return response

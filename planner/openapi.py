"""What `/api/` looks like to a machine. Loaded by the first request for the schema, never at start."""

from functools import cache
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import include, path
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from drf_spectacular.views import SpectacularAPIView

from planner.api import KEY_PATTERN, OneTask, TaskIn, TaskOut, Tasks, Turn, TurnOut, Turns

_ID = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": KEY_PATTERN},
    OpenApiParameter.HEADER,
    required=True,
    description="a repeat gets the stored result; with other parameters it is 422",
)
PK = OpenApiParameter("id", _ID, OpenApiParameter.PATH)
FOLLOWER = OpenApiParameter("follower", _ID, description="operators only: whose plan")
AFTER = OpenApiParameter("after", {"type": "integer", "minimum": 0, "maximum": 10**18 - 1})
STATUS = OpenApiParameter("status", str, enum=["OPEN", "DONE"])
TURN = OpenApiParameter("turn", OpenApiTypes.DATETIME, description="of a series: this turn")
SPAN = [OpenApiParameter(name, OpenApiTypes.DATETIME) for name in ("start", "end")]
PATTERNS = [path("api/", include("planner.api"))]
WHY = {
    400: "what is wrong, by field",
    401: "no key, or one that is wrong or over",
    403: "a session without the right",
    404: "no such task in this plan",
    409: "a rule says no: why, in Chinese",
    422: "this Idempotency-Key was used with other parameters",
    429: "more than API_MINUTE_REQUESTS",
}


class Key(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "planner.api.PlanKey"
    name = "planKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


def _answers(good: dict[int, Any], *codes: int) -> dict[int, Any]:
    bad = {code: OpenApiResponse(OpenApiTypes.OBJECT, WHY[code]) for code in (*codes, 400, 401, 403, 429)}
    return {**good, **bad}


@cache
def _describe() -> None:
    """Gives the views their descriptions, once."""
    change, some = (404, 409, 422), TaskIn(partial=True)
    for view, method, name, parameters, request, answers in (
        (Tasks, "get", "tasks_list", [FOLLOWER, AFTER, STATUS], None, _answers({200: TaskOut(many=True)})),
        (Tasks, "post", "tasks_create", [FOLLOWER, KEY], TaskIn, _answers({201: TaskOut}, *change)),
        (OneTask, "get", "tasks_retrieve", [PK, FOLLOWER], None, _answers({200: TaskOut}, 404)),
        (OneTask, "patch", "tasks_update", [PK, FOLLOWER, KEY], some, _answers({200: TaskOut}, *change)),
        (OneTask, "delete", "tasks_delete", [PK, FOLLOWER, KEY, TURN], None, _answers({204: None}, *change)),
        (Turns, "get", "tasks_turns", [PK, FOLLOWER, *SPAN], None, _answers({200: TurnOut(many=True)}, 404)),
        (Turn, "post", None, [PK, FOLLOWER, KEY, TURN], None, _answers({200: TaskOut}, *change)),
    ):
        described = extend_schema(operation_id=name, parameters=parameters, request=request, responses=answers)
        setattr(view, method, described(getattr(view, method)))


def described(request: HttpRequest) -> HttpResponseBase:
    _describe()
    view = SpectacularAPIView.as_view(authentication_classes=[], permission_classes=[], patterns=PATTERNS)
    response: HttpResponseBase = view(request)
    return response

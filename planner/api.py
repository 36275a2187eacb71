"""`/api/tasks/`: a follower's own plan, through the same operations and the same ledger as the chat.

A follower comes with `Authorization: Bearer <plan key>` (planner/links.py); an operator with his admin session, naming
`?follower=`. Each change carries an `Idempotency-Key`: a repeat gets the stored result, the same key with other
parameters is 422.
"""

import re
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import path, re_path
from django.views.decorators.csrf import csrf_exempt
from pydantic import ValidationError
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import APIException, AuthenticationFailed, NotAuthenticated, ParseError, Throttled
from rest_framework.exceptions import ValidationError as Invalid
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from planner import links, series, trace
from planner.actions import Changes, Complete, Create, Delete, Reopen, Target, Update
from planner.limits import buckets
from planner.models import Follower, Task
from planner.operations import OperationConflict, Outcome, Scope, apply
from planner.rhythm import rhythm

PAGE = 50
MOST_TURNS = 100
FAR = datetime(2100, 1, 1, tzinfo=UTC)
KEY_PATTERN = "^[A-Za-z0-9_-]{8,64}$"


class TaskOut(serializers.ModelSerializer):
    """Of a series `start` is its next turn that is neither done nor skipped, `leads` are minutes before each start."""

    reads = serializers.SerializerMethodField()

    class Meta:
        model = Task
        fields = (
            *("id", "title", "start", "end", "all_day", "leads", "notes", "status", "done_at", "version"),
            *("rrule", "repeat", "reads", "series", "turn_at", "reminder_status"),
        )

    def get_reads(self, task: Task) -> str:
        """How the rule reads, in Chinese; '' where nothing repeats."""
        return rhythm(series.rule_of(task)) if task.rrule else ""


class TurnOut(serializers.Serializer):
    """One turn of a series. `turn` names it in further calls."""

    turn = serializers.DateTimeField()
    start = serializers.DateTimeField()
    end = serializers.DateTimeField(allow_null=True)


class Instant(serializers.DateTimeField):
    """Of our days: an offset before 1901 has seconds, which nobody's clock and no standard reads."""

    default_validators = [MinValueValidator(datetime(1970, 1, 1, tzinfo=UTC)), MaxValueValidator(FAR)]


class TaskIn(serializers.Serializer):
    """Instants are aware (ISO 8601 with an offset); `remind` holds leads in words, such as `提前10分钟`."""

    title = serializers.CharField(max_length=200)
    start = Instant(required=False, allow_null=True)
    end = Instant(required=False, allow_null=True)
    all_day = serializers.BooleanField(required=False)
    remind = serializers.ListField(child=serializers.CharField(max_length=40), required=False, max_length=10)
    notes = serializers.CharField(max_length=2000, required=False, allow_blank=True)
    rrule = serializers.CharField(max_length=255, required=False)
    repeat = serializers.CharField(max_length=60, required=False)
    turn = Instant(required=False, help_text="of a series: change this turn alone")


class Conflict(APIException):
    status_code = 422
    default_detail = "this Idempotency-Key was used with other parameters"


class Refusal(APIException):
    status_code = 409


class PlanKey(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Follower, str] | None:
        scheme, _, key = request.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        pk = links.follower_of(key)
        follower = Follower.objects.filter(pk=pk, forgotten_at=None).first() if pk else None
        if follower is None:
            raise AuthenticationFailed("the plan key is wrong or over; ask for a new one")
        return follower, "plan key"

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class Plan(APIView):
    authentication_classes = [PlanKey, SessionAuthentication]
    permission_classes: list[Any] = []

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.follower = self._follower(request)
        caller = f"{type(request.user).__name__}:{request.user.pk}"
        if not buckets("api", settings.API_MINUTE_REQUESTS).admits(caller):
            raise Throttled(wait=1)

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        """Whatever passes it on keeps no copy and tells nobody where it came from."""
        response: Response = super().finalize_response(*args, **kwargs)
        response["Cache-Control"], response["Referrer-Policy"] = "no-store", "no-referrer"
        return response

    def _follower(self, request: Request) -> Follower:
        if isinstance(request.user, Follower):
            return request.user
        if request.user is None or not getattr(request.user, "is_staff", False):
            raise NotAuthenticated
        wanted = request.query_params.get("follower", "")
        found = Follower.objects.filter(pk=int(wanted)).first() if re.fullmatch(r"\d{1,18}", wanted) else None
        if found is None:
            raise Invalid({"follower": "an operator names an existing follower by id"})
        return found

    def task(self, pk: int) -> Task:
        found = Task.objects.filter(pk=pk, follower=self.follower).exclude(status=Task.DELETED).first()
        if found is None:
            raise Http404
        return found

    def apply(self, request: Request, op: str, build: Any) -> Outcome:
        key = request.headers.get("Idempotency-Key", "")
        if not re.fullmatch(KEY_PATTERN, key) or key.endswith("\n"):
            raise ParseError("an Idempotency-Key header of 8 to 64 letters, digits, - or _ is needed")
        scope = Scope(follower=self.follower, sent_at=datetime.now(UTC), trace_id=trace.new_trace_id())
        try:
            made = apply(op, build(), scope, key=f"api:{self.follower.pk}:{key}")
        except OperationConflict as error:
            raise Conflict from error
        except ValidationError as error:
            first = error.errors()[0]
            raise Invalid({".".join(map(str, first["loc"])): first["msg"]}) from error
        assert isinstance(made, Outcome)
        if made.status == "REFUSED":
            raise Refusal(made.summary)
        return made


def checked(request: Request, *, partial: bool = False) -> dict[str, Any]:
    given = TaskIn(data=request.data, partial=partial)
    given.is_valid(raise_exception=True)
    return {name: value for name, value in given.validated_data.items() if value is not None}


class Tasks(Plan):
    def get(self, request: Request) -> Response:
        """50 tasks by id; `after` is the last id seen."""
        status, after = request.query_params.get("status", Task.OPEN), request.query_params.get("after", "0")
        if status not in (Task.OPEN, Task.DONE) or not re.fullmatch(r"\d{1,18}", after):
            raise Invalid({"status": "OPEN or DONE", "after": "an id"})
        found = Task.objects.filter(follower=self.follower, status=status, pk__gt=int(after)).order_by("pk")[:PAGE]
        return Response(TaskOut(found, many=True).data)

    def post(self, request: Request) -> Response:
        values = {name: value for name, value in checked(request).items() if name != "turn"}
        made = self.apply(request, "create", lambda: Create(**values))
        return Response(TaskOut(Task.objects.get(pk=made.result["task"]["id"])).data, status=201)


class OneTask(Plan):
    def get(self, request: Request, pk: int) -> Response:
        return Response(TaskOut(self.task(pk)).data)

    def patch(self, request: Request, pk: int) -> Response:
        """With `turn`, of a series that turn alone: the answer is the task that it has become."""
        self.task(pk)
        values = checked(request, partial=True)
        target = whole_or_turn(pk, values.pop("turn", None))
        made = self.apply(request, "update", lambda: Update(target=target, changes=Changes(**values)))
        return Response(TaskOut(self.task(made.result["task"]["id"])).data)

    def delete(self, request: Request, pk: int) -> Response:
        """With `?turn=`, of a series that turn alone."""
        target = whole_or_turn(pk, moment(request, "turn"))
        self.apply(request, "delete", lambda: Delete(target=target))
        return Response(status=204)


def whole_or_turn(pk: int, turn: datetime | None) -> Target:
    return Target(chosen=pk, turn=turn, series=turn is None)


def moment(request: Request, name: str) -> datetime | None:
    """An aware instant of the query."""
    field = Instant(required=False, allow_null=True)
    try:
        value: datetime | None = field.run_validation(request.query_params.get(name))
    except Invalid as error:
        raise Invalid({name: error.detail}) from error
    return value


class Turns(Plan):
    def get(self, request: Request, pk: int) -> Response:
        """The turns of a series in `start` … `end`, at most MOST_TURNS; without them from its next turn on."""
        task = self.task(pk)
        if not task.rrule or task.start is None:
            raise Http404
        start, end = moment(request, "start") or task.start, moment(request, "end") or FAR
        turns = islice(series.between(task, self.follower.zone, start, end), MOST_TURNS)
        shown = [series.at(task, turn, self.follower.zone) for turn in turns]
        return Response(TurnOut(shown, many=True).data)


class Turn(Plan):
    """`complete` and `reopen`; of a series `?turn=`, or the turn that is on, is completed."""

    def post(self, request: Request, pk: int, op: str) -> Response:
        params = {"complete": Complete, "reopen": Reopen}[op]
        turn = moment(request, "turn")
        self.apply(request, op, lambda: params(target=Target(chosen=pk, turn=turn)))
        return Response(TaskOut(self.task(pk)).data)


@csrf_exempt
def nowhere(request: HttpRequest) -> JsonResponse:
    """What is below /api/ speaks JSON, mistakes included."""
    return JsonResponse({"detail": "no such address"}, status=404)


def schema(request: HttpRequest) -> HttpResponseBase:
    """OpenAPI of these addresses."""
    from planner.openapi import described  # noqa: PLC0415 - 10 MB that no other request needs

    return described(request)


urlpatterns = [
    path("tasks/", Tasks.as_view()),
    path("tasks/<int:pk>/", OneTask.as_view()),
    path("tasks/<int:pk>/turns/", Turns.as_view()),
    path("tasks/<int:pk>/complete/", Turn.as_view(), {"op": "complete"}, name="complete"),
    path("tasks/<int:pk>/reopen/", Turn.as_view(), {"op": "reopen"}, name="reopen"),
    path("schema/", schema),
    re_path("", nowhere),
]
